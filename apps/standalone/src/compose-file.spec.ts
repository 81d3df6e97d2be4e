/**
 * deploy/compose: its settings are given to the parsers of the processes that will read them, and what one file says is held
 * against the others. Here, because only this project may import all three processes.
 */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { replayConfig } from '@roundhouse/replay';
import { routerConfig } from '@roundhouse/router';
import { toolWorkerConfig } from '@roundhouse/tool-worker';
import { answerCommand, askCommand } from './greeting.js';

const FOLDER = new URL('../../../deploy/compose/', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, FOLDER), 'utf8');

interface Service {
  readonly image: string;
  readonly build?: { readonly dockerfile: string; readonly args: { readonly APP: string } };
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly networks?: readonly string[];
  readonly network_mode?: string;
  readonly ports?: readonly string[];
  readonly command?: readonly string[];
  readonly user?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly mem_limit?: string;
  readonly stop_grace_period?: string;
  readonly depends_on?: Readonly<Record<string, unknown>>;
}

const { services, networks, volumes } = parse(read('compose.yaml'), { merge: true }) as {
  services: Readonly<Record<string, Service>>;
  networks: Readonly<Record<string, unknown>>;
  volumes: Readonly<Record<string, unknown>>;
};
const ROUTERS = ['router-1', 'router-2'];
const names = Object.keys(services);
const ours = names.filter((name) => service(name).build !== undefined);
const serving = ['worker', 'replay', ...ROUTERS];

function service(name: string): Service {
  const found = services[name];
  if (found === undefined) throw new Error(`there is no service ${name}`);
  return found;
}

/** What the process is started with, its file being where a volume has it from. */
function environmentOf(name: string): Record<string, string> {
  const { environment = {} } = service(name);
  const file = mountsOf(name).find(({ to }) => to === environment['ROUNDHOUSE_CONFIG_FILE']);
  if (file === undefined) throw new Error(`${name} mounts no file where it looks for one`);
  return { ...environment, ROUNDHOUSE_CONFIG_FILE: fileURLToPath(new URL(file.from, FOLDER)) };
}

function mountsOf(name: string): { readonly from: string; readonly to: string; readonly isReadOnly: boolean }[] {
  return (service(name).volumes ?? []).map((volume) => {
    const [from = '', to = '', how = ''] = volume.split(':');
    return { from, to, isReadOnly: how === 'ro' };
  });
}

const routers = ROUTERS.map((name) => routerConfig.load(environmentOf(name)));
const worker = toolWorkerConfig.load(environmentOf('worker'));
const replay = replayConfig.load(environmentOf('replay'));

describe('the settings of compose.yaml', () => {
  it('lead routers to the workers and to the replay service', () => {
    for (const router of routers) {
      expect(router.workers.map(({ dns }) => dns)).toEqual([
        expect.objectContaining({ name: 'worker', port: worker.listen.port }),
      ]);
      expect(router.replay.dns).toMatchObject({ name: 'replay', port: replay.listen.port });
    }
  });

  it('let workers and the replay service be reached from other containers', () => {
    expect([worker.listen.host, replay.listen.host]).toEqual(['0.0.0.0', '0.0.0.0']);
  });

  it('lead the replay service, and nobody else, to Redis', () => {
    expect(new URL(replay.store.url ?? '').hostname).toBe('redis');
    const reaching = names.filter((name) => service(name).networks?.includes('state'));
    expect(reaching.sort()).toEqual(['redis', 'replay']);
    expect(networks['state']).toEqual({ internal: true });
  });

  it('give routers ports of their own on the loopback that they share', () => {
    const ports = routers.flatMap(({ listen, admin }) => [listen.port, admin?.port]);
    expect(new Set(ports).size).toBe(4);
    expect(ROUTERS.map((name) => service(name).network_mode)).toEqual(['service:front', 'service:front']);
  });

  it('let a router that believes a header be reached by loopback only', () => {
    expect(routers.map(({ auth, listen }) => [auth.mode, listen.host])).toEqual(
      ROUTERS.map(() => ['development', '127.0.0.1']),
    );
    const open = { ...environmentOf('router-1'), ROUNDHOUSE_HTTP_HOST: '0.0.0.0' };
    expect(() => routerConfig.load(open)).toThrow();
  });

  it('are shown to this machine only', () => {
    const published = names.flatMap((name) => service(name).ports ?? []);
    expect(published.length).toBeGreaterThan(0);
    expect(published.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  it('ask for the probes where each process has them', () => {
    const ports = [worker.admin?.port, replay.admin?.port, ...routers.map(({ admin }) => admin?.port)];
    expect(serving.map((name) => service(name).environment?.['ROUNDHOUSE_PROBE_PORT'])).toEqual(ports.map(String));
  });

  it('give calls in flight their time before a container is killed', () => {
    for (const [at, name] of ROUTERS.entries())
      expect(parseInt(service(name).stop_grace_period ?? '0', 10) * 1_000).toBeGreaterThan(
        routers[at]?.drain.timeoutMs ?? Infinity,
      );
  });

  it('read the keyset where the service keys makes it, and cannot change it', () => {
    const command = service('keys').command ?? [];
    const file = command[command.indexOf('--file') + 1];
    expect(routers.map(({ keyset }) => keyset.file)).toEqual([file, file]);
    expect(existsSync(new URL(`../../${command[0]}`, FOLDER))).toBe(true);
    for (const name of ROUTERS) expect(mountsOf(name).find(({ from }) => from === 'keys')?.isReadOnly).toBe(true);
  });
});

describe('what compose.yaml runs', () => {
  it.each(ours)('%s is an image of an app of ours', (name) => {
    const { image, build } = service(name);
    expect(image).toMatch(new RegExp(`^roundhouse/${build?.args.APP}:`));
    expect(existsSync(new URL(`../../apps/${build?.args.APP}`, FOLDER))).toBe(true);
    expect(existsSync(new URL(`../../${build?.dockerfile}`, FOLDER))).toBe(true);
  });

  it.each(ours)('%s writes nothing, has no capability to speak of, and gains none', (name) => {
    expect(service(name)).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
  });

  it('has one service that is root, for the folder of the keys, without a network', () => {
    const roots = names.filter((name) => service(name).user !== undefined);
    expect(roots).toEqual(['keys-folder']);
    expect(service('keys-folder')).toMatchObject({ network_mode: 'none', cap_add: ['CHOWN'] });
  });

  it.each(names.filter((name) => !name.startsWith('keys')))('%s has a memory limit', (name) => {
    expect(service(name).mem_limit).toMatch(/^\d+m$/);
  });

  it.each(names)('%s depends on services, and mounts files and volumes, that are there', (name) => {
    expect(Object.keys(service(name).depends_on ?? {}).filter((other) => !names.includes(other))).toEqual([]);
    const isThere = (from: string): boolean =>
      from.startsWith('.') ? existsSync(new URL(from, FOLDER)) : Object.hasOwn(volumes, from);
    expect(mountsOf(name).filter(({ from }) => !isThere(from))).toEqual([]);
  });

  it('has the Valkey of the chart', () => {
    const values = parse(read('../../charts/roundhouse/values.yaml')) as {
      redis: { bundled: { image: { repository: string; tag: string } } };
    };
    const { repository, tag } = values.redis.bundled.image;
    expect(`docker.io/${service('redis').image}`).toBe(`${repository}:${tag}`);
  });
});

describe('the files beside compose.yaml', () => {
  it('have HAProxy ask each router where it listens, on the port of the public address', () => {
    const lines = [...read('haproxy.cfg').matchAll(/server (\S+) 127\.0\.0\.1:(\d+) check port (\d+)/g)];
    const told = lines.map(([, name, port, probe]) => [name, Number(port), Number(probe)]);
    expect(told).toEqual(routers.map(({ listen, admin }, at) => [ROUTERS[at], listen.port, admin?.port]));
    const bound = /^ +bind :(\d+)$/m.exec(read('haproxy.cfg'))?.[1];
    for (const { publicUrl } of routers) expect(new URL(publicUrl).port).toBe(bound);
    expect(service('front').ports).toContain(`127.0.0.1:${bound}:${bound}`);
  });

  it('tell the reader the two commands that npm start prints', () => {
    const page = read('README.md');
    for (const { publicUrl } of routers)
      for (const command of [askCommand(publicUrl), answerCommand(publicUrl)]) expect(page).toContain(command);
  });

  it('never have HAProxy send a call twice', () => {
    expect(read('haproxy.cfg')).toMatch(/^ +retries 0$/m);
    expect(read('haproxy.cfg')).toMatch(/^ +no option redispatch$/m);
  });

  it('have Prometheus read every process, by the job names that alerts look for', () => {
    const { scrape_configs: jobs } = parse(read('prometheus.yaml')) as { scrape_configs: object[] };
    const named = (port: number | undefined, name: string): object => ({ names: [name], type: 'A', port });
    expect(jobs).toMatchObject([
      {
        job_name: 'roundhouse-router',
        static_configs: [{ targets: routers.map(({ admin }) => `front:${admin?.port}`) }],
      },
      { job_name: 'roundhouse-tool-worker', dns_sd_configs: [named(worker.admin?.port, 'worker')] },
      { job_name: 'roundhouse-replay', dns_sd_configs: [named(replay.admin?.port, 'replay')] },
    ]);
    for (const admin of [worker.admin, replay.admin, ...routers.map((router) => router.admin)])
      expect(admin?.host).toBe('0.0.0.0');
  });
});

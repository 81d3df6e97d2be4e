// etcd and a kube-apiserver on loopback, as a cluster has them: RBAC, admission, tokens of its own. No controller and no
// node runs, so objects are admitted and kept, and nothing is made of them.
import { spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiClient } from './api-client.mjs';
import { until } from './until.mjs';

/** A cold start takes about ten seconds on two cores. */
const READY_WITHIN_MS = 90_000;
const STOP_WITHIN_MS = 20_000;
/** Both families, for Services of either and of both. */
const SERVICE_RANGES = '10.96.0.0/16,fd00:96::/112';
const ISSUER = 'https://kubernetes.default.svc';

export class ControlPlane {
  #etcd;
  #server;

  /** @param {{ apiserver: string, etcd: string, folder: string, ports: number[] }} options paths, and four free ports */
  constructor({ apiserver, etcd, folder, ports }) {
    const [clientPort, peerPort, securePort] = ports;
    Object.assign(this, { programs: { apiserver, etcd }, folder, token: randomBytes(24).toString('hex') });
    this.etcdUrl = `http://127.0.0.1:${clientPort}`;
    this.peerUrl = `http://127.0.0.1:${peerPort}`;
    this.url = `https://127.0.0.1:${securePort}`;
    this.securePort = securePort;
    /** The server signs for itself; its authority stands behind its certificate. */
    this.caFile = join(folder, 'certificates/apiserver.crt');
  }

  /** As its administrator. */
  get client() {
    return new ApiClient({ url: this.url, ca: readFileSync(this.caFile), token: this.token });
  }

  async start() {
    rmSync(this.folder, { recursive: true, force: true });
    mkdirSync(this.folder, { recursive: true });
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    this.#write('accounts.key', privateKey.export({ type: 'pkcs8', format: 'pem' }));
    this.#write('accounts.pub', publicKey.export({ type: 'spki', format: 'pem' }));
    this.#write('tokens.csv', `${this.token},administrator,1,"system:masters"\n`);
    this.#etcd = this.#launch('etcd', [
      ...['--data-dir', join(this.folder, 'etcd'), '--log-level', 'error'],
      ...['--listen-client-urls', this.etcdUrl, '--advertise-client-urls', this.etcdUrl],
      ...['--listen-peer-urls', this.peerUrl, '--initial-advertise-peer-urls', this.peerUrl],
      ...['--initial-cluster', `default=${this.peerUrl}`],
    ]);
    await this.startServer();
  }

  async startServer() {
    const file = (name) => join(this.folder, name);
    this.#server = this.#launch('apiserver', [
      ...['--etcd-servers', this.etcdUrl, '--etcd-compaction-interval', '0'],
      ...['--bind-address', '127.0.0.1', '--advertise-address', '127.0.0.1', '--secure-port', String(this.securePort)],
      ...['--cert-dir', file('certificates'), '--token-auth-file', file('tokens.csv')],
      ...['--service-account-issuer', ISSUER, '--service-account-key-file', file('accounts.pub')],
      ...['--service-account-signing-key-file', file('accounts.key')],
      ...['--authorization-mode', 'RBAC', '--service-cluster-ip-range', SERVICE_RANGES],
      // Its own address would be an endpoint on loopback, which it refuses.
      ...['--endpoint-reconciler-type', 'none'],
    ]);
    await until(() => this.#isReady(), { what: 'the API server is ready', withinMs: READY_WITHIN_MS });
  }

  async stopServer() {
    await end(this.#server);
  }

  /** Forgets every version before now, as an API server has etcd do every five minutes. */
  async compact() {
    const ask = async (path, body) => {
      const response = await fetch(`${this.etcdUrl}/v3/kv/${path}`, { method: 'POST', body: JSON.stringify(body) });
      if (!response.ok) throw new Error(`etcd answered ${response.status} to ${path}`);
      return response.json();
    };
    const { header } = await ask('range', { key: Buffer.from('compact').toString('base64') });
    await ask('compaction', { revision: header.revision, physical: true });
    return header.revision;
  }

  async stop() {
    await end(this.#server);
    await end(this.#etcd);
  }

  async #isReady() {
    for (const child of [this.#etcd, this.#server])
      if (hasEnded(child)) throw new Error(`${child.spawnfile} ended: its log is in ${this.folder}`);
    // Its certificate is made by itself when it starts for the first time.
    if (!existsSync(this.caFile)) return false;
    return this.client.get('/readyz').then(
      ({ status, text }) => status === 200 && text === 'ok',
      () => false,
    );
  }

  #write(name, text) {
    writeFileSync(join(this.folder, name), text, { mode: 0o600 });
  }

  #launch(name, args) {
    const log = openSync(join(this.folder, `${name}.log`), 'a');
    const child = spawn(this.programs[name], args, { stdio: ['ignore', log, log], cwd: this.folder });
    closeSync(log);
    const killAtExit = () => child.kill('SIGKILL');
    process.once('exit', killAtExit);
    child.once('exit', () => process.removeListener('exit', killAtExit));
    return child;
  }
}

const hasEnded = (child) => child.exitCode !== null || child.signalCode !== null;

async function end(child) {
  if (child === undefined || hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const lastResort = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
  await ended;
  clearTimeout(lastResort);
}

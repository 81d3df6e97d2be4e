/**
 * deploy/examples/worker-hello as its author would have it: in a folder outside the workspace's projects, built on the
 * packed libraries and served by a router that a file tells of it. Third-party packages come from the workspace, so
 * that nothing is fetched.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { LOG_LEVEL } from './cluster-plan.js';
import { findFreePorts, isListening } from './free-ports.js';
import { ManagedProcess } from './process.js';
import { Standalone } from './standalone.js';
import { OUT, ROOT } from './workspace.js';

const EXAMPLE = join(ROOT, 'deploy/examples/worker-hello');
const PACKAGES = join(OUT, 'packages');
const COMMAND_WITHIN_MS = 120_000;

const execute = promisify(execFile);

export class OwnWorker {
  private constructor(
    readonly project: string,
    private readonly worker: ManagedProcess,
    private readonly standalone: Standalone,
  ) {}

  static async start(): Promise<OwnWorker> {
    const folder = join(OUT, 'e2e/worker-hello');
    rmSync(folder, { recursive: true, force: true });
    const project = await buildProject(join(folder, 'project'));
    const [port = 0] = await findFreePorts(1);
    const worker = await ManagedProcess.start({
      name: 'worker-hello',
      args: ['dist/main.js'],
      env: { PORT: String(port) },
      cwd: project,
      logFile: join(folder, 'worker-hello.log'),
      isReady: () => isListening(port),
    });
    const configFile = join(folder, 'roundhouse.yaml');
    writeFileSync(configFile, `router:\n  workers:\n    - id: hello\n      addresses: ['127.0.0.1:${port}']\n`);
    try {
      return new OwnWorker(
        project,
        worker,
        await Standalone.start({ name: 'e2e/worker-hello/router', configFile, logLevel: LOG_LEVEL }),
      );
    } catch (error) {
      await worker.stop();
      throw error;
    }
  }

  get port(): number {
    return this.standalone.port;
  }

  /** Runs an npm script of the project. Fails with what it printed. */
  async npm(...args: readonly string[]): Promise<string> {
    return runIn(this.project, 'npm', args);
  }

  complaints(): string[] {
    return [...this.worker.complaints(), ...this.standalone.complaints()];
  }

  async stop(): Promise<void> {
    await this.standalone.stop();
    await this.worker.stop();
  }
}

async function buildProject(project: string): Promise<string> {
  await runIn(ROOT, process.execPath, ['tools/pack-libraries.mjs']);
  cpSync(EXAMPLE, project, {
    recursive: true,
    filter: (source) => !['node_modules', 'dist'].includes(basename(source)),
  });
  for (const tarball of readdirSync(PACKAGES)) await unpack(tarball, join(project, 'node_modules/@roundhouse'));
  await runIn(project, 'npm', ['run', 'build']);
  return project;
}

/** What `npm install` of the tarballs does. */
async function unpack(tarball: string, scope: string): Promise<void> {
  const folder = join(scope, tarball.replace(/^roundhouse-(.*)-\d+\.\d+\.\d+\.tgz$/, '$1'));
  mkdirSync(folder, { recursive: true });
  await runIn(ROOT, 'tar', ['-xzf', join(PACKAGES, tarball), '-C', folder, '--strip-components=1']);
}

async function runIn(cwd: string, program: string, args: readonly string[]): Promise<string> {
  const { PATH = '', HOME = '' } = process.env;
  try {
    const { stdout } = await execute(program, args, { cwd, env: { PATH, HOME }, timeout: COMMAND_WITHIN_MS });
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`${program} ${args.join(' ')} failed\n${stdout}${stderr}`, { cause: error });
  }
}

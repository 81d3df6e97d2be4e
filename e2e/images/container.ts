/** A container: started by runc, awaited, asked how it is confined, stopped as a cluster would, never left behind. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ManagedProcess } from '../harness/process.js';
import { toRuntimeSpec, type ContainerPlan } from './runtime-spec.js';

export interface ContainerOptions {
  readonly name: string;
  /** For its bundle, its log and what runc keeps. */
  readonly folder: string;
  readonly plan: ContainerPlan;
}

export interface LongRunning extends ContainerOptions {
  readonly isReady: () => Promise<boolean>;
}

export class Container {
  private constructor(
    private readonly options: ContainerOptions,
    /** runc, which hands signals on and ends with the exit code of the container. */
    private readonly running: ManagedProcess,
    /** From the call of runc to the first answer that it is ready. */
    readonly startMs: number,
  ) {}

  static async start(options: LongRunning): Promise<Container> {
    const { name, folder, isReady } = options;
    const args = runArguments(options);
    const killAtExit = (): void => void spawnSync('runc', [...placeOf(folder), 'delete', '--force', idOf(name)]);
    process.once('exit', killAtExit);
    const startedMs = performance.now();
    const { PATH = '' } = process.env;
    const logFile = join(folder, `${name}.log`);
    const running = await ManagedProcess.start({
      name,
      program: 'runc',
      args,
      env: { PATH },
      cwd: folder,
      logFile,
      isReady,
    });
    return new Container(options, running, performance.now() - startedMs);
  }

  get name(): string {
    return this.options.name;
  }

  get memoryMiB(): number {
    return this.options.plan.memoryMiB;
  }

  /** Of its process, as the machine counts. */
  get pid(): number {
    const state = execFileSync('runc', [...placeOf(this.options.folder), 'state', idOf(this.name)], {
      encoding: 'utf8',
    });
    return (JSON.parse(state) as { pid: number }).pid;
  }

  complaints(): string[] {
    return this.running.complaints();
  }

  /** Its exit code. */
  async stop(): Promise<number | undefined> {
    await this.running.stop();
    return this.running.exitCode;
  }
}

/** Runs a container to its end. */
export function runContainer(options: ContainerOptions): { readonly code: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync('runc', runArguments(options), { encoding: 'utf8', timeout: 120_000 });
  return { code: status, output: `${stdout}${stderr}` };
}

function runArguments({ name, folder, plan }: ContainerOptions): string[] {
  const bundle = join(folder, name);
  mkdirSync(bundle, { recursive: true });
  writeFileSync(join(bundle, 'config.json'), JSON.stringify(toRuntimeSpec(plan), undefined, 2));
  return [...placeOf(folder), 'run', '--bundle', bundle, idOf(name)];
}

function placeOf(folder: string): string[] {
  return ['--root', join(folder, 'runc')];
}

/** Names a control group of the machine, too: two runs must not meet there. */
function idOf(name: string): string {
  return `roundhouse-images-${process.pid}-${name}`;
}

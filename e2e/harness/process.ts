/**
 * One operating-system process of the system under test: started, awaited until it answers, signalled, never left behind.
 * Its output goes straight into a file, so that nothing is lost when it is killed.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { secretWatch } from './secret-watch.js';
import { until, within } from './until.js';

/** From source a process needs about two seconds on an idle core; several start at once on two. */
const START_WITHIN_MS = 60_000;
/** Above the longest call a scenario leaves running while it stops a process. */
const STOP_WITHIN_MS = 15_000;
const LOG_TAIL_LINES = 25;
/** Lines of Node and of Nest that tell of a mistake in the program, whatever the caller got. */
const MISTAKE =
  /unhandled ?rejection|uncaught ?exception|MaxListenersExceeded|ERR_HTTP_HEADERS_SENT|"droppedFields":|^\s+at .+\(.+:\d+:\d+\)$/im;

export interface ProcessOptions {
  readonly name: string;
  /** Default: this Node. */
  readonly program?: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly logFile: string;
  /** Where it tells how it is. */
  readonly adminPort?: number;
  /** Whether it answers now; asked until it does. */
  readonly isReady: () => Promise<boolean>;
}

export class ManagedProcess {
  private constructor(
    readonly options: ProcessOptions,
    private readonly child: ChildProcess,
  ) {}

  static async start(options: ProcessOptions): Promise<ManagedProcess> {
    const started = new ManagedProcess(options, launch(options));
    try {
      await until(() => started.assertRunning() && options.isReady(), {
        what: `${options.name} is ready`,
        withinMs: START_WITHIN_MS,
      });
      return started;
    } catch (cause) {
      await started.kill();
      throw new Error(`${options.name} did not start. Its last words:\n${started.logTail()}`, { cause });
    }
  }

  get name(): string {
    return this.options.name;
  }

  get pid(): number {
    return this.child.pid ?? -1;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Undefined while it runs and when a signal ended it. */
  get exitCode(): number | undefined {
    return this.child.exitCode ?? undefined;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** SIGTERM, as an orchestrator would; resolves when it is gone and fails when it does not go by itself. */
  async stop(): Promise<void> {
    if (this.hasEnded) return;
    const ended = once(this.child, 'exit');
    this.signal('SIGTERM');
    try {
      await within(ended, { what: `${this.name} ends after SIGTERM`, withinMs: STOP_WITHIN_MS });
    } catch (error) {
      await this.kill();
      throw error;
    }
  }

  /** SIGKILL: no last words, no goodbye to its connections. */
  async kill(): Promise<void> {
    if (this.hasEnded) return;
    const ended = once(this.child, 'exit');
    this.signal('SIGKILL');
    await ended;
  }

  output(): string {
    return readFileSync(this.options.logFile, 'utf8');
  }

  /** What must not have happened in it, in words. */
  complaints(): string[] {
    const mistake = MISTAKE.exec(this.output());
    return [
      ...(this.hasEnded ? [`${this.name} has ended by itself`] : []),
      ...(mistake === null ? [] : [`${this.name} logged: ${mistake[0].trim()}`]),
    ];
  }

  logTail(): string {
    return this.output().trimEnd().split('\n').slice(-LOG_TAIL_LINES).join('\n');
  }

  private assertRunning(): true {
    if (this.hasEnded) throw new Error(`it ended with ${this.child.exitCode ?? this.child.signalCode}`);
    return true;
  }
}

function launch({ program = process.execPath, args, env, cwd, logFile }: ProcessOptions): ChildProcess {
  mkdirSync(dirname(logFile), { recursive: true });
  secretWatch.addFile(logFile);
  const log = openSync(logFile, 'a');
  // A clean environment: nothing of the caller's own ROUNDHOUSE_* settings may reach a process under test.
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(program, args, { cwd, env: { PATH, HOME, ...env }, stdio: ['ignore', log, log] });
  closeSync(log);
  const killAtExit = (): void => void child.kill('SIGKILL');
  process.once('exit', killAtExit);
  child.once('exit', () => process.removeListener('exit', killAtExit));
  return child;
}

/** The standalone process, started as `npm start` does, on a free port. */
import { join } from 'node:path';
import { rmSync } from 'node:fs';
import { findFreePorts, isListening } from './free-ports.js';
import { ManagedProcess } from './process.js';
import { OUT, ROOT } from './workspace.js';

export interface StandaloneOptions {
  /** Folder below out/ for the log; emptied at the start. */
  readonly name: string;
  /** Settings beyond the defaults. */
  readonly configFile?: string;
  /** Its default is for people at a terminal. */
  readonly logLevel?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export class Standalone {
  private constructor(
    readonly port: number,
    readonly process: ManagedProcess,
  ) {}

  static async start({ name, configFile, logLevel, env }: StandaloneOptions): Promise<Standalone> {
    const [port = 0] = await findFreePorts(1);
    const folder = join(OUT, name);
    rmSync(folder, { recursive: true, force: true });
    const started = await ManagedProcess.start({
      name: 'standalone',
      args: ['tools/start.mjs'],
      env: {
        ROUNDHOUSE_HTTP_PORT: String(port),
        ROUNDHOUSE_WORKER_MODULES: 'reference,diagnostics,conformance',
        ...(configFile !== undefined && { ROUNDHOUSE_CONFIG_FILE: configFile }),
        ...(logLevel !== undefined && { ROUNDHOUSE_LOG_LEVEL: logLevel }),
        ...env,
      },
      cwd: ROOT,
      logFile: join(folder, 'standalone.log'),
      isReady: () => isListening(port),
    });
    return new Standalone(port, started);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`;
  }

  complaints(): string[] {
    return this.process.complaints();
  }

  async stop(): Promise<void> {
    await this.process.stop();
  }
}

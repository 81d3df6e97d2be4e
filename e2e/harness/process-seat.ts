/** A place in the system under test: its port, settings and log stay, the process in it may be replaced. */
import { ManagedProcess, type ProcessOptions } from './process.js';

export class ProcessSeat {
  private running: ManagedProcess | undefined;

  constructor(
    readonly port: number,
    private readonly options: ProcessOptions,
  ) {}

  get name(): string {
    return this.options.name;
  }

  /** Where its probes and metrics are. */
  get adminPort(): number {
    if (this.options.adminPort === undefined) throw new Error(`${this.name} has no admin port`);
    return this.options.adminPort;
  }

  get process(): ManagedProcess {
    if (this.running === undefined) throw new Error(`${this.name} was never started`);
    return this.running;
  }

  complaints(): string[] {
    return this.running?.complaints() ?? [];
  }

  async start(): Promise<void> {
    this.running = await ManagedProcess.start(this.options);
  }

  async stop(): Promise<void> {
    await this.running?.stop();
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }
}

/**
 * Counts the calls that run in this process and lets it go down politely: after `begin` the routers are told, new calls
 * are turned away, and `idle` tells when the last one ended. The transport may be closed only then.
 */
import { Injectable } from '@nestjs/common';

@Injectable()
export class WorkerDrain {
  private running = 0;
  private begun = false;
  private readonly onBegin: (() => void)[] = [];
  private readonly onIdle: (() => void)[] = [];

  get isDraining(): boolean {
    return this.begun;
  }

  get runningCalls(): number {
    return this.running;
  }

  begin(): void {
    if (this.begun) return;
    this.begun = true;
    for (const listener of this.onBegin) listener();
  }

  /** Resolves when no call runs and the last reply had its turn of the event loop to be written. */
  async idle(): Promise<void> {
    if (this.running > 0) await new Promise<void>((resolve) => this.onIdle.push(resolve));
    // The transport writes what a turn produced at the end of that turn; closing it earlier would lose the last reply.
    await turnOfEventLoop();
    await turnOfEventLoop();
  }

  /** Called at once when draining already began. */
  whenBegun(listener: () => void): void {
    if (this.begun) listener();
    else this.onBegin.push(listener);
  }

  callBegan(): void {
    this.running += 1;
  }

  callEnded(): void {
    this.running -= 1;
    if (this.running > 0) return;
    for (const resolve of this.onIdle.splice(0)) resolve();
  }
}

function turnOfEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

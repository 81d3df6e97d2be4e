/** Clients that always listen: where a stream ends, they open another, and what they saw of the end is kept. */
import { ListenStream } from './listen-stream.js';

/** No stream of a scenario lasts as long. */
const END_WITHIN_MS = 85_000;

export class Listeners {
  readonly ended: ListenStream[] = [];
  /** Why a stream could not be opened, or did not end by itself. */
  readonly failures: string[] = [];
  private readonly open = new Set<ListenStream>();
  private stopped = false;
  private listening: readonly Promise<void>[] = [];

  constructor(private readonly port: number) {}

  /** Resolves when each has its first stream. */
  async start(count: number): Promise<void> {
    const streams = await Promise.all(Array.from({ length: count }, (_, at) => this.openOne(at)));
    this.listening = streams.map((stream, at) => this.listen(stream, at));
  }

  /** They go away; the streams that are open then have no end to speak of. */
  async stop(): Promise<void> {
    this.stopped = true;
    for (const stream of this.open) stream.close();
    await Promise.all(this.listening);
  }

  private async listen(first: ListenStream, at: number): Promise<void> {
    try {
      for (let stream = first; !this.stopped; stream = await this.openOne(at)) await this.hear(stream);
    } catch (error) {
      this.failures.push(String(error));
    }
  }

  private async hear(stream: ListenStream): Promise<void> {
    await stream.stream.rest(END_WITHIN_MS);
    this.open.delete(stream);
    if (!this.stopped) this.ended.push(stream);
  }

  private async openOne(at: number): Promise<ListenStream> {
    const headers = [['X-Roundhouse-Principal', `listener-${at}`]] as const;
    const stream = await ListenStream.open(this.port, { notifications: { toolsListChanged: true }, headers });
    this.open.add(stream);
    if (this.stopped) stream.close();
    return stream;
  }
}

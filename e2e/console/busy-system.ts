/**
 * A running system with something to see on its console: real workers, calls that succeed and fail, flows that wait for
 * an answer, streams, one worker that is gone and a group that claims names of another.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster } from '../harness/cluster.js';
import { findFreePorts } from '../harness/free-ports.js';
import { ask, retry } from '../harness/flow.js';
import { ListenStream } from '../harness/listen-stream.js';
import { sendMcp, toHttp, type McpCall } from '../harness/mcp-request.js';
import { beginRaw, sendRaw } from '../harness/raw-client.js';
import { Note } from '../harness/reference-tools.js';
import type { ProcessSeat } from '../harness/process-seat.js';

/** A call needs a millisecond to its worker. */
const CALL_ARRIVES_MS = 200;

const tool = (name: string, args: object): McpCall => ({ method: 'tools/call', params: { name, arguments: args } });

export class BusySystem {
  private seconds = 0;
  private readonly open: { close(): unknown }[] = [];

  private constructor(
    readonly cluster: Cluster,
    readonly router: ProcessSeat,
  ) {}

  static async start(name: string): Promise<BusySystem> {
    const cluster = await Cluster.start({ name, routers: 1, workers: 3 });
    const [gone = 0] = await findFreePorts(1);
    const [first, second, third] = cluster.workers.map(({ port }) => `127.0.0.1:${port}`);
    const router = await cluster.startStrayRouter('router-shown', {
      workers: [
        { id: 'reference', addresses: [first, second, `127.0.0.1:${gone}`] },
        { id: 'acceptance', prefix: 'acceptance_', addresses: [third] },
      ],
    });
    return new BusySystem(cluster, router);
  }

  get adminPort(): number {
    return this.router.adminPort ?? 0;
  }

  private get port(): number {
    return this.router.port;
  }

  /** What stays as it is while somebody looks. */
  async settle(): Promise<void> {
    this.open.push(await ListenStream.open(this.port, { notifications: { toolsListChanged: true } }));
    this.open.push(await ListenStream.open(this.port, { notifications: { promptsListChanged: true } }));
    for (let at = 0; at < 5; at += 1) await ask(this.port, new Note(this.cluster, `Open question ${at}`).call);
  }

  /** A worker dies while it runs a call, and comes back. */
  async loseWorker(): Promise<void> {
    const worker = this.cluster.workers.at(-1);
    const lost = sendMcp(this.port, tool('acceptance_wait', { ms: 60_000 }));
    await sleep(CALL_ARRIVES_MS);
    await worker?.process.kill();
    await lost;
    await worker?.start();
  }

  /** Calls that are still under way when the pictures are taken. */
  async holdCalls(): Promise<void> {
    for (let at = 0; at < 3; at += 1) this.begin(tool('wait', { ms: 50_000 }));
    await sleep(CALL_ARRIVES_MS);
  }

  /** A second of traffic: calls in waves, and every few seconds something that is refused. */
  async second(): Promise<void> {
    const s = (this.seconds += 1);
    const calls = Math.round(14 + 9 * Math.sin(s / 5) + (s % 7));
    const sent = Array.from({ length: calls }, (_, at) => sendMcp(this.port, tool('echo', { message: `${s} ${at}` })));
    await Promise.all([...sent, s % 4 === 0 ? this.refuse(s / 4) : undefined]);
  }

  stop(): Promise<void> {
    for (const each of this.open) each.close();
    return this.cluster.stop();
  }

  /** A call that nobody waits for. */
  private begin(call: McpCall): void {
    const { outgoing } = beginRaw({ port: this.port, ...toHttp(call) });
    this.open.push({ close: () => outgoing.destroy() });
  }

  private async refuse(turn: number): Promise<unknown> {
    const echo = toHttp(tool('echo', { message: 'refused' }));
    const note = new Note(this.cluster, `Refused question ${turn}`);
    switch (turn % 6) {
      case 0:
        return sendRaw({ port: this.port, headers: echo.headers, body: '{"jsonrpc":' });
      case 1: {
        const { state } = await ask(this.port, note.call);
        const other = { ...note.call, principal: 'bob' };
        return sendMcp(this.port, retry(other, state, note.confirmation));
      }
      case 2:
        return sendMcp(this.port, { ...tool('notes_delete', {}), capabilities: {} });
      case 3:
        return sendMcp(this.port, { method: 'prompts/get', params: { name: 'nobody_has_this' } });
      case 4: {
        const { state } = await ask(this.port, note.call);
        return sendMcp(this.port, retry(note.call, `${state.slice(0, -4)}AAAA`, note.confirmation));
      }
      default:
        return sendRaw({ port: this.port, headers: [...echo.headers, ['Origin', 'https://evil.example']], body: '{}' });
    }
  }
}

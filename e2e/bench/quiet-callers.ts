/** Callers that stay below their rate: each a principal of its own on a connection of its own, at fixed times. */
import { setTimeout as sleep } from 'node:timers/promises';
import { toHttp } from '../harness/mcp-request.js';
import { KeepAliveConnection, bodyText, headText } from './keep-alive-connection.js';

/** So many that a second has some hundred calls: the 99th percentile of few calls is chance. */
const CALLERS = 4;
const SERVED = 'HTTP/1.1 200 ';

interface Caller {
  readonly connection: KeepAliveConnection;
  /** A whole request. */
  readonly bytes: string;
}

export class QuietCallers {
  private constructor(
    private readonly callers: readonly Caller[],
    private readonly perSecond: number,
  ) {}

  /** @param perSecond of each of them */
  static async connect(port: number, perSecond: number): Promise<QuietCallers> {
    const callers = Array.from({ length: CALLERS }, async (_, at): Promise<Caller> => {
      const params = { name: 'echo', arguments: { message: 'modest' } };
      const { headers, body } = toHttp({ method: 'tools/call', params, principal: `modest-${at + 1}` });
      return { connection: await KeepAliveConnection.open(port), bytes: headText(port, headers) + bodyText(body) };
    });
    return new QuietCallers(await Promise.all(callers), perSecond);
  }

  /** From request to whole reply, of all their calls together. Rejects when one is refused. */
  async p99Ms(seconds: number): Promise<number> {
    const took = await Promise.all(this.callers.map((caller, at) => this.callFor(caller, { seconds, at })));
    const sorted = took.flat().sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length * 0.99)] ?? NaN;
  }

  end(): void {
    for (const { connection } of this.callers) connection.end();
  }

  /** One after the other; a call whose time has passed while the one before was slow goes at once. */
  private async callFor(caller: Caller, { seconds, at }: { seconds: number; at: number }): Promise<number[]> {
    const everyMs = 1_000 / this.perSecond;
    const beganMs = performance.now() + (at * everyMs) / CALLERS;
    const took: number[] = [];
    for (let call = 0; call < seconds * this.perSecond; call += 1) {
      await sleep(Math.max(0, beganMs + call * everyMs - performance.now()));
      took.push(await callOnce(caller));
    }
    return took;
  }
}

async function callOnce({ connection, bytes }: Caller): Promise<number> {
  const sentMs = performance.now();
  const reply = await new Promise<string>((resolve) => connection.send(bytes, resolve));
  if (!reply.startsWith(SERVED)) throw new Error(`a caller below its rate was answered ${reply.slice(0, 40)}`);
  return performance.now() - sentMs;
}

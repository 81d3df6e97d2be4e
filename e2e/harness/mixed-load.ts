/**
 * 200 requests a second, as clients mix them: half are plain calls, a quarter calls that stream, a quarter the two rounds of
 * flows that run once. They come at their own pace, whatever becomes of those before, and count once they are sent.
 */
import assert from 'node:assert/strict';
import type { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { askedBy, completed, retry } from './flow.js';
import { toHttp, toReply, type Json, type McpCall, type McpReply } from './mcp-request.js';
import { Pace } from './pace.js';
import { sendRaw } from './raw-client.js';
import { accept } from './reference-tools.js';

export const REQUESTS_PER_SECOND = 200;
/** What is begun in turn. A flow is two requests, so these are eight. */
const MIX = ['plain', 'streamed', 'plain', 'flow', 'plain', 'streamed', 'plain'] as const;
const REQUESTS_OF_MIX = 8;
/** In flight for a while, so that every process goes down with some. */
const STREAMED_MS = 200;
/** How long people think, in turn: some across a restart. */
const THINK_MS = [0, 50, 200, 500, 2_000] as const;
/** From then on as many second rounds are sent as first ones. */
const STEADY_AFTER_MS = Math.max(...THINK_MS) + 500;
const PRINCIPALS = 8;
const UNAVAILABLE = 503;
const RETRIES_MAX = 20;

const echo: Json = { name: 'echo', arguments: { message: 'under load' } };
const wait: Json = { name: 'wait', arguments: { ms: STREAMED_MS } };

type Kind = (typeof MIX)[number];

/** A time under load, and what was sent meanwhile. */
export interface Offered {
  readonly seconds: number;
  readonly perSecond: number;
  readonly sent: Readonly<Record<Kind, number>>;
}

export interface Way {
  readonly name: string;
  readonly agent: Agent;
}

export class MixedLoad {
  /** Requests that were answered as they should be. */
  answered = 0;
  /** With which words somebody was told to come back later. */
  readonly putOff: string[] = [];
  /** Labels of the flows that were begun. */
  readonly flows: string[] = [];
  /** Whatever else happened to a request: a connection that broke, an answer that is none. */
  readonly failures: string[] = [];
  /** Requests by kind. Who was told to come back later and does is not counted again. */
  private readonly sent = { plain: 0, streamed: 0, flow: 0 };
  private readonly open = new Set<Promise<void>>();
  private readonly pace = new Pace((REQUESTS_PER_SECOND * MIX.length) / REQUESTS_OF_MIX, (turn) => this.begin(turn));
  private requests = 0;

  /** @param ways whose connections requests use in turn */
  constructor(
    private readonly name: string,
    private readonly port: number,
    private readonly ways: readonly Way[],
  ) {}

  /** Resolves when all kinds are sent at their rate. */
  async start(): Promise<void> {
    this.pace.start();
    await sleep(STEADY_AFTER_MS);
  }

  /** Resolves when the last flow has ended. */
  async stop(): Promise<void> {
    this.pace.stop();
    await Promise.all(this.open);
  }

  /** Tells at its end what was sent since. */
  measure(): () => Offered {
    const [before, beganMs] = [{ ...this.sent }, performance.now()];
    return () => {
      const seconds = (performance.now() - beganMs) / 1_000;
      const { plain, streamed, flow } = this.sent;
      const sent = { plain: plain - before.plain, streamed: streamed - before.streamed, flow: flow - before.flow };
      return { seconds, perSecond: (sent.plain + sent.streamed + sent.flow) / seconds, sent };
    };
  }

  private begin(turn: number): void {
    const kind = MIX[turn % MIX.length] as Kind;
    const one: Promise<void> = this[kind]()
      .catch((error: unknown) => void this.failures.push(`${kind}: ${String(error)}`))
      .finally(() => this.open.delete(one));
    this.open.add(one);
  }

  private async plain(): Promise<void> {
    assert.equal(completed(await this.send('plain', toCall(echo))), 'under load');
  }

  private async streamed(): Promise<void> {
    const reply = await this.send('streamed', toCall(wait, { meta: { progressToken: 1 } }));
    assert.equal(completed(reply), `Waited ${STREAMED_MS} ms.`);
    assert.ok(reply.notifications.length > 0, 'progress before the answer');
  }

  private async flow(): Promise<void> {
    const label = `${this.name}-${this.flows.length}`;
    const thinkMs = THINK_MS[this.flows.length % THINK_MS.length];
    const principal = `client-${this.flows.length % PRINCIPALS}`;
    this.flows.push(label);
    const call = toCall({ name: 'confirm_run', arguments: { label, ms: 0 } }, { principal });
    const { state } = askedBy(await this.sendPatiently(call));
    await sleep(thinkMs);
    const reply = await this.sendPatiently(retry(call, state, { way: accept({ way: 'left' }) }));
    assert.match(completed(reply), /^Went left/);
  }

  /** Whoever is told to come back later does so, as Retry-After says. */
  private async sendPatiently(call: McpCall): Promise<McpReply> {
    for (let tries = 1; ; tries += 1) {
      const reply = await this.send(tries === 1 ? 'flow' : undefined, call);
      const afterS = Number(reply.headers['retry-after']);
      if (reply.status !== UNAVAILABLE || !(afterS > 0) || tries === RETRIES_MAX) return reply;
      this.putOff.push(reply.response.error?.message ?? '');
      await sleep(afterS * 1_000);
    }
  }

  private async send(countedAs: Kind | undefined, call: McpCall): Promise<McpReply> {
    this.requests += 1;
    const { name, agent } = this.ways[this.requests % this.ways.length] as Way;
    const onSent = (): void => void (countedAs !== undefined && (this.sent[countedAs] += 1));
    try {
      const reply = toReply(await sendRaw({ port: this.port, agent, onSent, ...toHttp(call) }));
      this.answered += 1;
      return reply;
    } catch (cause) {
      throw new Error(`${name}: ${String(cause)}`, { cause });
    }
  }
}

function toCall(params: Json, more: Partial<McpCall> = {}): McpCall {
  return { method: 'tools/call', params, ...more };
}

/**
 * About 200 requests a second, as clients mix them: plain calls, calls that stream, and flows of two rounds that run once.
 * They come at their own pace, whatever becomes of those before.
 */
import assert from 'node:assert/strict';
import type { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { askedBy, completed, retry } from './flow.js';
import { toHttp, toReply, type Json, type McpCall, type McpReply } from './mcp-request.js';
import { sendRaw } from './raw-client.js';
import { accept } from './reference-tools.js';

const TURN_EVERY_MS = 20;
/** In flight for a while, so that every process goes down with some. */
const STREAMED_MS = 200;
/** How long people think, in turn: some across a restart. */
const THINK_MS = [0, 50, 200, 500, 2_000] as const;
const PRINCIPALS = 8;
const UNAVAILABLE = 503;
const RETRIES_MAX = 20;

const echo: Json = { name: 'echo', arguments: { message: 'under load' } };
const wait: Json = { name: 'wait', arguments: { ms: STREAMED_MS } };

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
  private readonly open = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | undefined;
  private turns = 0;
  private sent = 0;

  /** @param ways whose connections requests use in turn */
  constructor(
    private readonly name: string,
    private readonly port: number,
    private readonly ways: readonly Way[],
  ) {}

  start(): void {
    this.timer = setInterval(() => this.turn(), TURN_EVERY_MS);
  }

  /** Resolves when the last flow has ended. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.open);
  }

  private turn(): void {
    this.turns += 1;
    for (const _ of [1, 2]) this.run('a plain call', () => this.plain());
    this.run('a call that streams', () => this.streamed());
    if (this.turns % 2 === 0) this.run('a flow', () => this.flow());
  }

  private run(what: string, work: () => Promise<void>): void {
    const one: Promise<void> = work()
      .catch((error: unknown) => void this.failures.push(`${what}: ${String(error)}`))
      .finally(() => this.open.delete(one));
    this.open.add(one);
  }

  private async plain(): Promise<void> {
    assert.equal(completed(await this.send(toCall(echo))), 'under load');
  }

  private async streamed(): Promise<void> {
    const reply = await this.send(toCall(wait, { meta: { progressToken: 1 } }));
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
      const reply = await this.send(call);
      const afterS = Number(reply.headers['retry-after']);
      if (reply.status !== UNAVAILABLE || !(afterS > 0) || tries === RETRIES_MAX) return reply;
      this.putOff.push(reply.response.error?.message ?? '');
      await sleep(afterS * 1_000);
    }
  }

  private async send(call: McpCall): Promise<McpReply> {
    this.sent += 1;
    const { name, agent } = this.ways[this.sent % this.ways.length] as Way;
    try {
      const reply = toReply(await sendRaw({ port: this.port, agent, ...toHttp(call) }));
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

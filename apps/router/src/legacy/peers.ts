/**
 * The other routers, as this one reaches them: one by its address for what only it can take, all of them for what any might
 * know of. Nobody is waited for longer than a few seconds; whoever is gone has forgotten anyway.
 */
import { Logger } from '@nestjs/common';
import { PATTERN, resumedEventSchema, toldSchema, type ResumedEvent } from '@roundhouse/contracts';
import { RoundhouseError } from '@roundhouse/errors';
import { formatAddress, parseAddress, type Address, type RpcClient } from '@roundhouse/service-kit';
import type { Discovery } from '../discovery/discovery.js';
import type { Dial } from '../dispatch/dial.js';
import type { RouterMessages, RouterTold } from './router-messages.js';

/** With the time to connect, below the five seconds within which a lost router must be told (K-32). */
const TELL_TIMEOUT_MS = 2_000;
/** Connections that are kept; addresses come from sealed references and from discovery. */
const CLIENTS_MAX = 256;

export interface PeersOptions {
  readonly discovery: Discovery;
  readonly dial: Dial;
  readonly messages: RouterMessages;
  /** The address by which others reach this router; undefined until it listens, or when it does not. */
  readonly own: () => string | undefined;
}

export class Peers {
  private readonly log = new Logger('peers');
  private readonly clients = new Map<string, RpcClient>();
  private all: readonly string[] = [];

  constructor(private readonly options: PeersOptions) {}

  start(): void {
    this.options.discovery.start((addresses) => {
      this.all = addresses.map(formatAddress);
    });
  }

  stop(): void {
    this.options.discovery.stop();
    for (const client of this.clients.values()) client.close();
    this.clients.clear();
  }

  /** Whether it was taken. @throws RoundhouseError `answer_undelivered` when nobody answers there */
  async tell(address: string, message: RouterTold): Promise<boolean> {
    const client = this.clientOf(address);
    if (client === undefined) throw undelivered(undefined);
    try {
      const answer = await client.ask(PATTERN.tell, { sealed: this.options.messages.seal(message) }, TELL_TIMEOUT_MS);
      return toldSchema.parse(answer).taken;
    } catch (cause) {
      this.forget(address);
      throw undelivered(cause);
    }
  }

  /** Resolves when each has heard it or did not answer. */
  async tellAll(message: RouterTold): Promise<void> {
    const own = this.options.own();
    const others = this.all.filter((address) => address !== own);
    const told = await Promise.allSettled(others.map((address) => this.tell(address, message)));
    const missed = told.filter(({ status }) => status === 'rejected').length;
    if (missed > 0) this.log.debug(`${missed} of ${others.length} routers did not hear of a change`);
  }

  /** Events of a stream that another router keeps, until the last. Rejects when that router is gone or does not know it. */
  async resume(address: string, message: RouterTold, onEvent: (event: ResumedEvent) => void): Promise<void> {
    const client = this.clientOf(address);
    if (client === undefined) throw undelivered(undefined);
    try {
      await client.ready();
    } catch (cause) {
      this.forget(address);
      throw undelivered(cause);
    }
    await new Promise<void>((resolve, reject) => {
      client.open(PATTERN.resume, { sealed: this.options.messages.seal(message) }, ({ err, response, isDisposed }) => {
        if (response !== undefined) onEvent(resumedEventSchema.parse(response));
        if (err)
          reject(err instanceof Error ? undelivered(err) : new RoundhouseError('stream_refused', { cause: err }));
        else if (isDisposed) resolve();
      });
    });
  }

  private clientOf(text: string): RpcClient | undefined {
    const known = this.clients.get(text);
    if (known !== undefined) return known;
    const address: Address | undefined = parseAddress(text);
    if (address === undefined) return undefined;
    if (this.clients.size >= CLIENTS_MAX) this.forget(this.clients.keys().next().value ?? '');
    const client = this.options.dial(address);
    this.clients.set(text, client);
    return client;
  }

  private forget(address: string): void {
    this.clients.get(address)?.close();
    this.clients.delete(address);
  }
}

function undelivered(cause: unknown): RoundhouseError {
  return new RoundhouseError('answer_undelivered', { reason: 'peer_unreachable', cause });
}

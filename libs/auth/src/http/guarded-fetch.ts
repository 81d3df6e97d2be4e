/**
 * Requests to authorization servers, and to nothing else: https, no redirects, no proxy, a time and a size limit, and only
 * to addresses that were looked at first. What was looked up is what is connected to, so a name cannot answer twice.
 */
import { lookup as lookUpName, type LookupAddress } from 'node:dns';
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { RoundhouseError, type Reason } from '@roundhouse/errors';
import { kindOfAddress } from './private-address.js';

/** All of a request: name, connection, TLS, answer. */
export const FETCH_TIMEOUT_MS = 5_000;
/** Tokens wait for these requests; how soon to come again when one failed. */
const RETRY_AFTER_S = 5;

export interface OutboundPolicy {
  /** Development: plain http, and addresses on loopback. */
  readonly allowLoopback: boolean;
  /** Host names that may lead to private addresses: an authorization server on the same network. */
  readonly privateHosts: readonly string[];
}

export interface OutboundRequest {
  readonly url: URL;
  readonly bytesMax: number;
  /** A form to post; absent: GET. */
  readonly form?: URLSearchParams;
  readonly authorization?: string;
}

export interface OutboundAnswer {
  readonly status: number;
  readonly text: string;
}

/** Looks a name up, all its addresses. A parameter, so that tests need no name server. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

export interface GuardedFetchOptions extends OutboundPolicy {
  readonly timeoutMs?: number;
  readonly resolve?: Resolve;
}

export class GuardedFetch {
  private readonly resolve: Resolve;
  private readonly timeoutMs: number;
  private readonly privateHosts: ReadonlySet<string>;

  constructor(private readonly options: GuardedFetchOptions) {
    this.resolve = options.resolve ?? resolveName;
    this.timeoutMs = options.timeoutMs ?? FETCH_TIMEOUT_MS;
    this.privateHosts = new Set(options.privateHosts.map((host) => host.toLowerCase()));
  }

  /**
   * @throws RoundhouseError `authorization_unavailable`: `issuer_address_refused`, `issuer_timed_out`,
   * `issuer_unreachable`, or `issuer_answer_refused` for an answer that is too large or not UTF-8
   */
  async send(request: OutboundRequest): Promise<OutboundAnswer> {
    this.assertUrl(request.url);
    let timer: NodeJS.Timeout | undefined;
    let outgoing: ClientRequest | undefined;
    const limit = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(unavailable('issuer_timed_out', request.url)), this.timeoutMs);
    });
    const answer = new Promise<OutboundAnswer>((resolve, reject) => {
      outgoing = this.open(request, (response) => {
        void collect(response, request).then(resolve, (cause: unknown) => reject(asUnavailable(cause, request.url)));
      });
      outgoing.on('error', (cause) => reject(asUnavailable(cause, request.url)));
      outgoing.end(request.form?.toString());
    });
    try {
      return await Promise.race([answer, limit]);
    } finally {
      clearTimeout(timer);
      // Also the loser of the race: an answer that still trickles in is cut off.
      outgoing?.destroy();
      answer.catch(() => undefined);
    }
  }

  private open({ url, form, authorization }: OutboundRequest, onAnswer: (response: IncomingMessage) => void) {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const headers = {
      accept: 'application/json',
      ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...(authorization && { authorization }),
    };
    const method = form === undefined ? 'GET' : 'POST';
    // No agent: a connection of its own, made to the addresses that `lookup` found good.
    return send(url, { method, headers, agent: false, lookup: this.lookup(url) }, onAnswer);
  }

  private assertUrl(url: URL): void {
    const isPlain = url.protocol === 'http:' && this.options.allowLoopback;
    if ((url.protocol !== 'https:' && !isPlain) || url.username !== '' || url.password !== '')
      throw unavailable('issuer_address_refused', url);
    // Node looks no literal address up, so `lookup` would never see it.
    const host = hostOf(url);
    if (isIP(host) !== 0) this.assertAddress(host, url);
    else if (isPlain && host !== 'localhost') throw unavailable('issuer_address_refused', url);
  }

  private assertAddress(address: string, url: URL): void {
    const kind = kindOfAddress(address);
    if (url.protocol === 'http:' && kind !== 'loopback') throw unavailable('issuer_address_refused', url);
    if (kind === 'public') return;
    if (kind === 'loopback' && this.options.allowLoopback) return;
    if (kind === 'private' && this.privateHosts.has(hostOf(url))) return;
    throw unavailable('issuer_address_refused', url);
  }

  /** One bad address refuses the name: whoever answers with a mixture is not to be trusted with a choice. */
  private lookup(url: URL): LookupFunction {
    return (host, options, done) => {
      this.permitted(host, url).then(
        (addresses) => {
          const [first] = addresses;
          if (options.all === true) done(null, [...addresses]);
          else done(null, first.address, first.family);
        },
        (error: NodeJS.ErrnoException) => done(error, ''),
      );
    };
  }

  private async permitted(host: string, url: URL): Promise<readonly [LookupAddress, ...LookupAddress[]]> {
    const [first, ...others] = await this.resolve(host);
    if (first === undefined) throw unavailable('issuer_unreachable', url);
    for (const { address } of [first, ...others]) this.assertAddress(address, url);
    return [first, ...others];
  }
}

async function collect(response: IncomingMessage, { url, bytesMax }: OutboundRequest): Promise<OutboundAnswer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw unavailable('issuer_answer_refused', url, new Error('the answer is too large'));
    chunks.push(chunk);
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
    return { status: response.statusCode ?? 0, text };
  } catch {
    throw unavailable('issuer_answer_refused', url, new Error('the answer is not UTF-8'));
  }
}

function resolveName(host: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookUpName(host, { all: true, verbatim: true }, (error, addresses) =>
      error === null ? resolve(addresses) : reject(error),
    );
  });
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
}

function asUnavailable(cause: unknown, url: URL): RoundhouseError {
  return cause instanceof RoundhouseError ? cause : unavailable('issuer_unreachable', url, cause);
}

/** Only the host is told: a query may carry what is nobody's business. */
export function unavailable(reason: Reason, url: URL, cause?: unknown): RoundhouseError {
  const facts = { host: url.host };
  return new RoundhouseError('authorization_unavailable', { reason, facts, cause, retryAfterS: RETRY_AFTER_S });
}

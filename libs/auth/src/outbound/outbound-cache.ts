/** Tokens for upstreams, each fetched once however many calls wait for it, and forgotten a minute before it ends. */

/** A token must not end on the way. */
export const RENEW_BEFORE_MS = 60_000;
export const OUTBOUND_TOKENS_MAX = 10_000;

export interface OutboundToken {
  readonly token: string;
  readonly expiresAtMs: number;
}

export class OutboundCache {
  private readonly tokens = new Map<string, OutboundToken>();
  private readonly underWay = new Map<string, Promise<OutboundToken>>();

  constructor(private readonly now: () => number) {}

  get size(): number {
    return this.tokens.size;
  }

  /** `untilMs` is when what it was exchanged for ends: nothing is kept longer than that. Failures are not kept. */
  async get(key: string, untilMs: number, fetch: () => Promise<OutboundToken>): Promise<string> {
    const known = this.tokens.get(key);
    if (known !== undefined && this.now() < known.expiresAtMs - RENEW_BEFORE_MS) return known.token;
    this.tokens.delete(key);
    const asked = this.underWay.get(key) ?? this.begin(key, untilMs, fetch);
    return (await asked).token;
  }

  private begin(key: string, untilMs: number, fetch: () => Promise<OutboundToken>): Promise<OutboundToken> {
    const asked = fetch()
      .then((fetched) => {
        this.keep(key, { ...fetched, expiresAtMs: Math.min(fetched.expiresAtMs, untilMs) });
        return fetched;
      })
      .finally(() => this.underWay.delete(key));
    this.underWay.set(key, asked);
    return asked;
  }

  /** The oldest makes room: a map keeps the order of insertion. */
  private keep(key: string, token: OutboundToken): void {
    if (this.tokens.size >= OUTBOUND_TOKENS_MAX) this.tokens.delete(this.tokens.keys().next().value as string);
    this.tokens.set(key, token);
  }
}

/**
 * Names of things that live in one router, as clients carry them: the id of a question, the id of an event. Sealed, so that
 * nobody learns where routers are or makes one up, and any router finds the one that is meant.
 */
import { z } from 'zod';
import type { StateSealer } from '@roundhouse/sealed-state';

const PURPOSE = 'legacy-reference';
/** Longest request id that is named with its stream; a longer one is not told when the router is lost. */
const REQUEST_ID_CHARS_MAX = 512;

const schema = z.object({
  k: z.enum(['ask', 'stream']),
  /** `host:port` of the router's rpc; absent where it has none. */
  o: z.string().max(300).optional(),
  /** Of this run of the router. */
  r: z.string().max(64),
  s: z.string().max(64),
  n: z.string().max(64),
  i: z.union([z.string(), z.number()]).optional(),
});

export interface Reference {
  readonly kind: 'ask' | 'stream';
  readonly owner: string | undefined;
  readonly run: string;
  readonly sid: string;
  readonly name: string;
  /** The request whose answer a stream carries. */
  readonly requestId?: string | number | undefined;
}

export class References {
  constructor(private readonly sealer: StateSealer) {}

  seal({ kind, owner, run, sid, name, requestId }: Reference): string {
    const isShort = typeof requestId !== 'string' || requestId.length <= REQUEST_ID_CHARS_MAX;
    const text = { k: kind, o: owner, r: run, s: sid, n: name, i: isShort ? requestId : undefined };
    return this.sealer.seal(PURPOSE, [], JSON.stringify(text));
  }

  /** Undefined for whatever is not ours or of another kind. */
  open(kind: Reference['kind'], sealed: unknown): Reference | undefined {
    const opened = this.sealer.open(PURPOSE, [], sealed);
    const parsed = opened.ok ? schema.safeParse(JSON.parse(opened.plaintext)) : undefined;
    if (parsed?.success !== true || parsed.data.k !== kind) return undefined;
    const { o: owner, r: run, s: sid, n: name, i: requestId } = parsed.data;
    return { kind, owner, run, sid, name, requestId };
  }
}

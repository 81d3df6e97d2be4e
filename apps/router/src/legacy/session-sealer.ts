/**
 * Session ids that need no store: what `initialize` settled is sealed into the id, bound to the principal, and any router
 * with the keyset reads it (K-12, K-19). A session grants nothing; whoever brings it is asked for a token all the same.
 */
import { z } from 'zod';
import type { Principal } from '@roundhouse/contracts';
import { RoundhouseError, type Reason } from '@roundhouse/errors';
import { LEGACY_REVISIONS, type LegacyRevision } from '@roundhouse/protocol';
import { isSameDigest, principalDigest, type StateSealer } from '@roundhouse/sealed-state';
import { randomId } from '../rounds/random-id.js';

const PURPOSE = 'legacy-session';
const CONTEXT = ['session'];

export interface SessionTerms {
  readonly revision: LegacyRevision;
  /** Reduced to what can be asked for. */
  readonly capabilities: Readonly<Record<string, unknown>>;
}

export interface Session extends SessionTerms {
  /** 128 random bits, known to routers alone. */
  readonly sid: string;
  readonly expiresAtMs: number;
  /** `principalDigest` of its owner, salted with `sid`. */
  readonly owner: string;
}

const claimsSchema = z.object({
  v: z.literal(1),
  s: z.string().regex(/^[\w-]{22}$/),
  e: z.int(),
  r: z.enum(LEGACY_REVISIONS),
  c: z.record(z.string(), z.unknown()),
  p: z.string(),
});

export interface SessionSealerOptions {
  readonly ttlMs: number;
  readonly skewMs: number;
  readonly now?: () => number;
}

export class SessionSealer {
  private readonly now: () => number;

  constructor(
    private readonly sealer: StateSealer,
    private readonly options: SessionSealerOptions,
  ) {
    this.now = options.now ?? Date.now;
  }

  begin(principal: Principal, { revision, capabilities }: SessionTerms): { session: Session; id: string } {
    const sid = randomId();
    const expiresAtMs = this.now() + this.options.ttlMs;
    const owner = principalDigest(principal, sid);
    const text = JSON.stringify({ v: 1, s: sid, e: expiresAtMs, r: revision, c: capabilities, p: owner });
    const session = { sid, expiresAtMs, owner, revision, capabilities };
    return { session, id: this.sealer.seal(PURPOSE, CONTEXT, text) };
  }

  /** Of an id that anybody may have made up. @throws RoundhouseError `session_refused`, always the same */
  open(id: string): Session {
    const opened = this.sealer.open(PURPOSE, CONTEXT, id);
    if (!opened.ok) throw refusedSession('session_unreadable');
    const claims = claimsSchema.safeParse(JSON.parse(opened.plaintext));
    if (!claims.success) throw refusedSession('session_unreadable');
    const { s: sid, e: expiresAtMs, r: revision, c: capabilities, p: owner } = claims.data;
    return { sid, expiresAtMs, owner, revision, capabilities };
  }

  /** In every request, because the id may have been stolen since. `principal` is undefined when it is known to be the owner. */
  assertUsable(session: Session, principal: Principal | undefined): void {
    if (this.now() > session.expiresAtMs + this.options.skewMs) throw refusedSession('session_expired');
    if (principal !== undefined && !isSameDigest(principalDigest(principal, session.sid), session.owner))
      throw refusedSession('session_other_principal');
  }
}

export function refusedSession(reason: Reason): RoundhouseError {
  return new RoundhouseError('session_refused', { reason });
}

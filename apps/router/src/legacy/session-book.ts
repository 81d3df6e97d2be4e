/**
 * What became of sessions after `initialize`: ended, a log level set, resources followed. Kept by the replay service as two
 * small records a session, told to the other routers when it changes, and remembered here for a while, so that a call
 * costs no question. A router that knows nothing of a session asks first.
 */
import { Logger } from '@nestjs/common';
import { LOG_LEVELS, type McpLogLevel, type Principal } from '@roundhouse/contracts';
import { RoundhouseError } from '@roundhouse/errors';
import type { StateSealer } from '@roundhouse/sealed-state';
import { z } from 'zod';
import type { ReplayClient } from '../rounds/replay-client.js';
import { refusedSession, type Session, type SessionSealer, type SessionTerms } from './session-sealer.js';

/** Sessions remembered at once; those used longest ago go first. About 1 KiB each. */
const SESSIONS_MAX = 20_000;
/** What is known for longer is asked for again, behind the call that needs it. */
const FRESH_MS = 5_000;
/** What is known for longer is not believed: a router may have missed what others told it. */
const STALE_MS = 30_000;
/** How exact the order of use is: a Map that is changed by every call costs more than the call. */
const USED_EVERY_MS = 1_000;
/** Resources that one session may follow. */
export const FOLLOWED_MAX = 256;

export interface SessionSettings {
  /** Absent until the client sets one: then nothing is logged to it. */
  readonly logLevel?: McpLogLevel | undefined;
  readonly followed: readonly string[];
}

export interface OpenSession extends Session {
  readonly settings: SessionSettings;
}

/** A change as routers tell each other. */
export type SessionChange =
  | { readonly kind: 'ended'; readonly sid: string }
  | { readonly kind: 'settings'; readonly sid: string; readonly settings: SessionSettings };

interface Entry {
  readonly session: Session;
  /** Whose the session was found to be last. */
  owner: Principal | undefined;
  settings: SessionSettings;
  isEnded: boolean;
  knownAtMs: number;
  asking: Promise<void> | undefined;
  /** As handed out with these settings: one object for all calls in between. */
  open: OpenSession | undefined;
  usedAtMs: number;
}

export const settingsSchema = z.object({
  logLevel: z.enum(LOG_LEVELS).optional(),
  followed: z.array(z.string()).max(FOLLOWED_MAX).readonly(),
});

const NOTHING_SET: SessionSettings = { followed: [] };
const PURPOSE = 'legacy-session';

export interface SessionBookOptions {
  readonly sessions: SessionSealer;
  readonly sealer: StateSealer;
  /** Absent where there is no replay service: what is set then lasts as long as this process. */
  readonly replay: Pick<ReplayClient, 'hold' | 'recall'> | undefined;
  readonly tell: (change: SessionChange) => Promise<void>;
  readonly onChange: (change: SessionChange) => void;
  readonly now?: () => number;
}

export class SessionBook {
  private readonly log = new Logger('sessions');
  private readonly byId = new Map<string, Entry>();
  private readonly bySid = new Map<string, Entry>();
  private readonly now: () => number;

  constructor(private readonly options: SessionBookOptions) {
    this.now = options.now ?? (() => performance.now());
  }

  get size(): number {
    return this.byId.size;
  }

  /** Whether a session can be ended before its time. */
  get canEnd(): boolean {
    return this.options.replay !== undefined;
  }

  begin(principal: Principal, terms: SessionTerms): string {
    const { session, id } = this.options.sessions.begin(principal, terms);
    this.remember(id, { ...freshEntry(session), knownAtMs: this.now() });
    return id;
  }

  /** Without a wait for a session that was seen a moment ago. @throws RoundhouseError `session_refused` */
  open(id: string, principal: Principal): OpenSession | Promise<OpenSession> {
    const entry = this.find(id);
    this.assertUsable(entry, principal);
    const ageMs = this.now() - entry.knownAtMs;
    if (ageMs < FRESH_MS) return opened(entry);
    const asked = this.refresh(entry);
    return ageMs < STALE_MS ? opened(entry) : asked.then(() => opened(entry));
  }

  /** @throws RoundhouseError `replay_unavailable`: what is not written down has not ended */
  async end({ sid, expiresAtMs }: Session): Promise<void> {
    await this.write(revocationHandle(this.options.sealer, sid), { text: 'ended', expiresAtMs });
    await this.change({ kind: 'ended', sid });
  }

  async set(session: OpenSession, change: (settings: SessionSettings) => SessionSettings): Promise<void> {
    const { sealer, replay } = this.options;
    const { sid, expiresAtMs } = session;
    const settings = change((await this.readSettings(sid)) ?? session.settings);
    if (replay !== undefined) {
      const text = sealer.seal('held-state', [PURPOSE, sid], JSON.stringify(settings));
      await this.write(settingsHandle(sealer, sid), { text, expiresAtMs });
    }
    await this.change({ kind: 'settings', sid, settings });
  }

  /** Of this router or another. */
  learn(change: SessionChange): boolean {
    const entry = this.bySid.get(change.sid);
    if (entry !== undefined && change.kind === 'ended') entry.isEnded = true;
    if (entry !== undefined && change.kind === 'settings') setTo(entry, change.settings);
    this.options.onChange(change);
    return entry !== undefined;
  }

  /** Tokens that were verified a moment ago bring the same principal again, and its digest need not be made anew. */
  private assertUsable(entry: Entry, principal: Principal): void {
    const isKnown = entry.owner === principal;
    this.options.sessions.assertUsable(entry.session, isKnown ? undefined : principal);
    entry.owner = principal;
  }

  private async change(change: SessionChange): Promise<void> {
    this.learn(change);
    await this.options.tell(change);
  }

  private find(id: string): Entry {
    const known = this.byId.get(id);
    if (known === undefined) return this.remember(id, freshEntry(this.options.sessions.open(id)));
    const nowMs = this.now();
    if (nowMs - known.usedAtMs > USED_EVERY_MS) {
      // Used last, so gone last.
      known.usedAtMs = nowMs;
      this.byId.delete(id);
      this.byId.set(id, known);
    }
    return known;
  }

  private remember(id: string, entry: Entry): Entry {
    this.byId.set(id, entry);
    this.bySid.set(entry.session.sid, entry);
    if (this.byId.size > SESSIONS_MAX) {
      const [[oldest, { session }] = ['', entry]] = this.byId;
      this.byId.delete(oldest);
      this.bySid.delete(session.sid);
    }
    return entry;
  }

  private refresh(entry: Entry): Promise<void> {
    entry.asking ??= this.ask(entry).finally(() => {
      entry.asking = undefined;
    });
    return entry.asking;
  }

  /** A replay service that is away ends no session: a session grants nothing that the token does not. */
  private async ask(entry: Entry): Promise<void> {
    const { sealer, replay } = this.options;
    if (replay === undefined) return void (entry.knownAtMs = this.now());
    const { sid } = entry.session;
    try {
      const [ended, settings] = await Promise.all([
        replay.recall(revocationHandle(sealer, sid)),
        this.readSettings(sid),
      ]);
      entry.isEnded ||= ended !== undefined;
      if (settings !== undefined) setTo(entry, settings);
      entry.knownAtMs = this.now();
    } catch (error) {
      this.log.debug(`what became of a session is not known now: ${RoundhouseError.from(error).reason}`);
    }
  }

  private async readSettings(sid: string): Promise<SessionSettings | undefined> {
    const { sealer, replay } = this.options;
    const held = await replay?.recall(settingsHandle(sealer, sid));
    if (held === undefined) return undefined;
    const text = sealer.open('held-state', [PURPOSE, sid], held);
    return text.ok ? settingsSchema.parse(JSON.parse(text.plaintext)) : undefined;
  }

  private async write(handle: string, { text, expiresAtMs }: { text: string; expiresAtMs: number }): Promise<void> {
    const leftMs = Math.max(1, expiresAtMs - Date.now());
    await this.options.replay?.hold({ handle, text, retainMs: leftMs + FRESH_MS });
  }
}

function freshEntry(session: Session): Entry {
  return {
    session,
    owner: undefined,
    settings: NOTHING_SET,
    isEnded: false,
    knownAtMs: -Infinity,
    asking: undefined,
    open: undefined,
    usedAtMs: -Infinity,
  };
}

function opened(entry: Entry): OpenSession {
  if (entry.isEnded) throw refusedSession('session_revoked');
  return (entry.open ??= { ...entry.session, settings: entry.settings });
}

function setTo(entry: Entry, settings: SessionSettings): void {
  entry.settings = settings;
  entry.open = undefined;
}

/** Found again by every router that opens the session, and by nobody else. */
function revocationHandle(sealer: StateSealer, sid: string): string {
  return sealer.tag('legacy-session-ended', sid).slice(0, 22);
}

function settingsHandle(sealer: StateSealer, sid: string): string {
  return sealer.tag('legacy-session-settings', sid).slice(0, 22);
}

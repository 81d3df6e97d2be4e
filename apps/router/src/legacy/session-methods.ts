/** Requests about the session itself: whether anybody is there, what is logged to it, which resources it follows (K-18). */
import { RoundhouseError } from '@roundhouse/errors';
import { MCP_LOG_LEVELS, URI_CHARS_MAX, type JsonObject, type LegacySessionMethod } from '@roundhouse/protocol';
import type { Access } from '../access/access.js';
import { FOLLOWED_MAX, type OpenSession, type SessionBook } from './session-book.js';

export interface SessionRequest {
  readonly method: LegacySessionMethod;
  readonly params: JsonObject;
  readonly access: Access;
}

const EMPTY = '{}';

export class SessionMethods {
  constructor(
    private readonly sessions: SessionBook,
    private readonly mayRead: (access: Access, uri: string) => boolean,
  ) {}

  /** JSON text of the result. @throws RoundhouseError */
  async serve(session: OpenSession, { method, params, access }: SessionRequest): Promise<string> {
    switch (method) {
      case 'ping':
        break;
      case 'logging/setLevel':
        await this.setLevel(session, params['level']);
        break;
      case 'resources/subscribe':
        await this.follow(session, this.assertReadable(access, params['uri']));
        break;
      case 'resources/unsubscribe':
        await this.unfollow(session, assertUri(params['uri']));
        break;
    }
    return EMPTY;
  }

  private async setLevel(session: OpenSession, level: unknown): Promise<void> {
    const logLevel = MCP_LOG_LEVELS.find((known) => known === level);
    if (logLevel === undefined) throw invalid('level is not a log level');
    await this.sessions.set(session, (settings) => ({ ...settings, logLevel }));
  }

  private async follow(session: OpenSession, uri: string): Promise<void> {
    await this.sessions.set(session, ({ followed, ...rest }) => {
      if (followed.includes(uri)) return { ...rest, followed };
      if (followed.length >= FOLLOWED_MAX) throw new RoundhouseError('subscription_limit', { reason: 'limit_reached' });
      return { ...rest, followed: [...followed, uri] };
    });
  }

  private async unfollow(session: OpenSession, uri: string): Promise<void> {
    await this.sessions.set(session, ({ followed, ...rest }) => ({
      ...rest,
      followed: followed.filter((each) => each !== uri),
    }));
  }

  private assertReadable(access: Access, value: unknown): string {
    const uri = assertUri(value);
    if (!this.mayRead(access, uri)) throw new RoundhouseError('resource_not_found', { data: { uri } });
    return uri;
  }
}

function assertUri(uri: unknown): string {
  if (typeof uri !== 'string' || uri === '' || uri.length > URI_CHARS_MAX) throw invalid('uri must be a URI');
  return uri;
}

function invalid(detail: string): RoundhouseError {
  return new RoundhouseError('invalid_params', { detail });
}

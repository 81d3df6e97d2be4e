/**
 * What a client sends on its way from 401 to a call, told as it happens. Of forms only the names are told, of answers
 * only what is listed here: no token, code or verifier can be among it.
 */
import type { Narrator } from './narrator.js';

/** Members of metadata documents and token answers. */
const TOLD_MEMBERS = [
  'resource',
  'authorization_servers',
  'scopes_supported',
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'code_challenge_methods_supported',
  'token_type',
  'expires_in',
  'scope',
  'error',
];

export class ToldRequests {
  /** One line each: what was asked, and the status of the answer. */
  readonly lines: string[] = [];

  constructor(private readonly narrator: Narrator) {}

  /** What the client sends through. */
  readonly fetch = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const response = await fetch(url, init);
    const headers = new Headers(init.headers);
    const call = headers.get('mcp-method');
    const token = headers.has('authorization') ? 'with a token' : 'without a token';
    const what = call === null ? '' : ` ${call}, ${token}`;
    const line = `${init.method ?? 'GET'} ${placeOf(new URL(url))}${what} → ${response.status}`;
    this.lines.push(line);
    const answer = call === null ? await membersOf(response) : [];
    this.narrator.exchange(line, [...formOf(init.body), ...challengesOf(response), ...answer]);
    return response;
  };
}

/** An address without its query, where codes travel. */
export function placeOf({ origin, pathname }: URL): string {
  return origin + pathname;
}

function formOf(body: RequestInit['body']): string[] {
  return body instanceof URLSearchParams ? [`form: ${[...body.keys()].join(', ')}`] : [];
}

/** One scheme a line. */
function challengesOf({ headers }: Response): string[] {
  const challenges = headers.get('www-authenticate')?.split(/, (?=DPoP )/) ?? [];
  return challenges.map((challenge) => `challenge: ${challenge}`);
}

async function membersOf(response: Response): Promise<string[]> {
  if (response.headers.get('content-type')?.includes('json') !== true) return [];
  const answer = (await response.clone().json()) as Readonly<Record<string, unknown>>;
  return TOLD_MEMBERS.filter((name) => name in answer).map((name) => `${name}: ${wordsOf(answer[name])}`);
}

function wordsOf(value: unknown): string {
  return Array.isArray(value) ? value.join(' ') : String(value);
}

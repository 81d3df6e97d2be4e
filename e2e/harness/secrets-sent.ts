/**
 * The secrets in a request and its reply, and the reply itself when it is an error. Whatever clients of the harness send
 * passes here, so that every argument, answer, token and state of every scenario is looked for.
 */
import type { HeaderList } from './raw-client.js';
import { secretWatch } from './secret-watch.js';

/** Header fields that are a secret as a whole. */
const SECRET_FIELDS: ReadonlySet<string> = new Set(['cookie', 'dpop', 'x-roundhouse-principal']);
/** Format, key id: what stands in front of every state that a key sealed. */
const STATE_OPENING_CHARS = 14;
const STATE = /"requestState"\s*:\s*"(v1\.[\w-]+)"/g;
const ERROR = /"error"\s*:\s*\{/;

export interface SentRequest {
  readonly path?: string | undefined;
  readonly headers: HeaderList;
  readonly body: string;
}

export function watchRequest({ path = '', headers, body }: SentRequest): void {
  for (const [name, value] of headers) watchField(name.toLowerCase(), value);
  const at = path.indexOf('?');
  if (at !== -1)
    for (const [name, value] of new URLSearchParams(path.slice(at))) watchToken(`${name} in an address`, value);
  const { params } = (parsed(body) ?? {}) as { readonly params?: Record<string, unknown> | null };
  watchValues(`argument of ${String(params?.['name'])}`, params?.['arguments']);
  watchValues(`answer to ${String(params?.['name'])}`, params?.['inputResponses']);
}

export function watchReply(status: number, text: string): void {
  for (const [, state = ''] of text.matchAll(STATE)) watchState(state);
  if (status >= 400 || ERROR.test(text)) secretWatch.hear('an error that a client was told', text);
}

export function watchState(state: string): void {
  secretWatch.keepIfTelling('a sealed state', state.slice(STATE_OPENING_CHARS));
}

/** Of a JWT each part by itself: a payload tells as much without its header. */
export function watchToken(name: string, token: string): void {
  for (const part of token.split('.')) secretWatch.keepIfTelling(name, part);
}

function watchField(name: string, value: string): void {
  if (name === 'authorization') watchToken('an access token', value.slice(value.indexOf(' ') + 1));
  else if (SECRET_FIELDS.has(name)) watchToken(`the header ${name}`, value);
}

/** Texts at any depth: deeper than calls can be nested, too. */
function watchValues(name: string, value: unknown): void {
  const open = [value];
  while (open.length > 0) {
    const each = open.pop();
    if (typeof each === 'string') secretWatch.keepIfTelling(name, each);
    else if (typeof each === 'object' && each !== null) for (const one of Object.values(each)) open.push(one);
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // Scenarios send what is no JSON, too; what is secret in it they name themselves.
    return undefined;
  }
}

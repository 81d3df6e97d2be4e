/**
 * Whether a worker's ask may go out to a client: the shapes of client/elicitation, client/sampling and client/roots,
 * and the rules that protect the person who answers. The worker is trusted with its own call and with nothing here.
 * Reasons are for the log of the router, never for a client.
 */
import { isJsonObject, type JsonObject } from '../json-object.js';
import {
  ASK_MESSAGE_CHARS_MAX,
  SAMPLING_CHARS_MAX,
  SAMPLING_MESSAGES_MAX,
  SAMPLING_TOKENS_MAX,
  URI_CHARS_MAX,
} from '../limits.js';
import type { AskShape } from './capabilities.js';
import { checkFormSchema } from './form-schema.js';

export interface AskRules {
  /** Lets url mode use http to a loopback host, for development. */
  readonly allowInsecureUrls: boolean;
}

/** The bare request has no more than these; `elicitationId` in particular is of older revisions. */
const FORM_PARAMS = new Set(['mode', 'message', 'requestedSchema', '_meta']);
const URL_PARAMS = new Set(['mode', 'message', 'url', '_meta']);

/** Hosts that no packet leaves this machine for. */
const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** @returns why the ask must not be sent, in words; undefined when it may. */
export function checkAsk(ask: AskShape, rules: AskRules): string | undefined {
  const { method, params } = ask;
  switch (method) {
    case 'elicitation/create':
      return isJsonObject(params) ? checkElicitation(params, rules) : 'elicitation without params';
    case 'sampling/createMessage':
      return isJsonObject(params) ? checkSampling(params) : 'sampling without params';
    case 'roots/list':
      return params === undefined || isJsonObject(params) ? undefined : 'roots/list with params that are no object';
    default:
      return 'not a method a client can be asked';
  }
}

function checkElicitation(params: JsonObject, rules: AskRules): string | undefined {
  const { mode, message } = params;
  if (typeof message !== 'string' || message.trim() === '') return 'elicitation without a message';
  if (message.length > ASK_MESSAGE_CHARS_MAX) return 'elicitation with a message that is too long';
  if (mode === 'url') return checkParamNames(params, URL_PARAMS) ?? checkUrl(params.url, rules);
  if (mode !== undefined && mode !== 'form') return 'elicitation with an unknown mode';
  return checkParamNames(params, FORM_PARAMS) ?? checkFormSchema(params.requestedSchema);
}

function checkParamNames(params: JsonObject, allowed: ReadonlySet<string>): string | undefined {
  const foreign = Object.keys(params).find((name) => !allowed.has(name));
  return foreign === undefined
    ? undefined
    : `elicitation with a param it does not have: ${JSON.stringify(foreign.slice(0, 64))}`;
}

/**
 * An address must read as what it is, since a person decides by it: no credentials, nothing that a URL parser would
 * repair (spaces, line ends, backslashes, letters that only look like ASCII).
 */
function checkUrl(url: unknown, rules: AskRules): string | undefined {
  if (typeof url !== 'string' || url.length > URI_CHARS_MAX) return 'url that is no string or too long';
  if (!/^https?:\/\/[\x21-\x5b\x5d-\x7e]+$/i.test(url) || !URL.canParse(url))
    return 'url that is not an absolute http address';
  const { protocol, hostname, username, password } = new URL(url);
  if (username !== '' || password !== '' || /^[^/?#]*@/.test(url.slice(url.indexOf('//') + 2)))
    return 'url with credentials';
  if (protocol === 'https:') return undefined;
  return rules.allowInsecureUrls && LOOPBACK_HOST.test(hostname) ? undefined : 'url without https';
}

function checkSampling(params: JsonObject): string | undefined {
  const { messages, maxTokens } = params;
  if (!Array.isArray(messages) || messages.length === 0) return 'sampling without messages';
  if (messages.length > SAMPLING_MESSAGES_MAX) return 'sampling with too many messages';
  if (!messages.every(isSamplingMessage)) return 'sampling with a message that has no role or content';
  if (!Number.isSafeInteger(maxTokens) || (maxTokens as number) < 1) return 'sampling without a positive maxTokens';
  if ((maxTokens as number) > SAMPLING_TOKENS_MAX) return 'sampling with too many maxTokens';
  return JSON.stringify(params).length > SAMPLING_CHARS_MAX ? 'sampling that is too large' : undefined;
}

function isSamplingMessage(message: unknown): boolean {
  if (!isJsonObject(message) || (message.role !== 'user' && message.role !== 'assistant')) return false;
  return typeof message.content === 'object' && message.content !== null;
}

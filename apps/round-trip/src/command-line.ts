/** What the check was told to do, as one typed value, or words that say what is wrong with it. */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

export const USAGE = `Usage: roundhouse-round-trip --url <address> (--router <host:port> ... | --routers-dns <name:port>) [options]

Asks each router by itself, as a client of the public address: whether it refuses a call without a token, and with one
whether it tells what it serves, answers a call, and finishes a flow that another router began.

  --url <address>         what clients call; each router gets its host and path
  --router <host:port>    a router; repeatable
  --routers-dns <name:port>  every address of this name is a router
  --routers-min <count>   fewer routers are a failure; 2
  --token-file <path>     access token; without one, only the refusal is checked
  --call <json>           {"name", "arguments"} of a tool that answers at once
  --flow <json>           {"name", "arguments"} of a tool that asks
  --answers <json>        the content of the answer to each ask, by its name
  --wait <seconds>        how long routers may take until they answer; 60

Exit codes: 0 all is as it should be, 1 something is not, 2 wrong usage.
`;

export interface ToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface Task {
  readonly url: URL;
  readonly routers: readonly string[];
  readonly routersDns: string | undefined;
  readonly routersMin: number;
  readonly token: string | undefined;
  readonly call: ToolCall;
  readonly flow: ToolCall;
  readonly answers: Readonly<Record<string, unknown>>;
  readonly waitMs: number;
}

export class WrongUsage extends Error {}

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  url: { type: 'string' },
  router: { type: 'string', multiple: true },
  'routers-dns': { type: 'string' },
  'routers-min': { type: 'string', default: '2' },
  'token-file': { type: 'string' },
  call: { type: 'string', default: '{"name":"echo","arguments":{"message":"round trip"}}' },
  flow: { type: 'string', default: '{"name":"confirm_echo","arguments":{"message":"round trip"}}' },
  answers: { type: 'string', default: '{"confirm":{"confirm":true}}' },
  wait: { type: 'string', default: '60' },
} as const;

const ADDRESS = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]{1,253}):\d{1,5}$/;
const WAIT_S_MAX = 600;
const ROUTERS_MAX = 256;

/** Undefined: help was asked for. @throws WrongUsage */
export function parseTask(args: readonly string[]): Task | undefined {
  const values = parsed(args);
  if (values.help === true) return undefined;
  const { router: routers = [], 'routers-dns': routersDns } = values;
  if (routers.length === 0 && routersDns === undefined) throw new WrongUsage('--router or --routers-dns is missing');
  const malformed = [...routers, routersDns ?? 'none:1'].find((address) => !ADDRESS.test(address));
  if (malformed !== undefined) throw new WrongUsage(`${malformed} is not host:port`);
  return {
    url: toUrl(values.url),
    routers,
    routersDns,
    routersMin: toCount('routers-min', values['routers-min'], ROUTERS_MAX),
    token: values['token-file'] === undefined ? undefined : readToken(values['token-file']),
    call: toCall('call', values.call),
    flow: toCall('flow', values.flow),
    answers: toObject('answers', values.answers),
    waitMs: toCount('wait', values.wait, WAIT_S_MAX) * 1_000,
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: false }).values;
  } catch (error) {
    throw new WrongUsage((error as Error).message);
  }
}

function toUrl(text: string | undefined): URL {
  if (text === undefined || !/^https?:/.test(text) || !URL.canParse(text))
    throw new WrongUsage('--url is an http or https address');
  return new URL(text);
}

function toCount(option: string, text: string, max: number): number {
  const count = Number(text);
  if (!/^\d{1,4}$/.test(text) || count > max) throw new WrongUsage(`--${option} is a number up to ${max}`);
  return count;
}

function toObject(option: string, text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // The same words for what is no JSON and for what is no object.
  }
  throw new WrongUsage(`--${option} is a JSON object`);
}

function toCall(option: string, text: string): ToolCall {
  const { name, arguments: given = {} } = toObject(option, text);
  if (typeof name !== 'string' || typeof given !== 'object' || given === null)
    throw new WrongUsage(`--${option} is {"name", "arguments"}`);
  return { name, arguments: given as ToolCall['arguments'] };
}

function readToken(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    throw new WrongUsage('--token-file cannot be read');
  }
}

/**
 * The check itself, step by step. A step that fails ends it: what follows would only fail for the same reason. Tells
 * statuses and codes, never a token, a state or what a tool said.
 */
import { isIPv6 } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Task, ToolCall } from './command-line.js';
import { RouterClient, type McpResult, type Reply } from './router-client.js';

export interface Surroundings {
  /** Addresses of a host name. Rejects when there is none. */
  readonly lookup: (name: string) => Promise<readonly string[]>;
  readonly print: (line: string) => void;
}

const RETRY_PAUSE_MS = 1_000;
/** A flow that asks more often is not one for a check. */
const ROUNDS_MAX = 8;
const LIST_PAGES_MAX = 100;

/** @throws Error whose message says which router did what instead */
export async function makeRoundTrip(task: Task, { lookup, print }: Surroundings): Promise<void> {
  const addresses = await awaitRouters(task, lookup);
  print(`ok  ${addresses.length} routers answer: ${addresses.join(', ')}`);
  const anonymous = addresses.map((address) => new RouterClient({ address, url: task.url, token: undefined }));
  for (const router of anonymous) await assertRefused(router);
  print('ok  each refuses a call without a token');
  if (task.token === undefined) {
    print('--  no token was given: nothing else was checked');
    return;
  }
  const routers = addresses.map((address) => new RouterClient({ address, url: task.url, token: task.token }));
  for (const router of routers) await assertServes(router, [task.call.name, task.flow.name]);
  print(`ok  each is discovered and lists ${task.call.name} and ${task.flow.name}`);
  for (const router of routers) assertComplete(router, await callTool(router, task.call));
  print(`ok  each answers ${task.call.name}`);
  const rounds = await playFlow(routers, task);
  print(`ok  ${task.flow.name} completes after ${rounds} rounds, each on another router than the one before`);
}

/** Pods of a rollout come and go: waits until there are enough and every one of them answers. */
async function awaitRouters(task: Task, lookup: Surroundings['lookup']): Promise<readonly string[]> {
  const deadline = performance.now() + task.waitMs;
  for (;;) {
    const problem = { text: '' };
    const addresses = await answering(task, lookup, problem);
    if (addresses !== undefined) return addresses;
    if (performance.now() > deadline) throw new Error(problem.text);
    await sleep(RETRY_PAUSE_MS);
  }
}

async function answering(
  { routers, routersDns, routersMin, url }: Task,
  lookup: Surroundings['lookup'],
  problem: { text: string },
): Promise<readonly string[] | undefined> {
  const found = routersDns === undefined ? [] : await addressesOf(routersDns, lookup);
  const addresses = [...new Set([...routers, ...found])];
  problem.text = `${addresses.length} routers were found, ${routersMin} are needed`;
  if (addresses.length === 0 || addresses.length < routersMin) return undefined;
  const replies = addresses.map((address) =>
    new RouterClient({ address, url, token: undefined }).send('server/discover'),
  );
  const results = await Promise.allSettled(replies);
  const away = addresses.filter((_, at) => results[at]?.status === 'rejected');
  problem.text = `${away.join(', ')} cannot be reached`;
  return away.length === 0 ? addresses : undefined;
}

async function addressesOf(nameAndPort: string, lookup: Surroundings['lookup']): Promise<readonly string[]> {
  const colon = nameAndPort.lastIndexOf(':');
  const found = await lookup(nameAndPort.slice(0, colon)).catch(() => []);
  return found.map((address) => `${isIPv6(address) ? `[${address}]` : address}${nameAndPort.slice(colon)}`);
}

async function assertRefused(router: RouterClient): Promise<void> {
  const { status } = await router.send('tools/list');
  if (status !== 401) throw failure(router, `answers a call without a token with ${status} instead of 401`);
}

async function assertServes(router: RouterClient, names: readonly string[]): Promise<void> {
  assertResult(router, 'server/discover', await router.send('server/discover'));
  const listed = new Set<string>();
  let cursor: string | undefined;
  for (let page = 1; page <= LIST_PAGES_MAX; page += 1) {
    const result = assertResult(router, 'tools/list', await router.send('tools/list', { ...(cursor && { cursor }) }));
    for (const { name } of result.tools ?? []) listed.add(name);
    cursor = result.nextCursor;
    if (cursor === undefined) break;
  }
  const missing = names.filter((name) => !listed.has(name));
  if (missing.length > 0) throw failure(router, `does not list ${missing.join(' and ')}`);
}

async function callTool(router: RouterClient, call: ToolCall, rest: object = {}): Promise<McpResult> {
  return assertResult(router, call.name, await router.send('tools/call', { ...call, ...rest }));
}

/** @returns how many rounds it took */
async function playFlow(routers: readonly RouterClient[], { flow, answers }: Task): Promise<number> {
  const routerOf = (round: number): RouterClient => routers[(round - 1) % routers.length]!;
  let result = await callTool(routerOf(1), flow);
  if (result.resultType !== 'input_required') throw failure(routerOf(1), `is not asked back by ${flow.name}`);
  for (let round = 2; round <= ROUNDS_MAX; round += 1) {
    const { requestState, inputRequests = {} } = result;
    const inputResponses = answersTo(inputRequests, answers, flow.name);
    result = await callTool(routerOf(round), flow, { requestState, inputResponses });
    if (result.resultType !== 'input_required') {
      assertComplete(routerOf(round), result);
      return round;
    }
  }
  throw new Error(`${flow.name} asks more than ${ROUNDS_MAX} times`);
}

function answersTo(asked: object, answers: Task['answers'], tool: string): Record<string, unknown> {
  const keys = Object.keys(asked);
  const unknown = keys.find((key) => !Object.hasOwn(answers, key));
  if (unknown !== undefined) throw new Error(`${tool} asks ${unknown}, for which there is no answer`);
  return Object.fromEntries(keys.map((key) => [key, { action: 'accept', content: answers[key] }]));
}

function assertResult(router: RouterClient, what: string, { status, result, errorCode }: Reply): McpResult {
  if (status === 200 && result !== undefined) return result;
  const code = errorCode === undefined ? '' : `, error ${errorCode}`;
  throw failure(router, `answers ${what} with status ${status}${code}`);
}

function assertComplete(router: RouterClient, { resultType, isError }: McpResult): void {
  if (resultType !== 'complete') throw failure(router, `does not complete the call: ${String(resultType)}`);
  if (isError === true) throw failure(router, 'completes the call with an error of the tool');
}

function failure({ address }: RouterClient, what: string): Error {
  return new Error(`router ${address} ${what}`);
}

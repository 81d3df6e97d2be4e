/**
 * Load of flows with two rounds, as a process of its own. Every client keeps a connection to each router, begins a flow at
 * one and completes it at the other, by turns. Reads no JSON: the state is found by its name. Prints how many flows were
 * completed in how long, and how long a second round took.
 */
import { KeepAliveConnection, bodyText, headText } from './keep-alive-connection.js';
import { FLOWS, type FlowKind } from './requests.js';
import { median } from './statistics.js';

export interface FlowOrder {
  readonly kind: FlowKind;
  /** Of the two routers. */
  readonly ports: readonly [number, number];
  /** Flows under way at once. */
  readonly clients: number;
  readonly seconds: number;
  /** A round that is refused for now begins a flow anew instead of ending the run. */
  readonly mayRefuse: boolean;
}

export interface FlowsDone {
  readonly count: number;
  readonly durationMs: number;
  /** Median of the second rounds, from request to whole reply. */
  readonly answerP50Ms: number;
}

const STATE_NAME = '"requestState":"';
const REFUSED_FOR_NOW = 'HTTP/1.1 503';

const order = JSON.parse(process.argv[2] ?? '') as FlowOrder;
const flow = FLOWS[order.kind];
const heads = order.ports.map((port) => headText(port, flow.headers));
const first = bodyText(flow.first);
const answersMs: number[] = [];

let count = 0;
let open = 0;
let startedMs = 0;
let endsMs = 0;

function fail(why: string): never {
  process.stderr.write(`flow client: ${why}\n`);
  process.exit(1);
}

function ask(connections: readonly KeepAliveConnection[], router: number): void {
  connections[router]?.send(heads[router] + first, (reply) => {
    const at = reply.indexOf(STATE_NAME) + STATE_NAME.length;
    const end = reply.indexOf('"', at);
    if (at < STATE_NAME.length || end < 0) fail(`no state in ${reply}`);
    answer(connections, 1 - router, reply.slice(at, end));
  });
}

function answer(connections: readonly KeepAliveConnection[], router: number, state: string): void {
  const sentMs = performance.now();
  connections[router]?.send(heads[router] + bodyText(flow.before + state + flow.after), (reply) => {
    answersMs.push(performance.now() - sentMs);
    if (reply.includes(flow.answer)) count += 1;
    else if (!order.mayRefuse || !reply.startsWith(REFUSED_FOR_NOW)) fail(`no result in ${reply}`);
    if (performance.now() < endsMs) ask(connections, router);
    else leave(connections);
  });
}

function leave(connections: readonly KeepAliveConnection[]): void {
  for (const each of connections) each.end();
  open -= 1;
  if (open > 0) return;
  const done: FlowsDone = { count, durationMs: performance.now() - startedMs, answerP50Ms: median(answersMs) };
  process.stdout.write(`${JSON.stringify(done)}\n`);
}

const clients = await Promise.all(
  Array.from({ length: order.clients }, () => Promise.all(order.ports.map((port) => KeepAliveConnection.open(port)))),
);
open = clients.length;
startedMs = performance.now();
endsMs = startedMs + order.seconds * 1_000;
clients.forEach((connections, at) => {
  for (const each of connections) each.failOn((error) => fail(error.message));
  ask(connections, at % 2);
});

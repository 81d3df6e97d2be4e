/** Runs the load of flows in its process. */
import { fileURLToPath } from 'node:url';
import type { FlowOrder, FlowsDone } from './flow-client.js';
import { runToEnd } from './run-to-end.js';

const FLOW_CLIENT = fileURLToPath(new URL('./flow-client.ts', import.meta.url));

export async function runFlows(order: FlowOrder): Promise<FlowsDone> {
  const hook = ['--import', './tools/ts-hook.mjs'];
  return JSON.parse(await runToEnd(process.execPath, [...hook, FLOW_CLIENT, JSON.stringify(order)])) as FlowsDone;
}

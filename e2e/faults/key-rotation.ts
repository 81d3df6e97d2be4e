/**
 * Rotates the keyset as an operator does, with the same program: a new key is added, routers learn it, it is promoted once
 * every router says that it knows it. Nobody waits ten minutes here, so the promotion is forced past the clock, but never
 * past a router that does not answer.
 */
import { roundhouseKeys } from '../harness/roundhouse-keys.js';
import { until } from '../harness/until.js';

/** A router that is down or halted has to come back first. */
const PROMOTED_WITHIN_MS = 60_000;
/** No state of a run lives longer. */
const STATE_LIFE = '1h';

export interface Rotated {
  readonly keysetFile: string;
  /** Where routers tell which keys they know. */
  readonly adminPorts: readonly number[];
}

/** Whether there is a new key; not while another is staged, and not when the file is full. */
export async function addKey(rotated: Rotated): Promise<boolean> {
  return rotate('add', rotated, ['--allow-unreachable']);
}

export async function promoteKey(rotated: Rotated): Promise<void> {
  const promote = () => rotate('promote', rotated, ['--force']);
  await until(promote, { what: 'a key is promoted', withinMs: PROMOTED_WITHIN_MS });
}

async function rotate(command: string, rotated: Rotated, options: readonly string[]): Promise<boolean> {
  const routers = rotated.adminPorts.flatMap((port) => ['--router', `127.0.0.1:${port}`]);
  const file = ['--file', rotated.keysetFile, '--state-life', STATE_LIFE];
  return roundhouseKeys(command, ...file, ...routers, ...options);
}

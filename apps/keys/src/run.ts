/** One run of the tool: does what the command says and tells its outcome in one line. Prints no key material. */
import { RoundhouseError } from '@roundhouse/errors';
import { parseCommand, USAGE, type Asking, type Command, type Home } from './command-line.js';
import type { ClusterAccess } from './cluster-access.js';
import { KeysetExists, type KeysetHome } from './keyset-home.js';
import { KeysetSecret } from './keyset-secret.js';
import { KeysetFile } from './keyset-store.js';
import { EXIT, Refusal } from './refusal.js';
import { assertAllHold, readReplicas, type Lookup } from './replicas.js';
import {
  planAdd,
  planDisable,
  planFirst,
  planPromote,
  planPrune,
  sealingKids,
  type Plan,
  type Situation,
} from './rotation-plan.js';
import { statusOf, toTable } from './status.js';

export interface Surroundings {
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  readonly randomBytes: (length: number) => Buffer;
  readonly lookup: Lookup;
  /** How the API server is reached from this pod. @throws Refusal outside of one */
  readonly cluster: () => ClusterAccess;
}

export interface RunResult {
  readonly exitCode: number;
  readonly output: string;
  readonly problem: string;
}

type FileCommand = Exclude<Command, { readonly name: 'help' }>;
type ChangingCommand = Exclude<FileCommand, { readonly name: 'status' }>;

export async function run(args: readonly string[], surroundings: Surroundings): Promise<RunResult> {
  try {
    const command = parseCommand(args);
    const output = command.name === 'help' ? USAGE : await execute(command, surroundings);
    return { exitCode: EXIT.done, output, problem: '' };
  } catch (error) {
    const exitCode = error instanceof Refusal ? error.exitCode : EXIT.failed;
    return { exitCode, output: '', problem: `roundhouse-keys: ${describe(error)}\n` };
  }
}

async function execute(command: FileCommand, surroundings: Surroundings): Promise<string> {
  const { clock, randomBytes, lookup } = surroundings;
  const home = openHome(command.home, surroundings);
  if (command.name === 'add' && command.create) {
    const { keys, summary } = planFirst({ nowMs: clock(), randomBytes });
    return createIn(home, { keys, summary }, command.ifAbsent);
  }
  const { text, keys } = await home.read();
  if (command.name === 'status') {
    const status = statusOf(keys, await readReplicas(command, lookup), clock());
    return command.json ? `${JSON.stringify(status)}\n` : toTable(status);
  }
  if (command.name === 'add' || command.name === 'promote') {
    await assertRotatable(command, sealingKids({ keys, nowMs: clock() }), lookup);
  }
  let summary = '';
  await home.update(text, (current) => {
    const { stateLifeMs } = command;
    const plan = planOf(command, { keys: current, nowMs: clock(), stateLifeMs, randomBytes });
    summary = plan.summary;
    return plan.keys;
  });
  return `${summary}\n`;
}

function openHome(home: Home, { cluster }: Surroundings): KeysetHome {
  return 'file' in home ? new KeysetFile(home.file) : new KeysetSecret(cluster(), home);
}

async function createIn(home: KeysetHome, { keys, summary }: Plan, ifAbsent: boolean): Promise<string> {
  try {
    await home.create(keys);
    return `${summary}\n`;
  } catch (error) {
    if (!ifAbsent || !(error instanceof KeysetExists)) throw error;
    return 'there is a keyset already: it stays as it is\n';
  }
}

async function assertRotatable(command: Asking, kids: readonly string[], lookup: Lookup): Promise<void> {
  assertAllHold(await readReplicas(command, lookup), kids, command);
}

function planOf(command: ChangingCommand, situation: Situation): Plan {
  switch (command.name) {
    case 'add':
      return planAdd(situation, command.activateInMs);
    case 'promote':
      return planPromote(situation, command.force);
    case 'disable':
      return planDisable(situation, command.kid);
    case 'prune':
      return planPrune(situation, command.kid);
  }
}

function describe(error: unknown): string {
  if (error instanceof RoundhouseError) {
    const { rule, kid } = error.facts;
    return `the keyset cannot be used: ${error.reason}: ${rule}${kid === undefined ? '' : ` (key ${kid})`}`;
  }
  return error instanceof Error ? error.message : 'failed for an unknown cause';
}

/**
 * Clients of both eras on two routers, each request to the next one, while keys rotate and a router is replaced. A call that
 * met the router's end may fail; an answer that is not its caller's own may never come.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster } from '../harness/cluster.js';
import { ERAS, putEraLoad, type FailedCall } from '../harness/era-load.js';
import { addKey, promoteKey, type Rotated } from './key-rotation.js';
import type { Check } from './promises.js';
import { SeededRandom } from './seeded-random.js';

const CLIENTS_OF_EACH_ERA = 50;
/** People think between calls; without this the machine would be measured, not the gateway. */
const PAUSE_MS_MAX = 2_000;
/** For so long after it came back a router and its peers may still be finding each other. */
const SETTLED_WITHIN_MS = 5_000;
const EXAMPLES_MAX = 10;

export interface ErasOptions {
  readonly seed: number;
  readonly durationMs: number;
  readonly say: (line: string) => void;
}

export interface ErasRun {
  /** Calls that came to their own answer. */
  readonly legacyFlows: number;
  readonly modernFlows: number;
  /** Neither the caller's own answer nor anybody else's. */
  readonly wrongAnswers: number;
  /** Answers that were another client's. */
  readonly crossedSessions: number;
  readonly failedWhileRestarting: number;
  readonly failedOtherwise: number;
  readonly rotations: number;
  readonly restarts: number;
  /** Of what went wrong, in words. */
  readonly examples: readonly string[];
  readonly complaints: readonly string[];
}

interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

export async function playEras({ seed, durationMs, say }: ErasOptions): Promise<ErasRun> {
  const random = new SeededRandom(seed).fork(6);
  // Two minutes of everything that can be logged would fill a disk.
  const cluster = await Cluster.start({ name: join('faults', `${seed}-eras`), router: { logLevel: 'info' } });
  try {
    const [tallies, restart] = await Promise.all([
      putEraLoad({
        port: cluster.port,
        clientsOfEachEra: CLIENTS_OF_EACH_ERA,
        durationMs,
        drawPauseMs: () => random.int(0, PAUSE_MS_MAX),
      }),
      disturb(cluster, durationMs, say),
    ]);
    const all = ERAS.map((era) => tallies[era]);
    const wrong = all.flatMap((tally) => tally.wrong);
    const crossed = all.flatMap((tally) => tally.crossed);
    const failed = all.flatMap((tally) => tally.failed);
    const unexplained = failed.filter((call) => !overlaps(call, restart));
    return {
      legacyFlows: tallies.legacy.right,
      modernFlows: tallies.modern.right,
      wrongAnswers: wrong.length,
      crossedSessions: crossed.length,
      failedWhileRestarting: failed.length - unexplained.length,
      failedOtherwise: unexplained.length,
      rotations: 2,
      restarts: 1,
      examples: [...wrong, ...crossed, ...unexplained.map(({ why }) => why)].slice(0, EXAMPLES_MAX),
      complaints: cluster.complaints(),
    };
  } finally {
    await cluster.stop();
  }
}

export function judgeEras(run: ErasRun): Check[] {
  const none = (count: number): string[] => (count === 0 ? [] : [String(count)]);
  const isEnough = Math.min(run.legacyFlows, run.modernFlows) > CLIENTS_OF_EACH_ERA;
  return [
    { sentence: 'nobody gets an answer that nobody should get', against: none(run.wrongAnswers) },
    { sentence: 'nobody gets the answer of somebody else', against: none(run.crossedSessions) },
    { sentence: 'no call fails but while a router is replaced', against: none(run.failedOtherwise) },
    { sentence: 'clients of both eras are served', against: isEnough ? [] : ['too few flows'] },
    { sentence: 'no process logs a mistake while eras meet', against: run.complaints },
  ];
}

/** A rotation, a new process in the place of one router, and another rotation, which the new one takes part in. */
async function disturb(cluster: Cluster, durationMs: number, say: (line: string) => void): Promise<Period> {
  const keys = {
    keysetFile: join(cluster.folder, 'keyset.json'),
    adminPorts: cluster.routers.map(({ adminPort }) => adminPort),
  };
  await sleep(durationMs / 5);
  await rotate(keys, say);
  await sleep(durationMs / 5);
  const fromMs = performance.now();
  await cluster.routers[0]?.restart();
  const toMs = performance.now();
  say(`a router was replaced within ${Math.round(toMs - fromMs)} ms`);
  await sleep(durationMs / 5);
  await rotate(keys, say);
  return { fromMs, toMs: toMs + SETTLED_WITHIN_MS };
}

async function rotate(keys: Rotated, say: (line: string) => void): Promise<void> {
  if (!(await addKey(keys))) throw new Error('roundhouse-keys refused to add a key');
  await promoteKey(keys);
  say('a new key seals');
}

function overlaps({ beganMs, endedMs }: FailedCall, { fromMs, toMs }: Period): boolean {
  return beganMs <= toMs && endedMs >= fromMs;
}

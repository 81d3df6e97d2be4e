/** KEY-3: a thousand rotations of a real file under load, and not one valid state is refused. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { KeysetFile, STATE_LIFE_MS_DEFAULT, StateSealer, type KeysetReload } from '@roundhouse/sealed-state';
import { readClusterAccess } from './cluster-access.js';
import { run } from './run.js';

const ROTATIONS = 1_000;
const MINUTE = 60_000;
/** Shorter than the time for which a key that has retired is kept: rotations overlap. */
const PERIOD_MS = 11 * MINUTE;
const SEALS_PER_STEP = 2;

interface Valid {
  readonly state: string;
  readonly expiresAtMs: number;
}

let folder: string;
let file: string;
let nowMs = Date.UTC(2026, 8, 1);
let routers: KeysetFile[];
const reloads: KeysetReload[] = [];
const kids = new Set<string>();

const clock = (): number => nowMs;
const lookup = async (): Promise<readonly string[]> => [];
async function keys(...args: readonly string[]): Promise<void> {
  const result = await run([...args, '--file', file], {
    clock,
    randomBytes,
    lookup,
    cluster: () => readClusterAccess({}),
  });
  expect(result).toMatchObject({ exitCode: 0, problem: '' });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rotations-'));
  file = join(folder, 'keyset.json');
  await keys('add', '--create');
  const onReload = (reload: KeysetReload): void => void reloads.push(reload);
  routers = [0, 1].map(() => KeysetFile.open({ path: file, clock, onReload }));
});
afterAll(() => {
  for (const router of routers) router.close();
  rmSync(folder, { recursive: true });
});

it(`refuses no valid state through ${ROTATIONS} rotations`, async () => {
  const sealers = routers.map(
    ({ current }) => new StateSealer({ keyset: current, clock, audience: 'https://mcp.example/mcp' }),
  );
  let valid: Valid[] = [];
  let [opened, refused] = [0, 0];

  /** Both replicas seal, and each opens all that is unexpired, whoever sealed it. */
  const load = (): void => {
    valid = valid.filter(({ expiresAtMs }) => nowMs < expiresAtMs);
    for (const sealer of sealers) {
      for (let n = 0; n < SEALS_PER_STEP; n++) {
        valid.push({
          state: sealer.seal('request-state', [], `{"n":${n}}`),
          expiresAtMs: nowMs + STATE_LIFE_MS_DEFAULT,
        });
      }
    }
    for (const { state } of valid) {
      for (const sealer of sealers) {
        const outcome = sealer.open('request-state', [], state);
        if (!outcome.ok) refused += 1;
        else {
          opened += 1;
          kids.add(outcome.kid);
        }
      }
    }
  };

  for (let rotation = 0; rotation < ROTATIONS; rotation++) {
    await keys('add');
    load();
    // The watch tells one of them at once, the other one learns of it by its next poll.
    routers[rotation % 2]!.checkNow();
    nowMs += PERIOD_MS / 2;
    load();
    for (const router of routers) router.checkNow();
    nowMs += PERIOD_MS / 2;
    load();
    await keys('prune');
    await nextTick();
  }
  expect({
    refused,
    early: reloads.filter((reload) => reload.outcome === 'error' || reload.removedEarly.length > 0),
  }).toEqual({
    refused: 0,
    early: [],
  });
  expect(opened).toBeGreaterThan(20 * ROTATIONS);
  expect(kids.size).toBe(ROTATIONS + 1);
}, 60_000);

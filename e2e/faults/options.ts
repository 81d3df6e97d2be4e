/** What a fault run does and for how long. */
import { parseArgs } from 'node:util';
import { FAULTS, type Fault } from './faults.js';
import { isTimeForAll } from './nemesis.js';

export interface FaultOptions {
  /** How long the load lasts; starting and resolving come on top. */
  readonly loadMs: number;
  /** A long run is held to a number of claims. */
  readonly claimsMin: number;
  readonly seed: number;
  readonly faults: readonly Fault[];
  /** So many different ones must strike; in a short run not all can. */
  readonly faultsMin: number;
  readonly isFenced: boolean;
  /** The short run of everything also shows that the judge finds what the fence prevents. */
  readonly showsTeeth: boolean;
  readonly json: boolean;
  /** Whether things are broken at all. */
  readonly hasFaults: boolean;
  /** How long the load lasts through which keys rotate; undefined when they do not. */
  readonly rotationsMs: number | undefined;
  /** How long clients of both eras call side by side; undefined when they do not. */
  readonly erasMs: number | undefined;
}

const SHORT_LOAD_MS = 20_000;
const SHORT_ROTATIONS_MS = 10_000;
const CLAIMS_PER_MINUTE_MIN = 4_000;
const MINUTES_MAX = 24 * 60;
const SEED_MAX = 0xffff_ffff;

/** @throws TypeError that says which argument is wrong */
export function parseFaultOptions(args: readonly string[], drawSeed: () => number): FaultOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string' },
      seed: { type: 'string' },
      only: { type: 'string', multiple: true, default: [] },
      'unsafe-no-fence': { type: 'boolean', default: false },
      rotations: { type: 'boolean', default: false },
      eras: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const alone = (['rotations', 'eras'] as const).filter((name) => values[name]);
  if (alone.length > 1 || (alone.length > 0 && (values.only.length > 0 || values['unsafe-no-fence'])))
    throw new TypeError(`--${alone[0]} is a run of its own: it goes with --minutes, --seed and --json only`);
  const minutes = values.minutes === undefined ? undefined : toNumber('minutes', values.minutes, MINUTES_MAX);
  if (values.rotations && minutes !== undefined && minutes * 60_000 < SHORT_ROTATIONS_MS)
    throw new TypeError(`--rotations takes at least ${SHORT_ROTATIONS_MS} ms: give --minutes more`);
  if (values.eras && minutes !== undefined && minutes * 60_000 < SHORT_LOAD_MS)
    throw new TypeError(`--eras takes at least ${SHORT_LOAD_MS} ms: give --minutes more`);
  const isFenced = !values['unsafe-no-fence'];
  const faults = values.only.length === 0 ? FAULTS : values.only.map(toFault);
  const loadMs = minutes === undefined ? SHORT_LOAD_MS : minutes * 60_000;
  const isShortRunOfAll = minutes === undefined && isFenced && values.only.length === 0;
  return {
    loadMs,
    claimsMin: minutes === undefined ? 1 : Math.floor(minutes * CLAIMS_PER_MINUTE_MIN),
    seed: values.seed === undefined ? drawSeed() : toNumber('seed', values.seed, SEED_MAX),
    faults,
    faultsMin: isTimeForAll(faults, loadMs) ? faults.length : Math.ceil(faults.length / 3),
    isFenced,
    showsTeeth: isShortRunOfAll && alone.length === 0,
    json: values.json,
    hasFaults: alone.length === 0,
    rotationsMs: isShortRunOfAll && !values.eras ? SHORT_ROTATIONS_MS : values.rotations ? loadMs : undefined,
    erasMs: values.eras ? loadMs : undefined,
  };
}

function toNumber(name: string, text: string, max: number): number {
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || value > max) throw new TypeError(`--${name} takes a number up to ${max}`);
  return value;
}

function toFault(name: string): Fault {
  const fault = FAULTS.find((each) => each.name === name);
  if (fault === undefined) throw new TypeError(`--only takes one of ${FAULTS.map((each) => each.name).join(', ')}`);
  return fault;
}

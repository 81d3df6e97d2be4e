/**
 * Asks Redis whether it is set up to keep what it is told (REP-4): a server that evicts, keeps no log, or goes on alone
 * without its replica forgets spent nonces. Asked on every new connection and once a minute; claims are refused until
 * and unless the answer is good.
 */
import type { Redis } from 'ioredis';
import { RoundhouseError } from '@roundhouse/errors';
import { primariesOf, type RedisConnection } from './redis-connection.js';
import { figuresOf, mergeFigures, type StoreFigures } from './store-figures.js';

export const SAFETY_CHECK_EVERY_MS = 60_000;
/** A replica that has not been heard of for longer must not count for `min-replicas-to-write`, in seconds. */
const REPLICA_LAG_S_MAX = 10;
const SETTINGS = ['maxmemory-policy', 'appendonly', 'min-replicas-to-write', 'min-replicas-max-lag'] as const;

type Settings = Readonly<Partial<Record<(typeof SETTINGS)[number], string>>>;

/** What one look at Redis showed. */
export interface SafetyCheck {
  readonly isSafe: boolean;
  /** Undefined where Redis does not tell. */
  readonly figures: StoreFigures | undefined;
}

export interface SafetyOptions {
  readonly replicasMin: number;
  /** Told when what is wrong changes; nothing is wrong with an empty list. Texts for an operator, without secrets. */
  readonly onChange?: ((problems: readonly string[]) => void) | undefined;
  /** Told after every look that Redis answered. */
  readonly onCheck?: ((check: SafetyCheck) => void) | undefined;
}

export class StoreSafety {
  /** Undefined until Redis has answered once. */
  private problems: readonly string[] | undefined;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly connection: RedisConnection,
    private readonly options: SafetyOptions,
  ) {
    connection.on('ready', () => void this.check());
    this.timer = setInterval(() => void this.check(), SAFETY_CHECK_EVERY_MS).unref();
  }

  /** @throws RoundhouseError `replay_unavailable`, reason `replay_store_unsafe` */
  assertSafe(): void {
    if (this.problems?.length === 0) return;
    throw new RoundhouseError('replay_unavailable', {
      reason: 'replay_store_unsafe',
      facts: { store: 'redis', problems: this.problems?.join('; ') ?? 'not checked yet' },
    });
  }

  /** Never rejects. While Redis is out of reach the last answer stays: nothing new is known. */
  async check(): Promise<void> {
    const { replicasMin, onChange, onCheck } = this.options;
    const answers = await Promise.all(primariesOf(this.connection).map(look)).catch(() => []);
    if (answers.length === 0) return;
    const problems = [...new Set(answers.flatMap(({ settings }) => problemsOf(settings, replicasMin)))];
    const isNews = this.problems === undefined || this.problems.join() !== problems.join();
    const isFirstAndGood = this.problems === undefined && problems.length === 0;
    this.problems = problems;
    if (isNews && !isFirstAndGood) onChange?.(problems);
    onCheck?.({ isSafe: problems.length === 0, figures: mergeFigures(answers.map(({ figures }) => figures)) });
  }

  stop(): void {
    clearInterval(this.timer);
  }
}

/** What is wrong with these settings. What could not be found out counts as wrong. */
export function problemsOf(settings: Settings, replicasMin: number): readonly string[] {
  const problems: string[] = [];
  const demand = (name: (typeof SETTINGS)[number], isGood: (value: string) => boolean, wanted: string): void => {
    const value = settings[name];
    if (value === undefined) problems.push(`${name} cannot be read, and must be ${wanted}`);
    else if (!isGood(value)) problems.push(`${name} is ${value}, and must be ${wanted}`);
  };
  demand('maxmemory-policy', (value) => value === 'noeviction', 'noeviction');
  demand('appendonly', (value) => value === 'yes', 'yes');
  if (replicasMin === 0) return problems;
  demand('min-replicas-to-write', (value) => Number(value) >= 1, '1 or more');
  // Redis takes 0 for "whatever the lag".
  const isFresh = (value: string): boolean => Number(value) >= 1 && Number(value) <= REPLICA_LAG_S_MAX;
  demand('min-replicas-max-lag', isFresh, `1 to ${REPLICA_LAG_S_MAX}`);
  return problems;
}

interface Look {
  readonly settings: Settings;
  readonly figures: StoreFigures | undefined;
}

/** Rejects when the server is out of reach. */
async function look(redis: Redis): Promise<Look> {
  return { settings: await readSettings(redis), figures: figuresOf(await readInfo(redis)) };
}

/** Managed services forbid CONFIG; INFO tells nearly the same. Rejects when the server is out of reach. */
async function readSettings(redis: Redis): Promise<Settings> {
  try {
    return toSettings(await redis.config('GET', ...SETTINGS));
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  return fromInfo(await readInfo(redis));
}

/** Empty where nobody may ask. */
async function readInfo(redis: Redis): Promise<string> {
  try {
    return await redis.info();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return '';
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError';
}

/** RESP2 lists names and values in turn; RESP3 has a map. */
function toSettings(reply: unknown): Settings {
  if (!Array.isArray(reply)) return Object.fromEntries(Object.entries(reply as object));
  const entries = SETTINGS.map((name) => [name, reply[reply.indexOf(name) + 1]] as const);
  return Object.fromEntries(entries.filter(([name]) => reply.includes(name)));
}

/**
 * INFO has the policy and whether there is a log. It counts good replicas only while `min-replicas-to-write` and
 * `min-replicas-max-lag` are both set, so the line itself tells that they are; how large the lag may be it does not say,
 * and Redis's own default is the largest that we accept.
 */
export function fromInfo(info: string): Settings {
  const fieldOf = (name: string): string | undefined => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
  const policy = fieldOf('maxmemory_policy');
  const log = fieldOf('aof_enabled');
  const counts = fieldOf('min_slaves_good_slaves') !== undefined;
  return {
    ...(policy !== undefined && { 'maxmemory-policy': policy }),
    ...(log !== undefined && { appendonly: log === '1' ? 'yes' : 'no' }),
    ...(fieldOf('role') !== undefined && {
      'min-replicas-to-write': counts ? '1' : '0',
      'min-replicas-max-lag': String(REPLICA_LAG_S_MAX),
    }),
  };
}

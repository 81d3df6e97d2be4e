/**
 * Shared limits in Redis or Valkey, on a connection of their own: a burst of them must not stand in the way of a claim.
 * One script a key, because keys lie in different slots of a cluster; the client sends them together.
 */
import {
  RUNNING_RETAIN_MS,
  type BudgetAnswer,
  type BudgetAsk,
  type BudgetRequest,
  type BudgetShare,
  type OpenUntil,
} from '@roundhouse/contracts';
import { BUDGET_SCRIPT } from './budget-script.js';
import type { BudgetStore } from './budget-store.js';
import { openKey, rateKey, runningKey } from './claim-key.js';
import {
  REDIS_COMMAND_TIMEOUT_MS,
  openRedisConnection,
  type RedisConnection,
  type RedisConnectionOptions,
} from './redis-connection.js';
import { runScript, withinTime } from './redis-script.js';

export class RedisBudgetStore implements BudgetStore {
  private readonly redis: RedisConnection;
  private readonly timeoutMs: number;

  /** Does not wait for Redis: until it is there, routers limit for themselves. */
  constructor(options: RedisConnectionOptions) {
    this.redis = openRedisConnection({ ...options, onOutage: undefined });
    this.timeoutMs = options.commandTimeoutMs ?? REDIS_COMMAND_TIMEOUT_MS;
  }

  share({ router, budgets }: BudgetRequest): Promise<BudgetAnswer> {
    const all = (): Promise<BudgetShare[]> => Promise.all(budgets.map((ask) => this.shareOne(ask, router)));
    return withinTime(async () => ({ budgets: await all() }), this.timeoutMs);
  }

  async close(): Promise<void> {
    await this.redis.quit().catch(() => undefined);
    this.redis.disconnect();
  }

  private async shareOne({ key, rate, running, open }: BudgetAsk, router: string): Promise<BudgetShare> {
    const { perSecond = '', burst = '', owed = '', want = '' } = rate ?? {};
    const reply = await runScript(this.redis, BUDGET_SCRIPT, {
      keys: [rateKey(key), runningKey(key), openKey(key)],
      args: [perSecond, burst, owed, want, running ?? '', router, RUNNING_RETAIN_MS, textOf(open)],
    });
    const [granted = 0, left = 0, waitMs = 0, runningElsewhere = 0, openElsewhere = 0] = reply as number[];
    return { granted, left, waitMs, runningElsewhere, openElsewhere };
  }
}

/** As the script reads it: empty where nothing is limited, a dash where nothing is open. */
function textOf(open: readonly OpenUntil[] | undefined): string {
  if (open === undefined) return '';
  return open.length === 0 ? '-' : open.map(({ untilMs, net }) => `${untilMs}:${net}`).join(' ');
}

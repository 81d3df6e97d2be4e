/** The store that the configuration names. The address of Redis may hold a password: it is read here and never shown. */
import { readFileSync } from 'node:fs';
import { Logger } from '@nestjs/common';
import { RoundhouseError } from '@roundhouse/errors';
import {
  CircuitBreakerStore,
  MemoryBudgetStore,
  MemoryClaimStore,
  RedisBudgetStore,
  RedisClaimStore,
  type BudgetStore,
  type ClaimStore,
  type HostPort,
  type RedisClaimStoreOptions,
  type RedisConnectionOptions,
} from '@roundhouse/replay-claim';
import type { ReplayConfig, StoreConfig } from './config.js';
import { MeasuredStore } from './measures/measured-store.js';
import type { StoreMeasures } from './measures/store-measures.js';

/** Injection token of the `ClaimStore`. */
export const CLAIM_STORE = Symbol('claim-store');
/** Injection token of the `BudgetStore`. */
export const BUDGET_STORE = Symbol('budget-store');

/** @throws RoundhouseError `config_invalid` when the file cannot be read or the address is none */
export async function openStore(
  { store, openClaimsPerPrincipalMax }: ReplayConfig,
  measures: StoreMeasures,
): Promise<ClaimStore> {
  const { epochFence } = store;
  if (store.kind === 'memory')
    return new MeasuredStore(new MemoryClaimStore({ openClaimsPerPrincipalMax, epochFence }), measures);
  const logger = new Logger('store');
  if (!epochFence) logger.warn('the epoch fence is down: states run again after Redis lost its data');
  const redis = await RedisClaimStore.open({
    ...addressOf(store),
    commandTimeoutMs: store.commandTimeoutMs,
    replicasMin: store.replicasMin,
    openClaimsPerPrincipalMax,
    epochFence,
    ...(store.configCheck === 'on' && {
      safety: { ...safetyOf(store, logger), onCheck: (check) => measures.checked(check) },
    }),
    onOutage: (failure) => logger.warn(`Redis is out of reach (${failure}); claims are refused until it is back`),
  });
  return new CircuitBreakerStore(new MeasuredStore(redis, measures), {
    onChange: (state) => {
      measures.circuitTurned(state);
      logger.log(`the circuit to Redis is ${state}`);
    },
  });
}

export function openBudgets({ store }: ReplayConfig): BudgetStore {
  if (store.kind === 'memory') return new MemoryBudgetStore();
  return new RedisBudgetStore({ ...addressOf(store), commandTimeoutMs: store.commandTimeoutMs });
}

function addressOf({ url, urlFile, sentinels, sentinelName, cluster }: StoreConfig): RedisConnectionOptions {
  return {
    ...(urlFile !== undefined && { readUrl: () => readUrlFile(urlFile) }),
    ...(url !== undefined && { readUrl: () => url }),
    ...(sentinelName !== undefined && { sentinel: { hosts: sentinels.map(toHostPort), name: sentinelName } }),
    ...(cluster.length > 0 && { cluster: cluster.map(toHostPort) }),
  };
}

function safetyOf({ allowUnsafe }: StoreConfig, logger: Logger): NonNullable<RedisClaimStoreOptions['safety']> {
  const consequence = allowUnsafe ? 'claims are taken all the same, and may be lost' : 'claims are refused';
  return {
    refuses: !allowUnsafe,
    onChange: (problems) =>
      problems.length === 0
        ? logger.log('the settings of Redis keep what it is told')
        : logger.error(`Redis may lose claims, so ${consequence}: ${problems.join('; ')}`),
  };
}

/** As the configuration has checked it: `host:port` or `[address]:port`. */
function toHostPort(text: string): HostPort {
  const at = text.lastIndexOf(':');
  return { host: text.slice(0, at).replace(/^\[(.*)\]$/, '$1'), port: Number(text.slice(at + 1)) };
}

function readUrlFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    throw new RoundhouseError('config_invalid', {
      reason: 'config_unreadable',
      facts: { problems: `replay.store.urlFile: names a file that cannot be read: ${code}`, problemCount: 1 },
    });
  }
}

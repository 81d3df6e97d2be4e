export {
  BREAKER_FAILURES_MAX,
  BREAKER_PAUSE_MS,
  CircuitBreakerStore,
  type BreakerState,
  type CircuitBreakerOptions,
} from './circuit-breaker-store.js';
export type { BudgetStore } from './budget-store.js';
export { MEMORY_BUDGETS_MAX, MemoryBudgetStore } from './memory-budget-store.js';
export { RedisBudgetStore } from './redis-budget-store.js';
export type { ClaimStore, PeekAnswer } from './claim-store.js';
export {
  MEMORY_RECORDS_MAX,
  MEMORY_RESULT_CHARS_MAX,
  MemoryClaimStore,
  type MemoryClaimStoreOptions,
} from './memory-claim-store.js';
export { RedisClaimStore, type RedisClaimStoreOptions } from './redis-claim-store.js';
export {
  REDIS_COMMAND_TIMEOUT_MS,
  parseRedisUrl,
  type HostPort,
  type RedisConnectionOptions,
} from './redis-connection.js';
export { WAIT_MS } from './replicated-claims.js';
export type { StoreFigures } from './store-figures.js';
export type { SafetyCheck } from './store-safety.js';
export { OPEN_CLAIMS_PER_PRINCIPAL_MAX } from './store-defaults.js';

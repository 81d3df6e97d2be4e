export type { ClaimStore, PeekAnswer } from './claim-store.js';
export {
  MEMORY_RECORDS_MAX,
  MEMORY_RESULT_CHARS_MAX,
  MemoryClaimStore,
  type MemoryClaimStoreOptions,
} from './memory-claim-store.js';
export { RedisClaimStore } from './redis-claim-store.js';
export { REDIS_COMMAND_TIMEOUT_MS, parseRedisUrl, type RedisConnectionOptions } from './redis-connection.js';

export { FakeClock } from './fake-clock.js';
export {
  REDIS_START_TIMEOUT_MS,
  startRedisServer,
  type RedisServerOptions,
  type RunningRedis,
} from './redis-server.js';

export { TestAuthority, type CertificateFiles } from './test-certificates.js';
export { askRedis } from './ask-redis.js';
export { installDebianPackage } from './debian-package.js';
export { findOnPath } from './executables.js';
export { KubernetesApiServer, type SliceContent, type SliceEndpoint } from './kubernetes-api-server.js';
export { FakeClock } from './fake-clock.js';
export { findFreePort, findFreePorts } from './free-ports.js';
export {
  POSTGRES_START_TIMEOUT_MS,
  startPostgresServer,
  type PostgresServerOptions,
  type RunningPostgres,
} from './postgres-server.js';
export { PROMETHEUS_START_TIMEOUT_MS, prometheusPrograms, type PrometheusPrograms } from './prometheus-programs.js';
export {
  REDIS_START_TIMEOUT_MS,
  startRedisServer,
  type RedisServerOptions,
  type RunningRedis,
} from './redis-server.js';
export { SENTINEL_PRIMARY_NAME, startRedisCluster, startRedisReplica, startRedisSentinel } from './redis-topology.js';
export {
  TestIssuer,
  createSigningKey,
  type SigningKey,
  type TestIssuerOptions,
  type TokenOverrides,
} from './test-issuer.js';
export { until } from './until.js';

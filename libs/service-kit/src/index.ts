export { AdminReply } from './admin/admin-reply.js';
export {
  AdminServer,
  type AdminControls,
  type AdminOptions,
  type AdminPages,
  type Readiness,
} from './admin/admin-server.js';
export { JsonLogger } from './log/json-logger.js';
export { LOG_LEVELS, LOG_LEVEL_PATH, type LogLevel } from './log/log-level.js';
export { PendingTable } from './pending-table.js';
export { formatAddress, parseAddress, type Address } from './rpc/address.js';
export { FramedServerSocket, FramedSocket } from './rpc/framed-socket.js';
export {
  RPC_CONNECT_TIMEOUT_MS,
  RpcClient,
  RpcRefusal,
  RpcTimeout,
  type OnPacket,
  type RpcClientTls,
} from './rpc/rpc-client.js';
export { TlsIdentity, type TlsFiles } from './rpc/tls-identity.js';
export { runMain } from './run-main.js';
export {
  DRAIN_TIMEOUT_MS,
  startHttpService,
  startMicroservice,
  type ListenTls,
  type Drain,
  type RunningService,
  type ServiceOptions,
  type Take,
} from './running-service.js';
export { adminSettings, rpcListenSettings, tlsFileSettings } from './service-settings.js';
export { spansDropped } from './tracing/bounded-export.js';
export { startTracing, stopTracing, type TracingOptions } from './tracing/start-tracing.js';
export { TRACING_ENV, tracingSettings } from './tracing/tracing-settings.js';

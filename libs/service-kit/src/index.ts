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
export { RPC_CONNECT_TIMEOUT_MS, RpcClient, RpcRefusal, RpcTimeout, type OnPacket } from './rpc/rpc-client.js';
export { runMain } from './run-main.js';
export {
  DRAIN_TIMEOUT_MS,
  startHttpService,
  startMicroservice,
  type Drain,
  type RunningService,
  type ServiceOptions,
} from './running-service.js';
export { startTracing, type TracingOptions } from './tracing.js';

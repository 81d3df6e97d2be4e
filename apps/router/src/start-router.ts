/** Starts one router process's service from its configuration. Shared by `main.ts` and the standalone process. */
import { KEYSET_REPORT_PATH, type Keyset } from '@roundhouse/sealed-state';
import { startHttpService, type RunningService } from '@roundhouse/service-kit';
import { RouterModule, RouterParts } from './app.module.js';
import type { RouterConfig } from './config.js';
import { consolePages } from './console/console-pages.js';
import { answerClientError } from './intake/client-error.js';
import { takeMcp } from './intake/take-mcp.js';
import { RouterDrain } from './router-drain.js';

export { routerConfig, type RouterConfig } from './config.js';

/** Above the 60 s for which common proxies keep idle connections, so that none is closed under a request (HLM-14). */
const KEEP_ALIVE_TIMEOUT_MS = 75_000;

/** `beside`: services of the same process, whose metrics are shown after the router's own. */
export async function startRouter(
  config: RouterConfig,
  keyset?: Keyset,
  beside?: readonly RunningService[],
): Promise<RunningService> {
  const { requestTimeoutMs } = config.limits;
  const { lingerMs, timeoutMs, streamsSpreadMs } = config.drain;
  const parts = RouterParts.for(config, keyset);
  return startHttpService(
    {
      name: 'router',
      module: RouterModule.of(parts),
      listen: config.listen,
      admin: config.admin,
      logLevel: config.logLevel,
      readiness: () => () => parts.keyset.whyNotReady() ?? parts.catalogue.whyNotReady(),
      pages: (_app, readiness) => ({
        [KEYSET_REPORT_PATH]: () => parts.keyset.report(),
        ...consolePages(parts, readiness),
      }),
      started: () => () => parts.catalogue.whyNotStarted(),
      drain: () => new RouterDrain(parts, streamsSpreadMs),
      lingerMs,
      drainTimeoutMs: timeoutMs,
      ...(config.metrics.enabled && { metrics: () => parts.families ?? [], beside }),
    },
    {
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      requestTimeout: requestTimeoutMs,
      clientErrorHandler: answerClientError,
      // Node swaps the two times when the head may take longer than the whole, and looks every 30 s unless told otherwise.
      headersTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.ceil(requestTimeoutMs / 6),
      take: takeMcp(new URL(config.publicUrl).pathname, parts.endpoint),
    },
  );
}

// Settings of a process as the chart takes them: the process' own schema, without what the chart decides itself.
import '../ts-hook.mjs';

const app = (name) => import(new URL(`../../apps/${name}/src/config.ts`, import.meta.url));

/** Defaults are the process' own, and not every helm knows zod's patterns and formats. */
const LEFT_OUT = new Set(['$schema', 'default', 'pattern', 'format']);

const OF_THE_CHART = {
  router: [
    ...['listen', 'admin', 'publicUrl', 'auth', 'workers', 'replay', 'keyset.file', 'policy.file', 'logLevel'],
    ...['rpcTls', 'kubernetes', 'peers', 'tracing.endpoint', 'tracing.ratio'],
  ],
  auth: ['principalHeader'],
  replay: [
    ...[
      'listen',
      'admin',
      'logLevel',
      'tracing.endpoint',
      'store.kind',
      'store.url',
      'store.urlFile',
      'store.sentinels',
    ],
    ...['store.sentinelName', 'store.cluster', 'store.replicasMin'],
  ],
  toolWorker: ['listen', 'admin', 'logLevel', 'tracing.endpoint'],
};

export async function readSettings() {
  const [router, replay, toolWorker] = await Promise.all(['router', 'replay', 'tool-worker'].map(app));
  const { auth } = router.routerConfig.shape.properties;
  const ofAuth = without(plain(auth), OF_THE_CHART.auth);
  return {
    // A header that anybody may send is believed on loopback only, and a pod does not listen there.
    auth: { ...ofAuth, properties: { ...ofAuth.properties, mode: { enum: ['closed', 'oauth'] } } },
    policy: plain(router.policyConfig.shape),
    router: without(plain(router.routerConfig.shape), OF_THE_CHART.router),
    replay: without(plain(replay.replayConfig.shape), OF_THE_CHART.replay),
    toolWorker: without(plain(toolWorker.toolWorkerConfig.shape), OF_THE_CHART.toolWorker),
  };
}

function plain(shape) {
  if (Array.isArray(shape)) return shape.map(plain);
  if (typeof shape !== 'object' || shape === null) return shape;
  const kept = Object.entries(shape).filter(([key, value]) => !LEFT_OUT.has(key) || typeof value === 'object');
  return Object.fromEntries(kept.filter(([key]) => key !== 'default').map(([key, value]) => [key, plain(value)]));
}

function without(shape, paths) {
  const left = structuredClone(shape);
  for (const path of paths) {
    const keys = path.split('.');
    const last = keys.pop();
    const holder = keys.reduce((at, key) => at.properties[key], left);
    if (!(last in holder.properties)) throw new Error(`there is no setting ${path} any more`);
    delete holder.properties[last];
  }
  return left;
}

/** Finds a Prometheus and its promtool to test dashboards and rules with, or installs Debian's. */
import { join } from 'node:path';
import { installDebianPackage } from './debian-package.js';
import { findOnPath, isExecutable } from './executables.js';

export interface PrometheusSearch {
  /** Reads `PROMETHEUS_BIN` (a folder that wins) and `PATH`. */
  readonly env: NodeJS.ProcessEnv;
  readonly isRoot: boolean;
}

export interface PrometheusPrograms {
  readonly prometheus: string;
  readonly promtool: string;
}

/** Looked for once a process. */
let found: Promise<PrometheusPrograms> | undefined;

/** For tests: what they run on decides. Time limit for a hook that calls it: `PROMETHEUS_START_TIMEOUT_MS`. */
export function prometheusPrograms(): Promise<PrometheusPrograms> {
  found ??= ensurePrometheus({ env: process.env, isRoot: process.getuid?.() === 0 });
  return found;
}

/** The package may have to be installed first. */
export const PROMETHEUS_START_TIMEOUT_MS = 180_000;

export async function ensurePrometheus(search: PrometheusSearch): Promise<PrometheusPrograms> {
  const before = findPrometheus(search.env);
  if (before !== undefined) return before;
  await installDebianPackage({
    ...search,
    name: 'prometheus',
    isThere: 'command -v promtool',
    otherwise: 'or set PROMETHEUS_BIN to the folder of its programs.',
  });
  const installed = findPrometheus(search.env);
  if (installed === undefined) throw new Error('The package prometheus was installed, but is not on PATH');
  return installed;
}

export function findPrometheus(env: NodeJS.ProcessEnv): PrometheusPrograms | undefined {
  const chosen = env['PROMETHEUS_BIN'];
  if (chosen !== undefined && chosen !== '') {
    const [prometheus, promtool] = [join(chosen, 'prometheus'), join(chosen, 'promtool')];
    if (!isExecutable(prometheus) || !isExecutable(promtool))
      throw new Error(`PROMETHEUS_BIN names ${chosen}, which has no prometheus and promtool to run`);
    return { prometheus, promtool };
  }
  const [prometheus, promtool] = [findOnPath('prometheus', env), findOnPath('promtool', env)];
  return prometheus === undefined || promtool === undefined ? undefined : { prometheus, promtool };
}

// All dashboards as files of deploy/observability/dashboards: path and text.
import { toGrafana } from './dashboard.mjs';
import { FLOWS } from './dashboards/flows.mjs';
import { OVERVIEW } from './dashboards/overview.mjs';
import { REPLAY } from './dashboards/replay.mjs';
import { STATE_AND_KEYS } from './dashboards/state-and-keys.mjs';
import { TOOLS } from './dashboards/tools.mjs';
import { WORKERS } from './dashboards/workers.mjs';

const FOLDER = 'deploy/observability/dashboards';

/** @returns {Record<string, string>} text by path */
export function dashboardFiles() {
  const dashboards = [OVERVIEW, FLOWS, TOOLS, STATE_AND_KEYS, WORKERS, REPLAY];
  return Object.fromEntries(
    dashboards.map((dashboard) => [
      `${FOLDER}/${dashboard.uid}.json`,
      `${JSON.stringify(toGrafana(dashboard), undefined, 2)}\n`,
    ]),
  );
}

// Writes pages of docs/ and the dashboards from the code that decides them, so that none can be out of date.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { configurationPage } from './docs/configuration-page.mjs';
import { errorsPage } from './docs/errors-page.mjs';
import { metricsPage } from './docs/metrics-page.mjs';
import { dashboardFiles } from './observability/dashboard-files.mjs';
import { readArguments } from './usage.mjs';
import './ts-hook.mjs';

const { values } = readArguments({
  options: { check: { type: 'boolean', default: false } },
  usage: `
Usage: node tools/generate-docs.mjs [--check]

Writes docs/errors.md, docs/metrics.md, docs/configuration.md and the dashboards of deploy/observability.

  --check   write nothing; end with 1 when a page differs from what would be written
`,
});

/** Which app reads a section of settings, in the order of the page. */
const APPS = { router: 'router', policy: 'router', toolWorker: 'tool-worker', replay: 'replay' };
const CONFIGURATION_PAGE = 'docs/configuration.md';

const fileUrl = (path) => new URL(`../${path}`, import.meta.url);
const readPage = (path) => (existsSync(fileUrl(path)) ? readFileSync(fileUrl(path), 'utf8') : '');

/** Nothing for an app that never had settings; one that once was on the page cannot silently leave it. */
async function readDefinition([section, app]) {
  const path = `apps/${app}/src/config.ts`;
  if (!existsSync(fileUrl(path)) && !readPage(CONFIGURATION_PAGE).includes(`\n## ${section}\n`)) return [];
  const { [`${section}Config`]: definition } = await import(fileUrl(path));
  if (definition === undefined) throw new Error(`${path} does not export ${section}Config`);
  return [definition];
}

const { ERROR_TABLE, REASONS } = await import(fileUrl('libs/errors/src/index.ts'));
const { METRICS } = await import(fileUrl('libs/telemetry/src/metrics/metric-table.ts'));
const definitions = (await Promise.all(Object.entries(APPS).map(readDefinition))).flat();
const pages = {
  'docs/errors.md': errorsPage({ table: ERROR_TABLE, reasons: REASONS }),
  'docs/metrics.md': metricsPage(METRICS),
  [CONFIGURATION_PAGE]: configurationPage(definitions),
  ...dashboardFiles(),
};

for (const [path, page] of Object.entries(pages)) {
  if (readPage(path) === page) continue;
  if (values.check) {
    process.stdout.write(`${path} differs from the code: run node tools/generate-docs.mjs\n`);
    process.exitCode = 1;
    continue;
  }
  mkdirSync(new URL('.', fileUrl(path)), { recursive: true });
  writeFileSync(fileUrl(path), page);
  process.stdout.write(`${path} written\n`);
}

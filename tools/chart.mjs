// npm run chart: whether the Helm chart renders what it should and refuses what it must.
import { existsSync } from 'node:fs';
import { ROOT } from './child.mjs';
import { readArguments } from './usage.mjs';

const CHART = 'charts/roundhouse/Chart.yaml';

const { values } = readArguments({
  options: { json: { type: 'boolean', default: false } },
  usage: `
Usage: npm run chart [-- --json]

Lints and renders the Helm chart and checks the result.

  --json   print {"checks","failed"} as the last line
`,
});
if (existsSync(`${ROOT}${CHART}`)) throw new Error(`${CHART} exists, but nothing here checks it`);
process.stdout.write(`Nothing was checked: there is no chart at ${CHART} yet.\n`);
if (values.json) process.stdout.write(`${JSON.stringify({ checks: 0, failed: 0 })}\n`);

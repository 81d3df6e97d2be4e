// docs/metrics.md: every metric as whoever draws a dashboard or writes an alert reads it.
import { code, toTable } from './table.mjs';

const INTRO = `# Metrics

<!-- Generated from libs/telemetry by tools/generate-docs.mjs. -->

Every process shows its metrics at \`/metrics\` on its admin port, in the Prometheus text format, or in OpenMetrics with
exemplars when that is asked for. Those of the process itself (\`process_*\`, \`nodejs_*\`) come from prom-client. A label
without a value is left out: a tool that nobody serves has no \`gen_ai_tool_name\`. How to read them:
[observability.md](observability.md).
`;

const BUCKETS_INTRO = `
## Buckets

Upper bounds of the histograms, in the unit of each.

`;

export function metricsPage(table) {
  const rows = Object.entries(table);
  const sources = [...new Set(rows.map(([, { source }]) => source))];
  const sections = sources.map((source) =>
    sectionOf(
      source,
      rows.filter((row) => row[1].source === source),
    ),
  );
  const buckets = rows.filter(([, row]) => row.buckets !== undefined);
  return INTRO + sections.join('') + BUCKETS_INTRO + buckets.map(bucketsOf).join('');
}

function sectionOf(source, rows) {
  const head = ['Metric', 'Type, unit', 'Labels', 'Meaning', 'Look when'];
  const cells = rows.map(([name, { type, unit, labels, help, lookWhen }]) => [
    code(name),
    unit === '1' ? type : `${type}, ${unit}`,
    labels.map(code).join(' '),
    help,
    lookWhen,
  ]);
  return `\n## ${source}\n\n${toTable(head, cells)}`;
}

function bucketsOf([name, { buckets }]) {
  return `- ${code(name)}: ${buckets.join(', ')}\n`;
}

// docs/errors.md: the closed error table as an operator or client author reads it.
import { code, toTable } from './table.mjs';

const INTRO = `# Errors

<!-- Generated from libs/errors by tools/generate-docs.mjs. -->

Everything Roundhouse can refuse or fail with. A caller sees the HTTP status (as long as no byte of the reply has left),
the JSON-RPC code and the text; \`%s\` stands for the name of what was refused. The code and the reason go to logs and
metrics only.

`;

const REASONS_INTRO = `
## Reasons

Why exactly something was refused: a log field and a metric label, never on the wire.

`;

export function errorsPage({ table, reasons }) {
  const head = ['Code', 'HTTP', 'JSON-RPC', 'At fault', 'Send again', 'Log level', 'Text'];
  const rows = Object.entries(table).map(([name, { status, rpcCode, blame, retry, logLevel, text }]) => [
    code(name),
    status,
    rpcCode,
    blame,
    retry.replaceAll('-', ' '),
    logLevel,
    text,
  ]);
  return INTRO + toTable(head, rows) + REASONS_INTRO + reasons.map((reason) => `- ${code(reason)}\n`).join('');
}

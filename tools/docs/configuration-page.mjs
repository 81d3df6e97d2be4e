// docs/configuration.md: every setting of every process, from the schemas that check them.
import { code, toTable } from './table.mjs';

const INTRO = `# Configuration

<!-- Generated from each app's config.ts by tools/generate-docs.mjs. -->

A process reads its settings once, at start: first the YAML file that \`ROUNDHOUSE_CONFIG_FILE\` names, if any, then the
environment variables below, which win. One file may hold the sections of all processes; each reads its own. An unknown
key in a section is refused, an empty variable counts as not set, and lists in variables are separated by commas.
The \`policy\` section stands in a file of its own, which \`router.policy.file\` names and the router follows while it runs.
A process that cannot start tells the path, the rule and the variable or line, never a value.
`;

export function configurationPage(definitions) {
  return INTRO + definitions.map(sectionOf).join('');
}

function sectionOf(definition) {
  const head = ['Setting', 'Type', 'Default', 'Variable', 'What it does'];
  const rows = definition
    .document()
    .map((field) => [code(field.path), field.type, defaultOf(field), code(field.env), field.description]);
  return `\n## ${definition.name}\n\n${toTable(head, rows)}`;
}

function defaultOf({ required, requiredWithin, default: preset }) {
  if (required) return 'required';
  return requiredWithin === undefined ? code(preset) : `required in ${code(requiredWithin)}`;
}

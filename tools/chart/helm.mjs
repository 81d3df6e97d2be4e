// Runs Helm on the chart: the objects it renders, or the words with which it refuses.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { ROOT } from '../child.mjs';
import { fetchTools } from './fetched-tools.mjs';

export const CHART = join(ROOT, 'charts/roundhouse');
/** The oldest and the newest Kubernetes that the chart is checked for. */
export const KUBERNETES = ['1.30.0', '1.37.0'];
/** API groups of operators that the chart asks the cluster for. */
export const OPERATORS = ['monitoring.coreos.com/v1'];

export const TOOLS = fetchTools();
export const HELMS = Object.keys(TOOLS.helms);
const [NEWEST] = HELMS;

/** Values files that are examples and checks at once, by name; the first is none at all. */
export const VALUES_FILES = {
  defaults: [],
  production: [join(CHART, 'values-production.yaml')],
  ...Object.fromEntries(
    readdirSync(join(CHART, 'ci')).map((file) => [file.replace('-values.yaml', ''), [join(CHART, 'ci', file)]]),
  ),
};

const rendered = new Map();

/**
 * @param {{ files?: string[], values?: object, release?: string, kubernetes?: string, apis?: string[], helm?: string,
 *   chart?: string, args?: string[] }} options
 */
function template(options) {
  const { files = [], values = {}, release = 'rh', kubernetes = KUBERNETES[1], apis = [], helm = NEWEST } = options;
  const { chart = CHART, args = [] } = options;
  const given = [
    ...files.flatMap((file) => ['--values', file]),
    ...['--values', '-', '--kube-version', kubernetes],
    ...apis.flatMap((api) => ['--api-versions', api]),
    ...args,
  ];
  const command = ['template', release, chart, ...given];
  return runHelm(helm, command, JSON.stringify(values));
}

function runHelm(helm, command, input) {
  const key = JSON.stringify([helm, command, input]);
  if (!rendered.has(key)) {
    const { status, stdout, stderr } = spawnSync(TOOLS.helms[helm], command, {
      input,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    });
    rendered.set(key, { status, stdout, stderr });
  }
  return rendered.get(key);
}

/** What the chart renders, as text. Runs anew whenever `fresh` differs. @throws when it refuses */
export function renderText(options = {}) {
  const { status, stdout, stderr } = template(options);
  if (status !== 0) throw new Error(`helm: ${stderr}`);
  return stdout;
}

/** What the chart renders, as objects. */
export function render(options = {}) {
  return toObjects(renderText(options));
}

export function toObjects(text) {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    const object = document.toJS();
    return object === null ? [] : [object];
  });
}

/** Why the chart refuses these values. @throws when it does not */
export function refusal(options) {
  const { status, stderr } = template(options);
  if (status === 0) throw new Error('the chart took values that it should refuse');
  return stderr;
}

/** @returns {{ passed: boolean, output: string }} */
export function lint({ files, helm }) {
  const values = files.flatMap((file) => ['--values', file]);
  const { status, stdout, stderr } = runHelm(helm, ['lint', '--strict', CHART, ...values], '');
  return { passed: status === 0, output: stdout + stderr };
}

/** Forgets what was rendered, so that the next time is a second time. */
export function forgetRendered() {
  rendered.clear();
}

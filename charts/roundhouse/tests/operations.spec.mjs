// What docs/operations.md tells an operator to run and to set is there, and its arithmetic is that of the example.
import { expect, it } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../../../tools/child.mjs';
import { OPERATORS, render, VALUES_FILES } from '../../../tools/chart/helm.mjs';
import { find } from '../../../tools/chart/rendered.mjs';

const read = (file) => readFileSync(join(ROOT, file), 'utf8');
const PAGE = 'docs/operations.md';
const page = read(PAGE);
const settings = read('docs/configuration.md') + read('docs/chart-values.md');
const objects = render({ files: VALUES_FILES.production, apis: OPERATORS, release: 'roundhouse' });

/** Once each, as rows of a table of tests. */
const every = (pattern) => [...new Set([...page.matchAll(pattern)].map(([, found]) => found))].map((each) => [each]);

/** 800 calls and 100 flows a second, times four, at 70 %, on two pods of three. */
const CALLS = 800;
const FLOWS = 100;
const milliCores = (usCall, usFlow) => ((CALLS * usCall + FLOWS * usFlow) * 4) / 0.7 / 2 / 1_000;
const row = (name) => page.split('\n').find((line) => line.startsWith(`| ${name}`)) ?? '';
const [, usRouter, usWorker] = /(\d+) µs \| (\d+) µs/.exec(row('one call'));
const [, usRouterFlow, usWorkerFlow] = /(\d+) µs \| .*: (\d+) µs/.exec(row('one flow of two rounds'));

it.each([
  ['-router', milliCores(usRouter, usRouterFlow)],
  ['-worker-reference', milliCores(usWorker, usWorkerFlow)],
  ['-replay', milliCores(0, usRouterFlow)],
])('the example asks for what its %s needs, and for less than twice that', (end, needed) => {
  const [container] = find(objects, 'Deployment', end).spec.template.spec.containers;
  const asked = Number.parseInt(container.resources.requests.cpu);
  expect(container.resources.requests.cpu).toMatch(/^\d+m$/);
  expect(asked).toBeGreaterThanOrEqual(needed);
  expect(asked).toBeLessThan(2 * needed);
});

it.each(every(/((?:deployment|cronjob)\/[\w-]+)/g))('%s is in the chart', (reference) => {
  const [kind, name] = reference.split('/');
  expect(objects.map((each) => `${each.kind.toLowerCase()}/${each.metadata.name}`)).toContain(`${kind}/${name}`);
});

it.each(every(/--set ([\w.]+)=/g))('%s is a value of the chart', (key) => {
  expect(settings).toContain(`| \`${key}\` |`);
});

it.each(every(/`((?:router|replay|policy|redis|keyset)\.[\w.]+)`/g))('%s is a setting', (key) => {
  const setting = key.replace('.config.', '.');
  expect([key, setting].some((each) => settings.includes(`| \`${each}\` |`))).toBe(true);
});

it.each(every(/npm run (\w+)/g))('npm run %s is there', (script) => {
  expect(JSON.parse(read('package.json')).scripts).toHaveProperty(script);
});

it.each(every(/npm run e2e -- (\w+)/g))('the scenarios of %s are there', (name) => {
  expect(existsSync(join(ROOT, `e2e/scenarios/${name}.ts`))).toBe(true);
});

it.each(every(/\]\(([^)#]+)(?:#[^)]*)?\)/g))('%s is a page', (link) => {
  expect(existsSync(join(ROOT, dirname(PAGE), link))).toBe(true);
});

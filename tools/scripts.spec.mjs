import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { ROOT } from './child.mjs';

const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'));
const NAMES = 'start test lint typecheck build demo e2e conformance bench faults mutation chart images'.split(' ');
const MEASURING = ['demo', 'e2e', 'conformance', 'bench', 'faults', 'mutation', 'chart', 'images'];

function run(name, ...args) {
  const [program, ...given] = scripts[name].split(' ');
  expect(program).toBe('node');
  return spawnSync(process.execPath, [...given, ...args], { cwd: ROOT, encoding: 'utf8' });
}

it('has the scripts that others rely on, and no others', () => {
  expect(Object.keys(scripts).sort()).toEqual([...NAMES].sort());
});

it.each(NAMES)('%s prints its usage and ends with 0', (name) => {
  const { status, stdout, stderr } = run(name, '--help');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(
    name === 'start' || name === 'test' ? /^Usage: npm / : new RegExp(`^Usage: npm run ${name}\\b`),
  );
});

it.each(MEASURING)('%s tells that --json prints a last line for machines', (name) => {
  expect(run(name, '--help').stdout).toContain('--json');
});

it.each(['start', 'lint', 'typecheck', 'build', 'mutation', 'chart', 'images'])(
  '%s refuses an option it does not know, with its usage',
  (name) => {
    const { status, stderr } = run(name, '--colour');
    expect(status).toBe(2);
    expect(stderr).toContain('--colour');
    expect(stderr).toContain('Usage:');
  },
);

it('chart asks for a kube-apiserver that is there, and says how to get one', () => {
  const { status, stderr } = run('chart', '--cluster', '/nowhere/kube-apiserver');
  expect(status).toBe(1);
  expect(stderr).toMatch(/needs a real kube-apiserver: docs\/adr\/0011-.*\/nowhere\/kube-apiserver/s);
});

it('demo tells of everything that it can play', () => {
  const source = readFileSync(`${ROOT}e2e/demo/scripts.ts`, 'utf8');
  const tools = [...source.matchAll(/\{ tool: '(\w+)'/g)].map(([, tool]) => tool);
  const names = [...tools, 'login'];
  expect(tools.length).toBeGreaterThan(1);
  const { stdout } = run('demo', '--help');
  expect(names.filter((name) => !new RegExp(`^  ${name} `, 'm').test(stdout))).toEqual([]);
});

it('refuses to look for mutants in a library it does not know, with its usage', () => {
  const { status, stderr } = run('mutation', '--only', 'errors');
  expect(status).toBe(2);
  expect(stderr).toContain('errors');
  expect(stderr).toContain('Usage:');
});

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { ROOT } from './child.mjs';
import { findCommands } from './documented-commands.mjs';

const EXAMPLE = `${ROOT}deploy/examples/worker-hello/`;
const page = readFileSync(`${ROOT}docs/writing-a-tool.md`, 'utf8');
/** Blocks that say which file they are. */
const files = [...page.matchAll(/^```\w+ (\S+)\n([\s\S]*?)^```$/gm)].map(([, path, text]) => [path, text]);
const { scripts } = JSON.parse(readFileSync(`${EXAMPLE}package.json`, 'utf8'));

describe('docs/writing-a-tool.md', () => {
  it.each(files)('shows %s as the example has it, which scenarios build, test and call', (path, text) => {
    expect(readFileSync(`${EXAMPLE}${path}`, 'utf8')).toBe(text);
  });

  it('shows every source file of the example, and what it is built with', () => {
    const sources = readdirSync(`${EXAMPLE}src`).map((name) => `src/${name}`);
    expect(files.map(([path]) => path).sort()).toEqual(
      [...sources, 'package.json', 'roundhouse.yaml', 'tsconfig.json'].sort(),
    );
  });

  it('has no TypeScript that nothing runs', () => {
    expect(page).not.toMatch(/^```ts$/m);
  });

  it.each(findCommands(page))('tells to run %s, which is there', (command) => {
    const [, script, file] = /^(?:\S+=\S+ )?(?:npm (?:run )?(\w+)|node (\S+)|curl -s http)/.exec(command) ?? [command];
    if (script !== undefined && script !== 'install') expect(scripts).toHaveProperty(script);
    if (file !== undefined) expect(existsSync(`${ROOT}${file}`)).toBe(true);
    expect(command).toMatch(/^(ROUNDHOUSE_CONFIG_FILE=\S+ )?(npm|node|curl) /);
  });
});

import { readFileSync } from 'node:fs';
import { ROOT } from './child.mjs';
import { findCommands, problemOfCommand } from './documented-commands.mjs';

const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'));
const PAGES = ['README.md', 'CONTRIBUTING.md'];

describe.each(PAGES)('%s', (page) => {
  const commands = findCommands(readFileSync(`${ROOT}${page}`, 'utf8'));

  it('tells its reader what to run', () => {
    expect(commands).toEqual(expect.arrayContaining(['npm ci', 'npm test']));
  });

  it.each(commands)('tells to run %s, which can be run', (command) => {
    expect(problemOfCommand(command, scripts)).toBeUndefined();
  });
});

describe('finding commands', () => {
  it('takes blocks of sh alone, without comments, and splits at &&', () => {
    const page = '```sh\n# first\nnpm ci && npm test\n\nnpm start\n```\n\n```text\nnpm stop\n```\n';
    expect(findCommands(page)).toEqual(['npm ci', 'npm test', 'npm start']);
  });

  it('joins a command that goes on over lines, by a backslash or inside quotes', () => {
    const page = '```sh\ncurl http://127.0.0.1:3000/mcp \\\n  -d \'{\n  "a": "x && y" }\'\n```\n';
    expect(findCommands(page)).toEqual([expect.stringMatching(/^curl .*-d '\{ +"a": "x && y" \}'$/)]);
  });
});

describe('a command that cannot run', () => {
  const curl = (rest) => `curl -s http://127.0.0.1:3000/mcp ${rest}`;

  it.each([
    ['npm run nothing', 'no script nothing'],
    ['npm tset', 'not a command'],
    ['node tools/nothing.mjs', 'no file'],
    ['bash .ci/nothing', 'no file'],
    ['frobnicate', 'not a program'],
    ["npm run 'test", 'quote is left open'],
    ['curl -s', 'one URL'],
    ['curl http://[', 'one URL'],
    [curl('-H "Accept application/json"'), 'not a header'],
    [curl(`-d '{"a":}'`), 'not JSON'],
    [curl(`-H 'A: b' -d "{'a':1}"`), 'not JSON'],
  ])('is told: %s', (command, problem) => {
    expect(problemOfCommand(command, scripts)).toContain(problem);
  });

  it.each([
    'npm run lint -- --fix',
    'ROUNDHOUSE_HTTP_PORT=0 npm start',
    'bash .ci/run',
    curl(`-H 'Accept: application/json' -d '{"a":"it is"}'`),
  ])('is not %s', (command) => {
    expect(problemOfCommand(command, scripts)).toBeUndefined();
  });
});

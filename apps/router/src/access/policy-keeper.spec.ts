import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RouterConfig } from '../config.js';
import { PolicyKeeper } from './policy-keeper.js';

const GOOD = 'policy:\n  rules:\n    - name: a\n      tools: [x]\n';

let folder: string;
let path: string;
let lines: string[];
let keeper: PolicyKeeper | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'policy-keeper-'));
  path = join(folder, 'policy.yaml');
  [lines, keeper] = [[], undefined];
});
afterEach(() => {
  keeper?.stop();
  rmSync(folder, { recursive: true });
});

const log = { log: (line: string) => void lines.push(line), error: (line: string) => void lines.push(line) };
function open(mode: RouterConfig['auth']['mode'], file: string | undefined = path): PolicyKeeper {
  const auth = { mode } as RouterConfig['auth'];
  keeper = PolicyKeeper.open({ auth, policy: { file, pollMs: 60_000 } }, () => void lines.push('changed'), { log });
  return keeper;
}

describe('the policy of a router', () => {
  it('is the file, in development as well', () => {
    writeFileSync(path, GOOD);
    expect(open('development').current).toBeDefined();
  });

  it('is another object after a change, and whoever cares is told', () => {
    writeFileSync(path, GOOD);
    const followed = open('oauth');
    const before = followed.current;
    writeFileSync(path, `${GOOD}      scopes: [y]\n`);
    followed.checkNow();
    expect(followed.current).not.toBe(before);
    expect(lines).toEqual(['policy reloaded', 'changed']);
  });

  it('stays when the new file is bad; the log names rule and line, and quotes nothing', () => {
    writeFileSync(path, GOOD);
    const followed = open('oauth');
    const before = followed.current;
    writeFileSync(path, `${GOOD}      when: principal.hunter2 == 1\n`);
    followed.checkNow();
    expect(followed.current).toBe(before);
    expect(lines).toEqual([
      'policy not reloaded, the one before stays: config_malformed: policy.rules[0].when: is not valid CEL: no such key (line 5 of the file)',
    ]);
  });

  it('stays when the file is gone', () => {
    writeFileSync(path, GOOD);
    const followed = open('oauth');
    rmSync(path);
    followed.checkNow();
    expect(followed.current).toBeDefined();
    expect(lines).toEqual([
      'policy not reloaded, the one before stays: config_unreadable: names a file that cannot be read: ENOENT (router.policy.file)',
    ]);
  });

  it.each(['policy:\n  rule: []\n', 'policy: 5\n', 'policy: *a\n'])('cannot start with %j', (text) => {
    writeFileSync(path, text);
    expect(() => open('oauth')).toThrow('Invalid configuration');
  });

  it('cannot start with a file that is absent', () => {
    expect(() => open('oauth')).toThrow('Invalid configuration');
  });

  it('is none in development without a file, and the demands of the workers otherwise', () => {
    const nothing = { auth: { mode: 'development' }, policy: { pollMs: 60_000 } } as RouterConfig;
    const oauth = { ...nothing, auth: { mode: 'oauth' } } as RouterConfig;
    expect(PolicyKeeper.open(nothing, () => undefined).current).toBeUndefined();
    expect(PolicyKeeper.open(oauth, () => undefined).current).toBeDefined();
  });
});

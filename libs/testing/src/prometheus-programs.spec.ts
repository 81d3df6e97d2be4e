import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ensurePrometheus, findPrometheus } from './prometheus-programs.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'prometheus-programs-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function writeProgram(name: string, mode = 0o755): string {
  const path = join(folder, name);
  writeFileSync(path, '#!/bin/sh\n');
  chmodSync(path, mode);
  return path;
}

describe('findPrometheus', () => {
  it('finds both programs on PATH', () => {
    const [prometheus, promtool] = [writeProgram('prometheus'), writeProgram('promtool')];
    expect(findPrometheus({ PATH: `/nowhere:${folder}` })).toEqual({ prometheus, promtool });
  });

  it('takes the folder that PROMETHEUS_BIN names before PATH', () => {
    const [prometheus, promtool] = [writeProgram('prometheus'), writeProgram('promtool')];
    expect(findPrometheus({ PATH: '/nowhere', PROMETHEUS_BIN: folder })).toEqual({ prometheus, promtool });
  });

  it('is not content with one of the two', () => {
    writeProgram('prometheus');
    expect(findPrometheus({ PATH: folder })).toBeUndefined();
  });

  it('refuses a PROMETHEUS_BIN that lacks one instead of taking another', () => {
    writeProgram('prometheus');
    writeProgram('promtool', 0o644);
    expect(() => findPrometheus({ PATH: folder, PROMETHEUS_BIN: folder })).toThrow(/no prometheus and promtool to run/);
  });
});

describe('ensurePrometheus', () => {
  it.each([
    ['root without apt-get', true],
    ['a person without root', false],
  ])('tells %s the exact command when there is none', async (_who, isRoot) => {
    await expect(ensurePrometheus({ env: { PATH: folder }, isRoot })).rejects.toThrow(
      /apt-get update && apt-get install -y --no-install-recommends prometheus/,
    );
  });
});

/** Images are tried on the Node that the tests pass on, and the Dockerfile's default is of the same line. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { ROOT } from '../harness/workspace.js';
import { NODE } from './base-image.js';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

it('is the Node of the second test run', () => {
  expect(/^NODE24=(.+)$/m.exec(read('.ci/run'))?.[1]).toBe(NODE);
});

it('is of the same line as the default of the Dockerfile', () => {
  const line = /^ARG BASE=node:(\d+)-/m.exec(read('deploy/docker/Dockerfile'))?.[1];
  expect(NODE).toMatch(new RegExp(`@${line}\\.`));
});

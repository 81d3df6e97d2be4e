import { randomBytes } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createKeysetEntry, formatKeyset, parseKeysetReport, type KeysetEntry } from '@roundhouse/sealed-state';
import { accept, asks, completes, confirmAsk } from '../testing/replies.js';
import { RouterUnderTest, type Answer, type CallOptions } from '../testing/router-under-test.js';
import { ScriptedWorker } from '../testing/scripted-worker.js';

const MINUTE = 60_000;
const POLL_MS = 20;
const startMs = Date.now();
const older = createKeysetEntry({ nowMs: startMs - 90 * MINUTE, activateAtMs: startMs - 80 * MINUTE, randomBytes });
const staged = createKeysetEntry({ nowMs: startMs - 20 * MINUTE, activateAtMs: startMs + 60 * MINUTE, randomBytes });

let folder: string;
let file: string;
let router: RouterUnderTest;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'router-keyset-'));
  file = join(folder, 'keyset.json');
  write(older, staged);
  const worker = new ScriptedWorker({
    plain: {
      script: ({ answers }) => (answers?.['confirm'] ? completes('done') : asks({ confirm: confirmAsk() })),
    },
  });
  router = await RouterUnderTest.start([worker], (config) => ({
    ...config,
    keyset: { file, pollMs: POLL_MS },
    admin: { host: '127.0.0.1', port: 0 },
  }));
});
afterAll(async () => {
  await router.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(() => reload(older, staged));

function write(...keys: readonly KeysetEntry[]): void {
  writeFileSync(`${file}.new`, formatKeyset(keys));
  renameSync(`${file}.new`, file);
}

/** Writes the keys and waits until the router has them. */
async function reload(...keys: readonly KeysetEntry[]): Promise<void> {
  write(...keys);
  const isHeld = (key: KeysetEntry): boolean => {
    const held = router.parts.keyset.current().byKid(key.kid);
    return held?.enabled === (key.status === 'enabled') && held.activateAtMs === Date.parse(key.activateAt);
  };
  while (!keys.every(isHeld)) await new Promise((resolve) => setTimeout(resolve, 1));
}

const begin = async (options: CallOptions = { principal: 'alice' }): Promise<string> =>
  (await router.tool('plain', {}, options)).body.result!.requestState!;

const answer = (requestState: string, options: CallOptions = { principal: 'alice' }): Promise<Answer> =>
  router.tool('plain', {}, { ...options, retry: { requestState, inputResponses: { confirm: accept({ ok: true }) } } });

const REFUSED = { code: -32602, message: 'Invalid or expired requestState', data: { reason: 'invalid_request_state' } };

describe('a router that follows its keyset file', () => {
  it('continues a flow whose key was replaced meanwhile', async () => {
    const state = await begin();
    await reload(older, { ...staged, activateAt: new Date(startMs - 5 * MINUTE).toISOString() });
    expect(router.parts.keyset.report().keys.map(({ role }) => role)).toEqual(['primary', 'previous']);
    expect((await answer(state)).body.result).toMatchObject({ resultType: 'complete' });
  });

  it('refuses state of a disabled key within one poll, and seals with another', async () => {
    const state = await begin();
    const promoted = { ...staged, activateAt: new Date(startMs - 5 * MINUTE).toISOString() };
    const disabledAtMs = performance.now();
    await reload({ ...older, status: 'disabled' }, promoted);
    expect(performance.now() - disabledAtMs).toBeLessThan(POLL_MS + 1_000);
    expect((await answer(state)).body.error).toEqual(REFUSED);
    expect((await answer(await begin())).body.result).toMatchObject({ resultType: 'complete' });
  });

  it('goes on with its keys while the file is bad', async () => {
    const state = await begin();
    writeFileSync(file, '{"version":1,"keys":[');
    while (router.parts.keyset.report().outcome === 'ok') await new Promise((resolve) => setTimeout(resolve, 1));
    expect((await answer(state)).body.result).toMatchObject({ resultType: 'complete' });
  });

  it('shows ids and roles on the admin port', async () => {
    const response = await fetch(`http://127.0.0.1:${router.adminPort}/keyz`);
    const text = await response.text();
    expect(parseKeysetReport(text)?.keys).toEqual([
      { kid: staged.kid, role: 'staged', activateAt: staged.activateAt },
      { kid: older.kid, role: 'primary', activateAt: older.activateAt },
    ]);
    for (const { k } of [older, staged]) expect(text).not.toContain(k.slice(0, 8));
  });
});

describe('who continues a flow', () => {
  const alice = { principal: 'alice' };
  const withToken = (token: string): CallOptions => ({ ...alice, headers: { authorization: `Bearer ${token}` } });

  it('is the same principal under a token that was renewed meanwhile', async () => {
    expect((await answer(await begin(withToken('one')), withToken('two'))).body.result).toMatchObject({
      resultType: 'complete',
    });
  });

  it('is nobody, when nobody began it', async () => {
    expect((await answer(await begin({}), {})).body.result).toMatchObject({ resultType: 'complete' });
  });

  it.each([
    ['a principal, when nobody began it', {}, alice],
    ['nobody, when a principal began it', alice, {}],
    ['another principal', alice, { principal: 'bob' }],
    ['another principal under the same token', withToken('one'), { ...withToken('one'), principal: 'bob' }],
  ] as [string, CallOptions, CallOptions][])('is never %s', async (_name, first, second) => {
    expect((await answer(await begin(first), second)).body.error).toEqual(REFUSED);
  });
});

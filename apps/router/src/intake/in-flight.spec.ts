import { afterEach, describe, expect, it } from '@jest/globals';
import { Subject } from 'rxjs';
import { RouterUnderTest } from '../testing/router-under-test.js';
import { ScriptedWorker } from '../testing/scripted-worker.js';

let router: RouterUnderTest;
afterEach(() => router.stop());

describe('calls in flight', () => {
  it('beyond the limit are refused with 503 before a worker hears of them, and served again below it', async () => {
    const run = new Subject<unknown>();
    const worker = new ScriptedWorker({ patient: { script: () => run } });
    router = await RouterUnderTest.start([worker], (config) => ({
      ...config,
      limits: { ...config.limits, callsMax: 1 },
    }));
    const first = router.tool('patient', {});
    while (worker.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const { status, headers, body } = await router.tool('patient', {});
    expect([status, headers['retry-after'], body.error?.code]).toEqual([503, '1', -32603]);
    expect(worker.calls).toHaveLength(1);
    run.next({ kind: 'complete', body: '{"content":[]}' });
    run.complete();
    expect((await first).status).toBe(200);
    expect((await router.tool('patient', {})).status).not.toBe(503);
  });
});

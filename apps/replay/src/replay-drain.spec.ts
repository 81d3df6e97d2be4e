import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { ReplayDrain } from './replay-drain.js';

describe('ReplayDrain', () => {
  it('ends the waiting when it begins', () => {
    let stopped = 0;
    new ReplayDrain({ stop: () => (stopped += 1) }).begin();
    expect(stopped).toBe(1);
  });

  it('lets no claim be made from then on', () => {
    const drain = new ReplayDrain({ stop: () => undefined });
    expect(() => drain.assertStaying()).not.toThrow();
    drain.begin();
    expect(() => drain.assertStaying()).toThrow(expect.objectContaining({ code: 'draining' }));
  });

  it('is idle only when every operation has ended, failed ones and later ones too', async () => {
    const drain = new ReplayDrain({ stop: () => undefined });
    const ended: string[] = [];
    let endFirst = (): void => undefined;
    let endSecond = (): void => undefined;
    const first = new Promise<void>((resolve) => (endFirst = resolve));
    const second = new Promise<void>((resolve) => (endSecond = resolve));
    const failing = drain.track(first.then(() => Promise.reject(new Error('failed'))));
    const idle = drain.idle().then(() => ended.push('idle'));
    const following = drain.track(second.then(() => ended.push('second')));
    endFirst();
    await expect(failing).rejects.toThrow('failed');
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    expect(ended).toEqual([]);
    endSecond();
    await following;
    await idle;
    expect(ended).toEqual(['second', 'idle']);
  });
});

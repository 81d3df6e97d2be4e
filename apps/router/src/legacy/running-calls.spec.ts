import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { BridgedCall } from './bridged-call.js';
import { RunningCalls } from './running-calls.js';

function call(): { readonly call: BridgedCall; readonly cancelled: () => number } {
  let cancelled = 0;
  return { call: { cancel: () => (cancelled += 1) } as unknown as BridgedCall, cancelled: () => cancelled };
}

describe('calls of older clients', () => {
  it('are found by their session and the id that their client gave them, and by nothing else', () => {
    const running = new RunningCalls(10);
    const [one, other] = [call(), call()];
    running.enter('a', 1, one.call);
    running.enter('b', 1, other.call);
    expect([running.cancel('a', '1'), running.cancel('a', 2), running.cancel('c', 1)]).toEqual([false, false, false]);
    expect(running.cancel('a', 1)).toBe(true);
    expect([one.cancelled(), other.cancelled()]).toEqual([1, 0]);
  });

  it.each([1, '1', '', 0])('take the id %j once at a time', (id) => {
    const running = new RunningCalls(10);
    const leave = running.enter('a', id, call().call);
    expect(() => running.enter('a', id, call().call)).toThrow(expect.objectContaining({ code: 'request_repeated' }));
    leave();
    expect(running.cancel('a', id)).toBe(false);
    expect(() => running.enter('a', id, call().call)).not.toThrow();
  });

  it('are so many of a session, whatever other sessions have', () => {
    const running = new RunningCalls(2);
    const leave = running.enter('a', 1, call().call);
    running.enter('a', 2, call().call);
    expect(() => running.enter('a', 3, call().call)).toThrow(expect.objectContaining({ code: 'overloaded' }));
    running.enter('b', 3, call().call);
    leave();
    expect(() => running.enter('a', 3, call().call)).not.toThrow();
    expect(running.size).toBe(3);
  });

  it('are waited for until the last of them left', async () => {
    const running = new RunningCalls(2);
    const leaves = [running.enter('a', 1, call().call), running.enter('b', 1, call().call)];
    let isIdle = false;
    const idle = running.idle().then(() => (isIdle = true));
    leaves[0]?.();
    await Promise.resolve();
    expect(isIdle).toBe(false);
    leaves[1]?.();
    await idle;
  });

  it('behave like a Map of those under way, in whatever order they come and go', () => {
    const step = fc.record({ sid: fc.constantFrom('a', 'b'), id: fc.nat({ max: 9 }), enters: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const running = new RunningCalls(100);
        const model = new Map<string, () => void>();
        for (const { sid, id, enters } of steps) {
          const key = `${sid}${id}`;
          expect(running.cancel(sid, id)).toBe(model.has(key));
          if (enters && !model.has(key)) model.set(key, running.enter(sid, id, call().call));
          else if (!enters) {
            model.get(key)?.();
            model.delete(key);
          }
          expect(running.size).toBe(model.size);
        }
      }),
    );
  });
});

import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { Patience } from './patience.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

async function isDone(waiting: Promise<void>): Promise<boolean> {
  await jest.advanceTimersByTimeAsync(0);
  return Promise.race([waiting.then(() => true), jest.advanceTimersByTimeAsync(0).then(() => false)]);
}

it('waits for the work and leaves no timer behind', async () => {
  const waiting = new Patience().wait(1_000, Promise.resolve());
  expect(await isDone(waiting)).toBe(true);
  expect(jest.getTimerCount()).toBe(0);
});

it('waits no longer than its limit', async () => {
  const waiting = new Patience().wait(1_000);
  await jest.advanceTimersByTimeAsync(999);
  expect(await isDone(waiting)).toBe(false);
  await jest.advanceTimersByTimeAsync(1);
  expect(await isDone(waiting)).toBe(true);
});

it('goes on when the work fails', async () => {
  expect(await isDone(new Patience().wait(1_000, Promise.reject(new Error('x'))))).toBe(true);
});

it('waits no more, and never again, once it ended', async () => {
  const patience = new Patience();
  const waiting = patience.wait(1_000);
  expect(await isDone(waiting)).toBe(false);
  patience.end();
  expect(await isDone(waiting)).toBe(true);
  expect(await isDone(patience.wait(1_000))).toBe(true);
  expect(jest.getTimerCount()).toBe(0);
});

it('does not wait at all for no time', async () => {
  expect(await isDone(new Patience().wait(0))).toBe(true);
});

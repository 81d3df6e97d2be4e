import { expect, it } from '@jest/globals';
import { counted, duration, latency, perSecond, timeOfDay } from './words.js';

it.each([
  [-5, '0 s'],
  [0, '0 s'],
  [59.9, '59 s'],
  [60, '1 min'],
  [252, '4 min 12 s'],
  [3_600, '1 h'],
  [11_100, '3 h 5 min'],
  [86_400, '1 d'],
  [1_051_200, '12 d 4 h'],
])('%d seconds are %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});

it.each([
  [0, '0'],
  [0.017, '0.02'],
  [0.1, '0.1'],
  [3.24, '3.2'],
  [140.4, '140'],
])('%d a second is %s', (rate, text) => {
  expect(perSecond(rate)).toBe(text);
});

it('counts in words', () => {
  expect([counted(0, 'tool'), counted(1, 'tool'), counted(2, 'name is', 'names are')]).toEqual([
    ...['0 tools', '1 tool', '2 names are'],
  ]);
});

it('tells the time of day', () => {
  expect(timeOfDay('2026-09-01T08:41:07.123Z')).toBe('08:41:07');
});

it('tells how long a call takes', () => {
  expect([latency(9.4), latency(999), latency(2_345)]).toEqual(['9 ms', '999 ms', '2.3 s']);
});

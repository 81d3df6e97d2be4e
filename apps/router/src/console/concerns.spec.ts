import { describe, expect, it } from '@jest/globals';
import { findConcerns } from './concerns.js';
import type { ConsoleView } from './console-view.js';
import type { GroupView, WorkerState } from './group-view.js';

const HEALTHY: Omit<ConsoleView, 'concerns'> = {
  ...{ time: '', host: 'pod', version: '0', uptimeS: 0, notReady: undefined, tools: [], refusals: [], leftOut: [] },
  traffic: {
    ...{ requests: [], refused: [], failed: [], inFlight: 0, inFlightMax: 100, streams: 0, streamsMax: 100 },
  },
  flows: { ages: [], opened: 0, finished: 0, failed: 0 },
  groups: [group('ready', 'ready')],
  keys: { outcome: 'ok', keys: [{ kid: 'a', role: 'primary', ageS: 1 }] },
  replay: 'answers',
};

function group(...states: WorkerState[]): GroupView {
  const workers = states.map((state) => ({ address: 'a', state, inFlight: 0, latencyMs: 1, catalogueHash: 'h' }));
  const offers = { tools: 1, prompts: 0, resources: 0, resourceTemplates: 0 };
  return {
    ...{ id: 'notes', prefix: '', worker: undefined, catalogueHash: 'h', diverges: false },
    offers,
    workers,
  };
}

const said = (change: Partial<ConsoleView>): string[] =>
  findConcerns({ ...HEALTHY, ...change }).map(({ level, text }) => `${level}: ${text}`);

describe('what needs attention', () => {
  it('is nothing while all is well', () => {
    expect(said({})).toEqual([]);
    expect(said({ replay: 'not configured', groups: [] })).toEqual([]);
  });

  it.each<[string, Partial<ConsoleView>, string]>([
    ['a group without replicas', { groups: [group()] }, 'bad: No worker of group notes can take a call.'],
    [
      'a group whose workers all drain',
      { groups: [group('draining')] },
      'bad: No worker of group notes can take a call.',
    ],
    [
      'one worker that is lost',
      { groups: [group('ready', 'not connected')] },
      'warn: 1 of 2 workers of group notes is not connected.',
    ],
    [
      'two that failed too often',
      { groups: [group('ready', 'set aside', 'set aside')] },
      'warn: 2 of 3 workers of group notes are set aside after failures.',
    ],
    [
      'replicas that differ',
      { groups: [{ ...group('ready'), diverges: true }] },
      'warn: The workers of group notes offer different catalogues.',
    ],
    [
      'names claimed twice',
      { leftOut: [{ group: 'b', kind: 'tools', name: 'x', why: 'y' }] },
      'warn: 1 name is left out of the catalogue.',
    ],
    [
      'no key that seals',
      { keys: { outcome: 'ok', keys: [{ kid: 'a', role: 'staged', ageS: -1 }] } },
      'bad: No key may seal now: no tool can ask a question.',
    ],
    [
      'a bad keyset file',
      { keys: { ...HEALTHY.keys, outcome: 'error' } },
      'warn: The keyset file is bad; the keys before it stay in charge.',
    ],
    [
      'no replay service',
      { replay: 'away' },
      'bad: The replay service does not answer: calls that may run only once are refused.',
    ],
    [
      'hardly any room for calls',
      { traffic: { ...HEALTHY.traffic, inFlight: 90 } },
      'warn: 90 of 100 calls are in flight.',
    ],
    [
      'hardly any room for streams',
      { traffic: { ...HEALTHY.traffic, streams: 99 } },
      'warn: 99 of 100 listen streams are open.',
    ],
  ])('names %s', (_what, change, text) => {
    expect(said(change)).toEqual([text]);
  });

  it('has the worst first', () => {
    const groups = [group('ready', 'draining'), group('not connected')];
    expect(said({ groups }).map((text) => text.slice(0, 4))).toEqual(['bad:', 'warn']);
  });
});

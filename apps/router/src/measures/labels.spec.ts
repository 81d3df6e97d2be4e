import { describe, expect, it } from '@jest/globals';
import { REASONS } from '@roundhouse/errors';
import { MODERN_METHODS, SERVED_REVISIONS } from '@roundhouse/protocol';
import { versionLabel } from '@roundhouse/telemetry';
import type { Route } from '../catalogue/route.js';
import { methodLabel, promptLabel, toolLabel } from './operation-labels.js';
import { openOutcomeOf } from './state-measures.js';

const route = (kind: Route['kind']): Route => ({ kind, publicName: 'name' }) as Route;
const HOSTILE = ['', ' ', 'tools/call ', 'TOOLS/CALL', '__proto__', 'constructor', 'x'.repeat(10_000), 'tools/call\n'];

describe('the label of', () => {
  it.each(MODERN_METHODS)('the method %s is itself', (method) => {
    expect(methodLabel(method)).toBe(method);
  });

  it.each(HOSTILE)('a method %j that nobody serves is one for all', (method) => {
    expect(methodLabel(method)).toBe('_OTHER');
  });

  it('a tool is empty for whatever is none', () => {
    expect(toolLabel(route('tools'))).toBe('name');
    for (const other of [undefined, route('prompts'), route('resources'), route('resourceTemplates')])
      expect(toolLabel(other)).toBe('');
  });

  it('a prompt is empty for whatever is none', () => {
    expect(promptLabel(route('prompts'))).toBe('name');
    for (const other of [undefined, route('tools'), route('resources'), route('resourceTemplates')])
      expect(promptLabel(other)).toBe('');
  });

  it.each([...SERVED_REVISIONS, '2025-11-25'])('the version %s is itself', (version) => {
    expect(versionLabel(version)).toBe(version);
  });

  it.each([undefined, ['2026-07-28', 'x'], '2026-07-29', ' 2026-07-28', ...HOSTILE])(
    'the version %j is empty, because we do not know it',
    (version) => {
      expect(versionLabel(version)).toBe('');
    },
  );

  it('a refused state is known for each reason that is about the state', () => {
    const outcomes = REASONS.filter((reason) => reason.startsWith('state_')).map((reason) => [
      reason,
      openOutcomeOf({ code: 'state_refused', reason }),
    ]);
    // A spent nonce was opened before: it counts as ok.
    expect(outcomes.filter(([, outcome]) => outcome === undefined)).toEqual([['state_nonce_spent', undefined]]);
  });

  it('a state is none for errors that are about something else', () => {
    expect(openOutcomeOf({ code: 'worker_failed', reason: 'worker_threw' })).toBeUndefined();
    expect(openOutcomeOf(undefined)).toBeUndefined();
  });
});

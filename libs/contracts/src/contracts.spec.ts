import { describe, expect, it } from '@jest/globals';
import { callItemSchema } from './call.js';
import { catalogueSchema, watchItemSchema } from './catalogue.js';
import { PATTERN } from './patterns.js';
import { principalSchema } from './principal.js';
import {
  HELD_BYTES_MAX,
  REPLAY_BUCKETS,
  bucketOf,
  claimAnswerSchema,
  claimRequestSchema,
  epochsSchema,
  holdRequestSchema,
  onceRequestSchema,
  recallAnswerSchema,
  recallRequestSchema,
  settleRequestSchema,
} from './replay.js';

const digest = 'd'.repeat(43);
const epoch = 'e'.repeat(22);
const epochs = Array.from({ length: REPLAY_BUCKETS }, () => epoch);
const claim = { claimId: digest, fingerprint: digest, owner: 'o'.repeat(22), leaseMs: 1, retainMs: 1 };

describe('rpc messages', () => {
  it('go by names that only change with their version', () => {
    expect(PATTERN).toEqual({
      describe: 'roundhouse.v1.describe',
      watch: 'roundhouse.v1.watch',
      call: 'roundhouse.v1.call',
      cancel: 'roundhouse.v1.cancel',
      claim: 'roundhouse.v1.claim',
      settle: 'roundhouse.v1.settle',
      release: 'roundhouse.v1.release',
      outcome: 'roundhouse.v1.outcome',
      epoch: 'roundhouse.v1.epoch',
      hold: 'roundhouse.v1.hold',
      recall: 'roundhouse.v1.recall',
      once: 'roundhouse.v1.once',
      budget: 'roundhouse.v1.budget',
      tell: 'roundhouse.v1.tell',
      resume: 'roundhouse.v1.resume',
    });
  });

  it.each([
    ['a reply', callItemSchema, { kind: 'complete', body: '{}' }],
    ['a question', callItemSchema, { kind: 'input_required', asks: { a: { method: 'roots/list' } }, continuation: '' }],
    ['an error', callItemSchema, { kind: 'error', code: 'failed', message: '' }],
    ['a line that may end', callItemSchema, { kind: 'close_stream' }],
    ['a line that may end for a while', callItemSchema, { kind: 'close_stream', retryMs: 30_000 }],
    ['a change', watchItemSchema, { kind: 'list_changed', list: 'tools' }],
    [
      'a catalogue',
      catalogueSchema,
      {
        worker: { name: 'w', version: '1' },
        hash: 'h'.repeat(16),
        tools: [],
        prompts: [],
        resources: [],
        resourceTemplates: [],
      },
    ],
    ['a claim', claimRequestSchema, claim],
    ['an answer to a claim', claimAnswerSchema, { status: 'done', result: '' }],
    ['a claim of a fenced state', claimRequestSchema, { ...claim, epoch, rerunAllowed: true, principal: digest }],
    ['the epochs', epochsSchema, { epochs }],
    ['a text to hold', holdRequestSchema, { handle: epoch, text: '', retainMs: 1 }],
    ['a text that is not held', recallAnswerSchema, {}],
    ['a mark', onceRequestSchema, { id: digest, owner: claim.owner, retainMs: 1 }],
    ['a principal', principalSchema, { kind: 'user', issuer: 'i', subject: 's' }],
  ])('tolerate what a newer neighbour adds to %s', (_what, schema, message) => {
    expect(schema.parse({ ...message, addedByANewerRelease: 1 })).toEqual(message);
  });

  it.each([
    ['an item without a kind', callItemSchema, {}],
    ['progress that is no number', callItemSchema, { kind: 'progress', progress: '1' }],
    ['progress that never ends', callItemSchema, { kind: 'progress', progress: Infinity }],
    ['a time to come back that has no end', callItemSchema, { kind: 'close_stream', retryMs: 30_001 }],
    ['a time to come back before now', callItemSchema, { kind: 'close_stream', retryMs: -1 }],
    ['a log level nobody knows', callItemSchema, { kind: 'log', level: 'loud', data: 1 }],
    ['a body that is no text', callItemSchema, { kind: 'complete', body: {} }],
    ['a negative cache life', callItemSchema, { kind: 'complete', body: '{}', cache: { ttlMs: -1, scope: 'public' } }],
    [
      'an ask of another kind',
      callItemSchema,
      { kind: 'input_required', asks: { a: { method: 'x' } }, continuation: '' },
    ],
    [
      'an ask without a key',
      callItemSchema,
      { kind: 'input_required', asks: { '': { method: 'roots/list' } }, continuation: '' },
    ],
    ['a claim id of another length', claimRequestSchema, { ...claim, claimId: 'short' }],
    ['a claim id with a separator', claimRequestSchema, { ...claim, claimId: `${'d'.repeat(42)}:` }],
    ['a lease that never ends', claimRequestSchema, { ...claim, leaseMs: 1e12 }],
    ['a lease of half a millisecond', claimRequestSchema, { ...claim, leaseMs: 0.5 }],
    ['an owner that can be guessed', claimRequestSchema, { ...claim, owner: 'me' }],
    [
      'a result over the limit',
      settleRequestSchema,
      { claimId: digest, owner: claim.owner, retainMs: 1, result: 'x'.repeat(600_000) },
    ],
    ['an epoch that could be part of a command', claimRequestSchema, { ...claim, epoch: `${'e'.repeat(21)} ` }],
    ['a principal that is no digest', claimRequestSchema, { ...claim, principal: 'alice' }],
    ['epochs of some buckets', epochsSchema, { epochs: epochs.slice(1) }],
    ['a handle that can be guessed', recallRequestSchema, { handle: '1' }],
    [
      'a text too large to hold',
      holdRequestSchema,
      { handle: epoch, retainMs: 1, text: 'x'.repeat(2 * HELD_BYTES_MAX + 1) },
    ],
    [
      'a mark that could be part of a command',
      onceRequestSchema,
      { id: `${'d'.repeat(42)} `, owner: claim.owner, retainMs: 1 },
    ],
    ['a mark that never ends', onceRequestSchema, { id: digest, owner: claim.owner, retainMs: 86_400_001 }],
    ['a mark by an owner that can be guessed', onceRequestSchema, { id: digest, owner: 'me', retainMs: 1 }],
    ['an answer to a claim that nobody knows', claimAnswerSchema, { status: 'maybe' }],
    ['a user without a subject', principalSchema, { kind: 'user', issuer: 'i', subject: '' }],
    ['a list that nobody keeps', watchItemSchema, { kind: 'list_changed', list: 'roots' }],
  ])('refuse %s', (_what, schema, message) => {
    expect(schema.safeParse(message).success).toBe(false);
  });
});

describe('bucketOf', () => {
  it.each([
    ['AAAA', 0],
    ['_wAA', 63],
    ['QAAA', 0],
    ['PwAA', 63],
    ['', 0],
    ['é', 0],
  ])('finds the bucket of %j in its first eight bits', (id, bucket) => {
    expect(bucketOf(id)).toBe(bucket);
  });
});

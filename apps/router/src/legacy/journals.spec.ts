import { describe, expect, it } from '@jest/globals';
import type { StreamJournal } from '../reply/reply.js';
import { Journals, type Follower } from './journals.js';
import type { Reference, References } from './references.js';

const references = { seal: ({ name }: Reference) => `ref-${name}` } as unknown as References;

class Reader implements Follower {
  readonly read: string[] = [];
  isReplaced = false;

  event(id: string, message: string, isLast: boolean): void {
    this.read.push(`${id}=${message}${isLast ? '!' : ''}`);
  }

  replaced(): void {
    this.isReplaced = true;
  }
}

const begin = (journals: Journals, name: string, sid = 's'): StreamJournal =>
  journals.journalOf(() => ({ kind: 'stream', owner: undefined, run: 'r', sid, name }));

describe('a journal', () => {
  it('begins with an event that says nothing, from which everything can be had', () => {
    const journals = new Journals(references);
    const journal = begin(journals, 'a');
    expect(journal.open()).toMatch(/^id: ref-a\.0\nretry: \d+\ndata: \n\n$/);
    expect(journal.add('one', false)).toBe('ref-a.1');
    const reader = new Reader();
    expect(journals.follow({ sid: 's', name: 'a', after: 0 }, reader)).toBe(true);
    journal.add('two', true);
    expect(reader.read).toEqual(['ref-a.1=one', 'ref-a.2=two!']);
  });

  it('keeps nothing of a stream that never began', () => {
    const journals = new Journals(references);
    expect(begin(journals, 'a').add('one', true)).toBeUndefined();
    expect(journals.size).toBe(0);
  });

  it('is gone once it was read to its end', () => {
    const journals = new Journals(references);
    const journal = begin(journals, 'a');
    journal.open();
    journal.add('one', true);
    expect(journals.follow({ sid: 's', name: 'a', after: 0 }, new Reader())).toBe(true);
    expect(journals.size).toBe(0);
    expect(journals.follow({ sid: 's', name: 'a', after: 0 }, new Reader())).toBe(false);
  });

  it.each<[string, { sid?: string; name?: string; after?: number }]>([
    ['another session', { sid: 't' }],
    ['another stream', { name: 'b' }],
    ['what was not said yet', { after: 9 }],
  ])('tells nothing of %s', (_what, other) => {
    const journals = new Journals(references);
    const journal = begin(journals, 'a');
    journal.open();
    journal.add('one', false);
    const reader = new Reader();
    expect(journals.follow({ sid: 's', name: 'a', after: 0, ...other }, reader)).toBe(false);
    journal.add('two', false);
    expect(reader.read).toEqual([]);
  });

  it('has one reader: the newer one reads on, the older one is told', () => {
    const journals = new Journals(references);
    const journal = begin(journals, 'a');
    journal.open();
    const [first, second] = [new Reader(), new Reader()];
    journals.follow({ sid: 's', name: 'a', after: 0 }, first);
    journals.follow({ sid: 's', name: 'a', after: 0 }, second);
    journal.add('one', false);
    expect([first.isReplaced, first.read, second.read]).toEqual([true, [], ['ref-a.1=one']]);
  });

  it('forgets its oldest events beyond a limit, and then cannot be taken up from before', () => {
    const journals = new Journals(references);
    const journal = begin(journals, 'a');
    journal.open();
    for (let at = 0; at < 300; at += 1) journal.add(`event ${at}`, false);
    expect(journals.follow({ sid: 's', name: 'a', after: 0 }, new Reader())).toBe(false);
    const reader = new Reader();
    expect(journals.follow({ sid: 's', name: 'a', after: 298 }, reader)).toBe(true);
    expect(reader.read).toHaveLength(2);
  });

  it('forgets what is too large, save for the last event', () => {
    const journals = new Journals(references);
    const journal = begin(journals, 'a');
    journal.open();
    journal.add('x'.repeat(1024 * 1024), false);
    journal.add('y'.repeat(2 * 1024 * 1024), true);
    expect(journals.follow({ sid: 's', name: 'a', after: 0 }, new Reader())).toBe(false);
    expect(journals.follow({ sid: 's', name: 'a', after: 1 }, new Reader())).toBe(true);
  });

  it('makes room for new streams by the oldest', () => {
    const journals = new Journals(references);
    for (let at = 0; at < 5_000; at += 1) begin(journals, `stream ${at}`).open();
    expect(journals.size).toBeLessThanOrEqual(4_096);
    journals.stop();
    expect(journals.size).toBe(0);
  });

  it('of a call that was cancelled tells its reader that there is no more', () => {
    const journals = new Journals(references);
    const journal = begin(journals, 'a');
    journal.open();
    const reader = new Reader();
    journals.follow({ sid: 's', name: 'a', after: 0 }, reader);
    journal.close();
    expect([reader.isReplaced, journals.size]).toEqual([true, 0]);
  });
});

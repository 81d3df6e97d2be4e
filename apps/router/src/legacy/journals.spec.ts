import { describe, expect, it, jest } from '@jest/globals';
import type { StreamJournal } from '../reply/reply.js';
import { Journals, type Follower } from './journals.js';
import type { Reference, References } from './references.js';

const references = { seal: ({ name }: Reference) => `ref-${name}` } as unknown as References;

class Reader implements Follower {
  readonly read: string[] = [];
  hasEnded = false;

  event(id: string, message: string, isLast: boolean): void {
    this.read.push(`${id}=${message}${isLast ? '!' : ''}`);
  }

  prime(id: string, retryMs: number): void {
    this.read.push(`${id} again after ${retryMs}`);
  }

  end(): void {
    this.hasEnded = true;
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
    expect([first.hasEnded, first.read, second.read]).toEqual([
      ...[true, ['ref-a.0 again after 500'], ['ref-a.0 again after 500', 'ref-a.1=one']],
    ]);
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
    expect([reader.hasEnded, journals.size]).toEqual([true, 0]);
  });

  it('that forgot its oldest notifications can still be taken up from before, and has its questions and its answer', () => {
    const journals = new Journals(references);
    const journal = begin(journals, 'a');
    journal.open();
    journal.add('a question', false);
    for (let at = 0; at < 300; at += 1) journal.add(`{"jsonrpc":"2.0","method":"notifications/progress ${at}"}`, false);
    journal.add('the answer', true);
    const reader = new Reader();
    expect(journals.follow({ sid: 's', name: 'a', after: 0 }, reader)).toBe(true);
    expect([reader.read.length, reader.read.at(0), reader.read.at(-1)]).toEqual([
      ...[256, 'ref-a.1=a question', 'ref-a.302=the answer!'],
    ]);
  });

  it('primes a reader to whom there is nothing to tell yet', () => {
    const journals = new Journals(references);
    const journal = begin(journals, 'a');
    journal.open();
    journal.add('one', false);
    const reader = new Reader();
    journals.follow({ sid: 's', name: 'a', after: 1 }, reader);
    expect(reader.read).toEqual(['ref-a.1 again after 500']);
  });

  it('that made room for others says no more of itself, and counts for nothing', () => {
    const journals = new Journals(references);
    const journal = begin(journals, 'a');
    journal.open();
    journals.forget('a');
    expect(journal.add('x'.repeat(1024), false)).toBeUndefined();
    expect(journal.leave(100)).toBeUndefined();
    expect(journals.size).toBe(0);
  });
});

describe('a line that ends before its stream', () => {
  it('says where its client goes on from, and when', () => {
    const journals = new Journals(references);
    const journal = begin(journals, 'a');
    journal.open();
    journal.add('one', false);
    expect(journal.leave(2_000)).toBe('id: ref-a.1\nretry: 2000\ndata: \n\n');
    expect(journal.leave(undefined)).toMatch(/^retry: 500$/m);
    const reader = new Reader();
    journal.add('two', true);
    expect(journals.follow({ sid: 's', name: 'a', after: 1 }, reader)).toBe(true);
    expect(reader.read).toEqual(['ref-a.2=two!']);
  });

  it('is whichever line the client reads by now', () => {
    const journals = new Journals(references);
    const journal = begin(journals, 'a');
    journal.open();
    const [first, second] = [new Reader(), new Reader()];
    journals.follow({ sid: 's', name: 'a', after: 0 }, first);
    journal.leave(100);
    expect([first.hasEnded, first.read.at(-1)]).toEqual([true, 'ref-a.0 again after 100']);
    journal.add('one', false);
    journals.follow({ sid: 's', name: 'a', after: 0 }, second);
    expect([first.read.length, second.read]).toEqual([2, ['ref-a.1=one']]);
  });

  it.each<[string, (journal: StreamJournal) => void]>([
    ['before it began', () => undefined],
    ['after its answer', (journal) => (journal.open(), journal.add('answer', true))],
    ['after it was cancelled', (journal) => (journal.open(), journal.close())],
  ])('does not end %s', (_when, prepare) => {
    const journal = begin(new Journals(references), 'a');
    prepare(journal);
    expect(journal.leave(100)).toBeUndefined();
  });

  it('of a client that never comes back is kept for a minute after its call, and no longer', () => {
    jest.useFakeTimers();
    try {
      const journals = new Journals(references);
      const journal = begin(journals, 'a');
      journal.open();
      journal.leave(100);
      journal.add('answer', true);
      jest.advanceTimersByTime(59_000);
      expect(journals.size).toBe(1);
      jest.advanceTimersByTime(1_000);
      expect(journals.size).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });

  it('is waited for by a router that stops, until its client read the end', async () => {
    const journals = new Journals(references);
    const journal = begin(journals, 'a');
    journal.open();
    await journals.read(60_000);
    journal.leave(100);
    journal.add('answer', true);
    const read = journals.read(60_000);
    journals.follow({ sid: 's', name: 'a', after: 0 }, new Reader());
    await read;
    expect(journals.size).toBe(0);
  });

  it('is waited for no longer than there is time', async () => {
    const journals = new Journals(references);
    const journal = begin(journals, 'a');
    journal.open();
    journal.leave(100);
    journal.add('answer', true);
    await journals.read(1);
    expect(journals.size).toBe(1);
    journals.stop();
  });
});

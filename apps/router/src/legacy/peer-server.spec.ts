import { describe, expect, it } from '@jest/globals';
import type { ResumedEvent } from '@roundhouse/contracts';
import { NEVER, Subject, type Observable } from 'rxjs';
import type { StreamJournal } from '../reply/reply.js';
import { Journals } from './journals.js';
import { PeerInbox } from './peer-server.js';
import type { Reference, References } from './references.js';
import type { RouterMessages } from './router-messages.js';

/** What routers seal is the business of another spec. */
const messages = { open: (sealed: string) => JSON.parse(sealed) as unknown } as unknown as RouterMessages;
const references = { seal: ({ name }: Reference) => name } as unknown as References;

function begin() {
  const journals = new Journals(references);
  const inbox = new PeerInbox(messages, journals, () => false);
  const journal: StreamJournal = journals.journalOf(() => ({
    ...{ kind: 'stream', owner: undefined, run: 'r', sid: 's', name: 'a' },
  }));
  journal.open();
  const resume = (more: object = {}, gone: Observable<unknown> = NEVER) => {
    const told = { kind: 'resume', run: 'r', sid: 's', name: 'a', after: 0, ...more };
    const read: (ResumedEvent | string)[] = [];
    inbox.resume({ sealed: JSON.stringify(told) }, gone).subscribe({
      next: (event) => read.push(event),
      error: () => read.push('refused'),
      complete: () => read.push('over'),
    });
    return read;
  };
  const leave = (reader: string) => inbox.receive({ sealed: JSON.stringify({ kind: 'left', reader }) });
  return { journal, resume, leave };
}

const PRIMED = { id: 'a.0', data: '', retryMs: 500 };
const ANSWER = { id: 'a.1', data: 'the answer' };

describe('a stream that is read at another router', () => {
  it('is told from where it goes on, then what is said, to its end', () => {
    const { journal, resume } = begin();
    const read = resume({ reader: 'one' });
    journal.add('the answer', true);
    expect(read).toEqual([PRIMED, ANSWER, 'over']);
  });

  it.each([
    ['another session', { sid: 't' }],
    ['another stream', { name: 'b' }],
    ['what was not said yet', { after: 3 }],
    ['another kind of message', { kind: 'cancel' }],
  ])('is refused to %s', (_what, more) => {
    expect(begin().resume(more)).toEqual(['refused']);
  });

  it('waits for the next reader when its client has left', () => {
    const { journal, resume, leave } = begin();
    const first = resume({ reader: 'one' });
    expect(leave('one')).toBe(true);
    journal.add('the answer', true);
    expect([first, resume({ reader: 'two' })]).toEqual([
      [PRIMED, 'over'],
      [ANSWER, 'over'],
    ]);
  });

  it('waits for the next reader when the other router is gone', () => {
    const { journal, resume } = begin();
    const gone = new Subject<void>();
    const first = resume({ reader: 'one' }, gone);
    gone.next();
    journal.add('the answer', true);
    expect([first, resume()]).toEqual([
      [PRIMED, 'over'],
      [ANSWER, 'over'],
    ]);
  });

  it('is not taken from a newer reader when an older one leaves late', () => {
    const { journal, resume, leave } = begin();
    resume({ reader: 'one' });
    const second = resume({ reader: 'two' });
    expect(leave('one')).toBe(false);
    journal.add('the answer', true);
    expect(second).toEqual([PRIMED, ANSWER, 'over']);
  });

  it('is left by nobody who never read', () => {
    expect(begin().leave('one')).toBe(false);
  });
});

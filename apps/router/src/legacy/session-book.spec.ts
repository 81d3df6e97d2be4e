import { describe, expect, it } from '@jest/globals';
import { ANONYMOUS } from '@roundhouse/contracts';
import { RoundhouseError } from '@roundhouse/errors';
import { Keyset, SealingKey, StateSealer } from '@roundhouse/sealed-state';
import { SessionBook, type SessionChange } from './session-book.js';
import { SessionSealer } from './session-sealer.js';

const key = new SealingKey({
  kid: 'a1b2c3d4e5f60718',
  material: Uint8Array.from({ length: 32 }, (_, at) => at * 7),
  createdAtMs: 0,
  activateAtMs: 0,
  retireAtMs: Infinity,
  destroyAtMs: Infinity,
  enabled: true,
});
const sealer = new StateSealer({ keyset: () => new Keyset([key]), audience: 'https://a.example', clock: Date.now });
const terms = { revision: '2025-11-25', capabilities: {} } as const;

/** What all routers of a test share; it may be away. */
class Store {
  readonly held = new Map<string, string>();
  isAway = false;
  asked = 0;

  async hold({ handle, text }: { handle: string; text: string }): Promise<void> {
    this.assertThere();
    this.held.set(handle, text);
  }

  async recall(handle: string): Promise<string | undefined> {
    this.asked += 1;
    this.assertThere();
    return this.held.get(handle);
  }

  private assertThere(): void {
    if (this.isAway) throw new RoundhouseError('replay_unavailable', { reason: 'replay_unreachable' });
  }
}

function bookOf(store: Store | undefined, now: () => number = () => 0) {
  const told: SessionChange[] = [];
  const book = new SessionBook({
    ...{ sealer, replay: store, now },
    sessions: new SessionSealer(sealer, { ttlMs: 3_600_000, skewMs: 0 }),
    tell: async (change) => void told.push(change),
    onChange: () => undefined,
  });
  return { book, told };
}

describe('a session', () => {
  it('is opened without a question where it began, and after one question elsewhere', async () => {
    const store = new Store();
    const [here, there] = [bookOf(store).book, bookOf(store).book];
    const id = here.begin(ANONYMOUS, terms);
    expect(here.open(id, ANONYMOUS)).not.toBeInstanceOf(Promise);
    expect(store.asked).toBe(0);
    expect(await there.open(id, ANONYMOUS)).toMatchObject({ revision: '2025-11-25', settings: { followed: [] } });
    expect(there.open(id, ANONYMOUS)).not.toBeInstanceOf(Promise);
    expect(store.asked).toBe(2);
  });

  it('that ended is refused by a router that was never told', async () => {
    const store = new Store();
    const { book, told } = bookOf(store);
    const id = book.begin(ANONYMOUS, terms);
    await book.end(await book.open(id, ANONYMOUS));
    expect(told.map(({ kind }) => kind)).toEqual(['ended']);
    expect(() => book.open(id, ANONYMOUS)).toThrow(expect.objectContaining({ reason: 'session_revoked' }));
    await expect(bookOf(store).book.open(id, ANONYMOUS)).rejects.toMatchObject({ code: 'session_refused' });
  });

  it('that ended elsewhere is believed for seconds at most, and not without asking after half a minute', async () => {
    const store = new Store();
    let nowMs = 0;
    const [here, there] = [bookOf(store).book, bookOf(store, () => nowMs).book];
    const id = here.begin(ANONYMOUS, terms);
    await there.open(id, ANONYMOUS);
    await here.end(await here.open(id, ANONYMOUS));
    nowMs = 31_000;
    await expect(there.open(id, ANONYMOUS)).rejects.toMatchObject({ reason: 'session_revoked' });
  });

  it('is not ended when that cannot be written down', async () => {
    const store = new Store();
    const { book, told } = bookOf(store);
    const id = book.begin(ANONYMOUS, terms);
    store.isAway = true;
    await expect(book.end(await book.open(id, ANONYMOUS))).rejects.toMatchObject({ code: 'replay_unavailable' });
    expect([told, book.open(id, ANONYMOUS)]).toEqual([[], expect.objectContaining({ revision: '2025-11-25' })]);
  });

  it('is served while the replay service is away', async () => {
    const store = new Store();
    const id = bookOf(store).book.begin(ANONYMOUS, terms);
    store.isAway = true;
    expect(await bookOf(store).book.open(id, ANONYMOUS)).toMatchObject({ settings: { followed: [] } });
  });

  it('has its settings on every router, sealed where they are kept', async () => {
    const store = new Store();
    const [here, there] = [bookOf(store).book, bookOf(store).book];
    const id = here.begin(ANONYMOUS, terms);
    const set = (book: SessionBook, uri: string) =>
      Promise.resolve(book.open(id, ANONYMOUS)).then((session) =>
        book.set(session, ({ followed }) => ({ logLevel: 'info', followed: [...followed, uri] })),
      );
    await set(here, 'a:1');
    await set(there, 'a:2');
    const elsewhere = await bookOf(store).book.open(id, ANONYMOUS);
    expect(elsewhere.settings).toEqual({ logLevel: 'info', followed: ['a:1', 'a:2'] });
    expect([...store.held.values()].join()).not.toContain('a:1');
  });

  it('does not take the settings of another session, moved there by whoever can write to the store', async () => {
    const store = new Store();
    const { book } = bookOf(store);
    const [mine, other] = [book.begin(ANONYMOUS, terms), book.begin(ANONYMOUS, terms)];
    const session = await book.open(mine, ANONYMOUS);
    await book.set(session, () => ({ followed: ['a:secret'] }));
    const [[, text] = ['', '']] = store.held;
    await book.set(await book.open(other, ANONYMOUS), () => ({ followed: [] }));
    for (const handle of store.held.keys()) store.held.set(handle, text);
    const moved = await bookOf(store).book.open(other, ANONYMOUS);
    expect(moved.settings.followed).toEqual([]);
  });

  it('keeps its settings in this process where there is no replay service, and cannot be ended early', async () => {
    const { book } = bookOf(undefined);
    const id = book.begin(ANONYMOUS, terms);
    await book.set(await book.open(id, ANONYMOUS), () => ({ logLevel: 'error', followed: [] }));
    expect(await book.open(id, ANONYMOUS)).toMatchObject({ settings: { logLevel: 'error' } });
    expect(book.canEnd).toBe(false);
  });
});

describe('the book', () => {
  it('remembers so many at most, and opens the others all the same', async () => {
    const { book } = bookOf(undefined);
    const ids = Array.from({ length: 20_050 }, () => book.begin(ANONYMOUS, terms));
    expect(book.size).toBeLessThanOrEqual(20_000);
    expect(await book.open(ids[0] ?? '', ANONYMOUS)).toMatchObject({ revision: '2025-11-25' });
  });
});

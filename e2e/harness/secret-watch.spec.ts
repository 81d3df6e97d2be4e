import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SecretSearch, TELLING_CHARS } from './secret-search.js';
import { SecretWatch } from './secret-watch.js';

const MARK = 'MARK_secret?>9f1c~and_more';

/** Beside something else, so that the secret begins anywhere in the encoded text. */
function encoded(before: string, encoding: 'base64' | 'base64url', secret: string | Uint8Array = MARK): string {
  return Buffer.concat([Buffer.from(before), Buffer.from(secret), Buffer.from(' and after')]).toString(encoding);
}

describe('a search for secrets', () => {
  const search = new SecretSearch();
  search.add('the mark', MARK);

  it.each([
    ['as it is', MARK],
    ['in the middle of a line', `{"msg":"${MARK} was refused"}`],
    ['cut off', `${MARK.slice(0, TELLING_CHARS)}…`],
    ['in base64, alone', Buffer.from(MARK).toString('base64')],
    ...['', 'a', 'ab', 'abc', 'user:'].flatMap((before) => [
      [`in base64 after ${before.length} bytes`, encoded(before, 'base64')],
      [`in base64url after ${before.length} bytes`, encoded(before, 'base64url')],
      [`cut off in base64 after ${before.length} bytes`, encoded(before, 'base64', MARK.slice(0, TELLING_CHARS))],
    ]),
  ])('finds one %s', (_how, text) => {
    expect(search.find(`before ${text} after`)).toEqual(['the mark']);
    expect(search.find(text)).toEqual(['the mark']);
  });

  it('finds one that JSON escapes', () => {
    const quoted = new SecretSearch();
    quoted.add('quoted', '"a "quoted" secret"');
    expect(quoted.find(JSON.stringify({ value: '"a "quoted" secret"' }))).toEqual(['quoted']);
  });

  it('finds bytes in base64, wherever they begin', () => {
    const bytes = Uint8Array.from({ length: 32 }, (_, at) => (at * 37) % 256);
    const keys = new SecretSearch();
    keys.add('key', bytes);
    for (const before of ['', 'a', 'ab']) expect(keys.find(encoded(before, 'base64url', bytes))).toEqual(['key']);
  });

  it('names each of several once', () => {
    const several = new SecretSearch();
    several.add('one', 'first secret of all');
    several.add('two', 'second secret of all');
    expect(several.find('second secret of all, first secret of all, second secret of all')).toEqual(['two', 'one']);
  });

  it.each([
    ['nothing', ''],
    ['less than tells it', MARK.slice(0, TELLING_CHARS - 1)],
    ['another that begins later', MARK.slice(1)],
    ['a whole log without it', 'a line of a log, as good as any other\n'.repeat(1_000)],
  ])('finds none in %s', (_what, text) => {
    expect(search.find(text)).toEqual([]);
  });

  it('refuses a secret that chance could write', () => {
    expect(() => search.add('short', 'x'.repeat(TELLING_CHARS - 1))).toThrow('short is too short');
  });
});

describe('a watch over secrets', () => {
  let folder: string;
  let watch: SecretWatch;
  let server: Server | undefined;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'watch-'));
    watch = new SecretWatch();
    watch.begin();
    watch.keep('the mark', MARK);
  });
  afterEach(() => {
    server?.close();
    rmSync(folder, { recursive: true });
  });

  it('tells which secret is in which file, and not the secret', () => {
    const [clean, leaky, missing] = ['clean.log', 'leaky.log', 'missing.log'].map((name) => join(folder, name));
    for (const file of [clean, leaky, missing]) watch.addFile(String(file));
    appendFileSync(String(clean), 'all is well\n');
    appendFileSync(String(leaky), 'all is well\n');
    expect(watch.leaks()).toEqual([]);
    appendFileSync(String(leaky), `${encoded('token ', 'base64')}\n`);
    const leaks = watch.leaks();
    expect(leaks).toHaveLength(1);
    expect(leaks[0]).toMatch(/^the mark is told in watch-\w+\/leaky\.log$/);
    expect(leaks.join()).not.toContain(MARK.slice(0, TELLING_CHARS));
  });

  it('finds a secret in what was heard and on a page, read before its process ends', async () => {
    server = createServer((_request, response) => response.end(`a_metric{label="${MARK}"} 1`)).listen(0, '127.0.0.1');
    await new Promise((resolve) => server?.once('listening', resolve));
    const page = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`;
    watch.hear('an error', 'nothing of it');
    watch.hear('an error', MARK.slice(0, 20));
    watch.addPage(page);
    await watch.readPages();
    expect(watch.leaks().sort()).toEqual(['the mark is told in an error', `the mark is told in ${page}`]);
  });

  it('has nothing to say of a page that is not there', async () => {
    watch.addPage('http://127.0.0.1:1/metrics');
    await watch.readPages();
    expect(watch.leaks()).toEqual([]);
  });

  it('finds a secret that was written before it was known to be one', () => {
    watch.hear('a log', 'the state is later-to-be-sealed');
    watch.keepIfTelling('short', 'state');
    expect(watch.leaks()).toEqual([]);
    watch.keepIfTelling('a state', 'later-to-be-sealed');
    expect(watch.leaks()).toEqual(['a state is told in a log']);
  });

  it('remembers nothing before it begins, and forgets when it begins again', () => {
    const idle = new SecretWatch();
    idle.keep('short', 'x');
    idle.hear('a log', MARK);
    idle.begin();
    idle.keep('the mark', MARK);
    expect(idle.leaks()).toEqual([]);
    idle.hear('a log', MARK);
    expect(idle.leaks()).toHaveLength(1);
    idle.begin();
    idle.keep('the mark', MARK);
    expect(idle.leaks()).toEqual([]);
  });
});

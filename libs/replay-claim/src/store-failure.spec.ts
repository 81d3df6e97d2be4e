import { describe, expect, it } from '@jest/globals';
import { ReplyError } from 'ioredis';
import { StoreTimeout, toFailureCode, toStoreFailure } from './store-failure.js';

const reply = (message: string): Error => Object.assign(new Error(message), { name: 'ReplyError' });

describe('toFailureCode', () => {
  it.each([
    [new StoreTimeout(), 'timeout'],
    [new Error('Command timed out'), 'timeout'],
    [Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:6379'), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
    [reply("OOM command not allowed when used memory > 'maxmemory'."), 'OOM'],
    [reply('READONLY You can not write against a read only replica.'), 'READONLY'],
    [reply('EXECABORT'), 'EXECABORT'],
    [reply("unexpected words that quote 'secret'"), 'reply'],
    [reply('a reply that names a SECRET later'), 'reply'],
    [Object.assign(new Error('secret'), { code: 7 }), 'Error'],
    [new Error("Stream isn't writeable and enableOfflineQueue options is false"), 'not_connected'],
    [Object.assign(new Error('secret'), { name: 'MaxRetriesPerRequestError' }), 'MaxRetriesPerRequestError'],
    ['secret', 'unexpected'],
    [undefined, 'unexpected'],
  ])('makes a short code of %p', (thrown, code) => {
    expect(toFailureCode(thrown)).toBe(code);
  });
});

describe('StoreTimeout', () => {
  it('is known by its name in a log', () => {
    expect(new StoreTimeout().name).toBe('StoreTimeout');
  });
});

describe('toStoreFailure', () => {
  it('tells a timeout from any other failure', () => {
    expect(toStoreFailure(new StoreTimeout())).toMatchObject({
      code: 'replay_unavailable',
      reason: 'replay_timed_out',
    });
    expect(toStoreFailure(new Error('else'))).toMatchObject({
      code: 'replay_unavailable',
      reason: 'replay_store_failed',
    });
  });

  it('keeps nothing of an error but its code', () => {
    const thrown = Object.assign(reply("ERR unknown command, with args beginning with: 'secret'"), {
      command: { args: ['secret'] },
    });
    const failure = toStoreFailure(thrown);
    expect(failure.facts).toEqual({ store: 'redis', failure: 'ERR' });
    expect(failure.cause).toMatchObject({ message: 'redis: ERR' });
    expect(failure.cause).not.toHaveProperty('command');
  });

  it('knows the errors of the client by the name that it gives them', () => {
    expect(new ReplyError('x').name).toBe('ReplyError');
  });
});

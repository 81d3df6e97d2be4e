/**
 * The claim rules in Lua, one script a question, so that Redis answers each atomically and by its own clock. Every script
 * touches one key. Only commands that Redis 7 and Valkey share; `claim-rules.ts` is the specification they follow.
 *
 * A record is a hash: `f` fingerprint, `o` owner, `l` end of the lease in milliseconds since the epoch, and, once the
 * outcome is told, `r` result. It always has an expiry.
 */
import { createHash } from 'node:crypto';

export interface ClaimScript {
  readonly source: string;
  /** What EVALSHA calls it. */
  readonly sha: string;
}

/** Redis counts in seconds and microseconds. */
const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/** A field that is not there is `false`. An empty owner stands for nobody: owners have 16 characters or more. */
const ANSWER = `
local function answer(record, fingerprint, owner)
  if record[1] ~= fingerprint then return {'conflict', now} end
  if record[4] then return {'done', now, record[4]} end
  local left = record[3] - now
  if left <= 0 then return {'unknown', now} end
  if record[2] == owner then return {'new', now} end
  return {'inflight', now, left}
end`;

/**
 * KEYS record · ARGV fingerprint, owner, leaseMs, retainMs, arriveByMs (by Redis's clock)
 * → status, now in milliseconds, and for `done` the result, for `inflight` the lease left. `late` means that whoever
 * asked may have stopped waiting: nothing was claimed.
 */
export const CLAIM_SCRIPT = toScript(`${NOW}
if now > tonumber(ARGV[5]) then return {'late', now} end${ANSWER}
local record = redis.call('HMGET', KEYS[1], 'f', 'o', 'l', 'r')
if record[1] then return answer(record, ARGV[1], ARGV[2]) end
redis.call('HSET', KEYS[1], 'f', ARGV[1], 'o', ARGV[2], 'l', string.format('%.0f', now + ARGV[3]))
redis.call('PEXPIRE', KEYS[1], math.max(ARGV[3], ARGV[4]))
return {'new', now}`);

/** KEYS record · ARGV fingerprint → as CLAIM_SCRIPT, but never `new` or `late`; no record is `inflight` with nothing left. */
export const PEEK_SCRIPT = toScript(`${NOW}${ANSWER}
local record = redis.call('HMGET', KEYS[1], 'f', 'o', 'l', 'r')
if record[1] then return answer(record, ARGV[1], '') end
return {'inflight', now, 0}`);

/** KEYS record · ARGV owner, result, retainMs → 1 when the record now tells this result, else 0. */
export const SETTLE_SCRIPT = toScript(`
local record = redis.call('HMGET', KEYS[1], 'o', 'r')
if record[1] ~= ARGV[1] then return 0 end
if record[2] then return record[2] == ARGV[2] and 1 or 0 end
redis.call('HSET', KEYS[1], 'r', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3], 'GT')
return 1`);

/** KEYS record · ARGV owner → 1 when the record was this owner's, open, and is gone, else 0. */
export const RELEASE_SCRIPT = toScript(`
local record = redis.call('HMGET', KEYS[1], 'o', 'r')
if record[1] ~= ARGV[1] or record[2] then return 0 end
return redis.call('DEL', KEYS[1])`);

function toScript(source: string): ClaimScript {
  return { source, sha: createHash('sha1').update(source).digest('hex') };
}

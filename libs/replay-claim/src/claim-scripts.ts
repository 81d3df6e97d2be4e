/**
 * The claim rules in Lua, one script a question, so that Redis answers each atomically and by its own clock. The keys of a
 * script share one bucket, and so one slot of a cluster. Only commands that Redis 7 and Valkey share; `claim-rules.ts` is
 * the specification they follow.
 *
 * A record is a hash: `f` fingerprint, `o` owner, `l` end of the lease in milliseconds since the epoch, and, once the
 * outcome is told, `r` result. The open claims of a principal are a sorted set: claim ids by the end of their lease. Both
 * always have an expiry. The epoch is a string without one.
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

/** Never brings an end forward. GT passes over a key without an expiry, which only one that this script has made is. */
const KEEP = `
local function keep(key, ms, isOld)
  if isOld then redis.call('PEXPIRE', key, ms, 'GT') else redis.call('PEXPIRE', key, ms) end
end`;

/**
 * KEYS record, epoch and, when the claim counts against a principal, its open claims · ARGV fingerprint, owner, leaseMs,
 * retainMs, arriveByMs (by Redis's clock), epoch or '', '1' when it may take over, the most open claims, claim id
 * → status, now in milliseconds, and for `done` the result, for `inflight` the lease left. `late` means that whoever
 * asked may have stopped waiting, `limited` that the principal has enough open: nothing was claimed.
 */
export const CLAIM_SCRIPT = toScript(`${NOW}
if now > tonumber(ARGV[5]) then return {'late', now} end
if ARGV[6] ~= '' and redis.call('GET', KEYS[2]) ~= ARGV[6] then return {'stale_epoch', now} end${ANSWER}${KEEP}
local record = redis.call('HMGET', KEYS[1], 'f', 'o', 'l', 'r')
if record[1] then
  local known = answer(record, ARGV[1], ARGV[2])
  -- Written again, because WAIT vouches only for what its own connection has written.
  if known[1] == 'new' then redis.call('HSET', KEYS[1], 'o', ARGV[2]) end
  if known[1] ~= 'unknown' or ARGV[7] ~= '1' then return known end
end
local ends = string.format('%.0f', now + ARGV[3])
if KEYS[3] then
  local open = redis.call('ZCARD', KEYS[3])
  if open >= tonumber(ARGV[8]) then open = open - redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now) end
  if open >= tonumber(ARGV[8]) then return {'limited', now} end
  redis.call('ZADD', KEYS[3], ends, ARGV[9])
  keep(KEYS[3], ARGV[3], open > 0)
end
redis.call('HSET', KEYS[1], 'f', ARGV[1], 'o', ARGV[2], 'l', ends)
keep(KEYS[1], math.max(ARGV[3], ARGV[4]), record[1])
return {'new', now}`);

/** KEYS record · ARGV fingerprint → as CLAIM_SCRIPT, but never `new` or `late`; no record is `inflight` with nothing left. */
export const PEEK_SCRIPT = toScript(`${NOW}${ANSWER}
local record = redis.call('HMGET', KEYS[1], 'f', 'o', 'l', 'r')
if record[1] then return answer(record, ARGV[1], '') end
return {'inflight', now, 0}`);

/** KEYS record, open claims if counted · ARGV owner, claim id, result, retainMs → 1 when the record now tells this result, else 0. */
export const SETTLE_SCRIPT = toScript(`
local record = redis.call('HMGET', KEYS[1], 'o', 'r')
if record[1] ~= ARGV[1] then return 0 end
if record[2] then return record[2] == ARGV[3] and 1 or 0 end
redis.call('HSET', KEYS[1], 'r', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[4], 'GT')
if KEYS[2] then redis.call('ZREM', KEYS[2], ARGV[2]) end
return 1`);

/** KEYS record, open claims if counted · ARGV owner, claim id → 1 when the record was this owner's, open, and is gone, else 0. */
export const RELEASE_SCRIPT = toScript(`
local record = redis.call('HMGET', KEYS[1], 'o', 'r')
if record[1] ~= ARGV[1] or record[2] then return 0 end
if KEYS[2] then redis.call('ZREM', KEYS[2], ARGV[2]) end
return redis.call('DEL', KEYS[1])`);

/** KEYS epoch · ARGV a random candidate → the epoch of the bucket, which the candidate becomes where there is none. */
export const EPOCH_SCRIPT = toScript(`
redis.call('SET', KEYS[1], ARGV[1], 'NX')
return redis.call('GET', KEYS[1])`);

/** KEYS mark · ARGV owner, retainMs → 1 when the mark is this owner's, whether it was made now or before, else 0. */
export const ONCE_SCRIPT = toScript(`
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
return redis.call('GET', KEYS[1]) == ARGV[1] and 1 or 0`);

function toScript(source: string): ClaimScript {
  return { source, sha: createHash('sha1').update(source).digest('hex') };
}

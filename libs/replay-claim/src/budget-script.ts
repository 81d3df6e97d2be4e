/**
 * The rules of shared limits in Lua, by Redis's clock; `budget-rules.ts` is the specification. A rate is a hash: `n` tokens
 * left, `t` when that was so in milliseconds. Calls under way are a hash: router → count and when it stops counting. What is
 * open is a hash: router → `<until>:<net>` for each time at which some of it stops counting. All always have an expiry.
 */
import { createHash } from 'node:crypto';
import { BUDGET_WAIT_MS_MAX, OPEN_RETAIN_MS_MAX } from '@roundhouse/contracts';
import { CREDITS_OWED_MAX } from './budget-rules.js';
import type { ClaimScript } from './claim-scripts.js';

/**
 * KEYS rate, running, open · ARGV perSecond or '', burst, owed, want, running or '', router, retainMs, open or '' or '-' for none
 * → granted, left, waitMs, running elsewhere, open elsewhere
 */
const SOURCE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local granted, left, wait, elsewhere, open = 0, 0, 0, 0, 0
if ARGV[1] ~= '' then
  local rate, burst, owed, want = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
  local known = redis.call('HMGET', KEYS[1], 'n', 't')
  local tokens = burst
  if known[1] then
    tokens = math.min(burst, tonumber(known[1]) + math.max(0, now - tonumber(known[2])) * rate / 1000)
  end
  tokens = math.max(-(burst + ${CREDITS_OWED_MAX}), tokens - owed)
  granted = math.max(0, math.min(want, math.floor(tokens)))
  tokens = tokens - granted
  left = math.max(0, math.floor(tokens))
  if tokens < 1 then wait = math.min(${BUDGET_WAIT_MS_MAX}, math.ceil((1 - tokens) / rate * 1000)) end
  redis.call('HSET', KEYS[1], 'n', string.format('%.6f', tokens), 't', string.format('%.0f', now))
  redis.call('PEXPIRE', KEYS[1], string.format('%.0f', math.ceil((burst - tokens) / rate * 1000) + 1000))
end
if ARGV[5] ~= '' then
  local all = redis.call('HGETALL', KEYS[2])
  for at = 1, #all, 2 do
    local count, ends = string.match(all[at + 1], '^(%d+) (%d+)$')
    if all[at] == ARGV[6] then
    elseif tonumber(ends) <= now then redis.call('HDEL', KEYS[2], all[at])
    else elsewhere = elsewhere + tonumber(count) end
  end
  if ARGV[5] == '0' then redis.call('HDEL', KEYS[2], ARGV[6])
  else
    redis.call('HSET', KEYS[2], ARGV[6], ARGV[5] .. ' ' .. string.format('%.0f', now + ARGV[7]))
    redis.call('PEXPIRE', KEYS[2], ARGV[7])
  end
end
if ARGV[8] ~= '' then
  local lastOf = function(text)
    local last = 0
    for ends in string.gmatch(text, '(%d+):') do last = math.max(last, tonumber(ends)) end
    return last
  end
  local all = redis.call('HGETALL', KEYS[3])
  local last = lastOf(ARGV[8])
  if last > now then redis.call('HSET', KEYS[3], ARGV[6], ARGV[8]) else redis.call('HDEL', KEYS[3], ARGV[6]) end
  for at = 1, #all, 2 do
    if all[at] == ARGV[6] then
    elseif lastOf(all[at + 1]) <= now then redis.call('HDEL', KEYS[3], all[at])
    else
      last = math.max(last, lastOf(all[at + 1]))
      for ends, net in string.gmatch(all[at + 1], '(%d+):(-?%d+)') do
        if tonumber(ends) > now then open = open + tonumber(net) end
      end
    end
  end
  if last > now then redis.call('PEXPIRE', KEYS[3], string.format('%.0f', math.min(last - now, ${OPEN_RETAIN_MS_MAX}))) end
end
return {granted, left, wait, elsewhere, open}`;

export const BUDGET_SCRIPT: ClaimScript = { source: SOURCE, sha: createHash('sha1').update(SOURCE).digest('hex') };

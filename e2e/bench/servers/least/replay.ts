/**
 * A replay service that claims once and stores once, each by the shortest script that is still atomic: no epoch, no lease
 * that is read, no count of open claims. Arguments: its port, that of Redis.
 */
import { openScripts } from './redis.js';
import { serve } from './wire.js';

const CLAIM = `
if redis.call('HGET', KEYS[1], 'f') then return 0 end
redis.call('HSET', KEYS[1], 'f', ARGV[1], 'o', ARGV[2])
redis.call('PEXPIRE', KEYS[1], 600000)
return 1`;
const SETTLE = `
if redis.call('HGET', KEYS[1], 'o') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'r', ARGV[2])
return 1`;

const [port, redisPort] = process.argv.slice(2).map(Number);
const [claim, settle] = openScripts(Number(redisPort), [CLAIM, SETTLE]);

serve(Number(port), ({ claimId, fingerprint, owner, result }, answer) => {
  const [script, value] = result === undefined ? [claim, [fingerprint, owner]] : [settle, [owner, result]];
  script?.(`least:${String(claimId)}`, value.map(String), (number) => answer({ isDone: number === 1 }));
});

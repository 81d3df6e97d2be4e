/** Everything that lies in Redis, as one text: what an operator with access to it could read. */
import { once } from 'node:events';
import { connect } from 'node:net';

/** How the whole of a key is read, by its kind. A key of another kind would end the script, and the test. */
const DUMP = [
  "local read = {hash = {'HGETALL'}, string = {'MGET'}, zset = {'ZRANGE', 0, -1}}",
  "local out = ''",
  "for _, key in ipairs(redis.call('KEYS', '*')) do",
  "local how = read[redis.call('TYPE', key).ok]",
  "out = out .. key .. ' ' .. table.concat(redis.call(how[1], key, unpack(how, 2)), ' ') .. ' '",
  'end return out',
].join(' ');

export async function readRedis(port: number, password: string): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  await once(socket, 'connect');
  socket.write(`AUTH ${password}\r\nEVAL "${DUMP}" 0\r\nQUIT\r\n`);
  let reply = '';
  socket.on('data', (chunk: string) => (reply += chunk));
  await once(socket, 'close');
  if (!reply.startsWith('+OK\r\n$')) throw new Error(`Redis answered ${reply.split('\r\n')[0]}`);
  return reply;
}

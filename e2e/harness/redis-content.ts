/** Everything that lies in Redis, as one text: what an operator with access to it could read. */
import { once } from 'node:events';
import { connect } from 'node:net';

/** Every key with the members of its hash. Claims are hashes; a key of another kind would end the script, and the test. */
const DUMP = [
  "local out = ''",
  "for _, key in ipairs(redis.call('KEYS', '*')) do",
  "out = out .. key .. ' ' .. table.concat(redis.call('HGETALL', key), ' ') .. ' '",
  'end return out',
].join(' ');

export async function readRedis(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  await once(socket, 'connect');
  socket.write(`EVAL "${DUMP}" 0\r\nQUIT\r\n`);
  let reply = '';
  socket.on('data', (chunk: string) => (reply += chunk));
  await once(socket, 'close');
  if (!reply.startsWith('$')) throw new Error(`Redis answered ${reply.split('\r\n')[0]}`);
  return reply;
}

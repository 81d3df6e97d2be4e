/** Runs scripts whose answer is a whole number in Redis, in the order they are asked for. Trusts it never to fail (RESP 2). */
import { createHash } from 'node:crypto';
import { connect } from 'node:net';

export type Script = (key: string, args: readonly string[], answer: (number: number) => void) => void;

export function openScripts(port: number, sources: readonly string[]): Script[] {
  const socket = connect(port, '127.0.0.1').setNoDelay(true).setEncoding('utf8');
  const waiting: ((number: number) => void)[] = [];
  let commands = '';
  let rest = '';
  socket.on('data', (text: string) => {
    const lines = (rest + text).split('\r\n');
    rest = lines.pop() ?? '';
    // What loading answers, a length and a digest, begins otherwise.
    for (const line of lines) if (line.startsWith(':')) waiting.shift()?.(Number(line.slice(1)));
  });
  const send = (words: readonly string[]): void => {
    if (commands === '') setImmediate(flush);
    commands += `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;
  };
  const flush = (): void => {
    socket.write(commands);
    commands = '';
  };
  return sources.map((source) => {
    send(['SCRIPT', 'LOAD', source]);
    const digest = createHash('sha1').update(source).digest('hex');
    return (key, args, answer) => {
      waiting.push(answer);
      send(['EVALSHA', digest, '1', key, ...args]);
    };
  });
}

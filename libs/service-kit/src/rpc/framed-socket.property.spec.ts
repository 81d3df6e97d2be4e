/** TST-4: frames cut into any pieces are the same messages, and damaged ones are messages before the damage or an end. */
import { Socket } from 'node:net';
import { expect, it } from '@jest/globals';
import { RPC_MESSAGE_BYTES_MAX } from '@roundhouse/contracts';
import fc from 'fast-check';
import { FramedServerSocket } from './framed-socket.js';

interface Message {
  readonly head: object;
  readonly body: string;
}

const message: fc.Arbitrary<Message> = fc.record({
  head: fc.record({ id: fc.nat(), data: fc.record({ text: fc.string({ unit: 'binary', maxLength: 12 }) }) }),
  body: fc.oneof(fc.constant(''), fc.string({ unit: 'binary', minLength: 1, maxLength: 40 })),
});
const messages = fc.array(message, { minLength: 1, maxLength: 5 });
const cuts = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 60 });

function toFrame({ head, body }: Message): Buffer {
  const text = Buffer.from(JSON.stringify(head));
  const prefix = Buffer.alloc(8);
  prefix.writeUInt32BE(4 + text.length + Buffer.byteLength(body), 0);
  prefix.writeUInt32BE(text.length, 4);
  return Buffer.concat([prefix, text, Buffer.from(body)]);
}

const toPacket = ({ head, body }: Message): unknown =>
  body === '' ? head : { ...head, data: { ...(head as { data: object }).data, body } };

/** What comes out when the bytes arrive in such pieces, and whether the peer was cut off. */
function receive(bytes: Buffer, sizes: readonly number[]): { readonly seen: unknown[]; readonly isCutOff: boolean } {
  const socket = new Socket();
  const framed = new FramedServerSocket(socket);
  const seen: unknown[] = [];
  socket.on('message', (packet) => seen.push(packet)).on('error', () => undefined);
  for (let at = 0, turn = 0; at < bytes.length && !socket.destroyed; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    framed.netSocket.emit('data', bytes.subarray(at, at + size));
    at += size;
  }
  const isCutOff = socket.destroyed;
  socket.destroy();
  return { seen, isCutOff };
}

it('reads the same messages however their bytes are cut', () => {
  fc.assert(
    fc.property(messages, cuts, (sent, sizes) => {
      const whole = Buffer.concat(sent.map(toFrame));
      expect(receive(whole, sizes)).toEqual({ seen: sent.map(toPacket), isCutOff: false });
      expect(receive(whole, [whole.length])).toEqual({ seen: sent.map(toPacket), isCutOff: false });
    }),
    { numRuns: 1_000 },
  );
});

it('never throws on frames that were damaged, keeps those before, and gives nothing but objects', () => {
  const change = fc.record({
    at: fc.nat(2_000),
    cut: fc.nat(4),
    put: fc.uint8Array({ maxLength: 8 }),
  });
  fc.assert(
    fc.property(messages, fc.array(change, { minLength: 1, maxLength: 3 }), cuts, (sent, changes, sizes) => {
      const frames = sent.map(toFrame);
      const whole = Buffer.concat(frames);
      const starts = changes.map(({ at }) => at % whole.length);
      const damaged = changes.reduce((bytes, { cut, put }, turn) => {
        const at = starts[turn] ?? 0;
        return Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + cut)]);
      }, whole);
      const { seen } = receive(damaged, sizes);
      const first = Math.min(...starts);
      let end = 0;
      const sound = sent.filter((_, index) => (end += frames[index]?.length ?? 0) <= first);
      expect(seen.slice(0, sound.length)).toEqual(sound.map(toPacket));
      for (const packet of seen) expect(packet !== null && typeof packet === 'object').toBe(true);
    }),
    { numRuns: 3_000 },
  );
});

it('cuts off a peer whose first bytes name an impossible length', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 8, maxLength: 400 }), cuts, (bytes, sizes) => {
      const { seen, isCutOff } = receive(Buffer.from(bytes), sizes);
      const claimed = Buffer.from(bytes).readUInt32BE(0);
      // Waiting is right for a length that may be; everything else ends at once.
      if (claimed < 4 || claimed > RPC_MESSAGE_BYTES_MAX)
        expect({ seen, isCutOff }).toEqual({ seen: [], isCutOff: true });
    }),
    { numRuns: 1_000 },
  );
});

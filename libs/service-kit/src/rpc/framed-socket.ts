/**
 * The socket under Nest's TCP transport: length-prefixed frames, one coalesced write per turn of the event loop, and a
 * message's `body` (JSON text of arguments or of a result) beside the head instead of inside it, so that nobody encodes
 * it twice. Measured inside Nest against the default JSON socket: 49-52 + 18 µs of CPU a call against 58-65 + 33-35 µs.
 *
 * Frame: u32 length of the rest · u32 length of head · head (JSON, UTF-8) · body (UTF-8, may be empty).
 * Trusts nothing about lengths: a frame too large, malformed or never finished cuts the peer off.
 */
import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import { TcpSocket } from '@nestjs/microservices';
import {
  RPC_INCOMPLETE_MESSAGE_TIMEOUT_MS,
  RPC_MESSAGE_BYTES_MAX,
  RPC_SEND_BUFFER_BYTES_MAX,
} from '@roundhouse/contracts';

const PREFIX_BYTES = 8;

interface Packet {
  data?: { body?: string | undefined };
  response?: { body?: string | undefined };
}

interface QueuedFrame {
  readonly head: string;
  readonly headBytes: number;
  readonly body: string;
  readonly bodyBytes: number;
}

/** Client side: never stops reading, because answers must drain while requests wait to be sent. */
export class FramedSocket extends TcpSocket {
  private queue: QueuedFrame[] = [];
  private queuedBytes = 0;
  private flushScheduled = false;
  private chunks: Buffer[] = [];
  private chunkBytes = 0;
  private incompleteTimer: NodeJS.Timeout | undefined;

  constructor(socket: Socket) {
    super(socket);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 10_000);
    socket.on('close', () => this.forget());
  }

  protected handleSend(message: Packet, callback?: (error?: unknown) => void): void {
    const frame = toFrame(message);
    const bytes = PREFIX_BYTES + frame.headBytes + frame.bodyBytes;
    if (bytes > RPC_MESSAGE_BYTES_MAX) throw new RangeError(`rpc message of ${bytes} bytes is over the limit`);
    this.queue.push(frame);
    this.queuedBytes += bytes;
    if (this.queuedBytes + this.socket.writableLength > RPC_SEND_BUFFER_BYTES_MAX) {
      this.cutOff('the peer reads too slowly');
      return;
    }
    if (!this.flushScheduled) {
      this.flushScheduled = true;
      setImmediate(() => this.flush());
    }
    callback?.();
  }

  protected handleData(data: Buffer | string): void {
    const chunk = typeof data === 'string' ? Buffer.from(data) : data;
    const buffered = this.chunkBytes === 0 ? chunk : this.join(chunk);
    const rest = buffered === undefined ? undefined : this.readFrames(buffered);
    if (rest !== undefined) {
      this.chunks = rest.length === 0 ? [] : [rest];
      this.chunkBytes = rest.length;
    }
    this.watchIncomplete();
  }

  /** Called after a write that the kernel did not take at once. */
  protected onSendBufferFull(): void {}

  private flush(): void {
    this.flushScheduled = false;
    const frames = this.queue;
    const buffer = Buffer.allocUnsafe(this.queuedBytes);
    this.queue = [];
    this.queuedBytes = 0;
    if (this.socket.destroyed || frames.length === 0) return;
    let offset = 0;
    for (const { head, headBytes, body, bodyBytes } of frames) {
      offset = buffer.writeUInt32BE(4 + headBytes + bodyBytes, offset);
      offset = buffer.writeUInt32BE(headBytes, offset);
      offset += buffer.write(head, offset);
      if (bodyBytes > 0) offset += buffer.write(body, offset);
    }
    if (!this.socket.write(buffer)) this.onSendBufferFull();
  }

  /** Adds a chunk to a frame that is not whole yet; joins them only when the frame can be read. */
  private join(chunk: Buffer): Buffer | undefined {
    this.chunks.push(chunk);
    this.chunkBytes += chunk.length;
    if (this.chunkBytes < 4) return undefined;
    // The length is read from the first piece; a first piece shorter than that is joined once, not at every chunk.
    if ((this.chunks[0] as Buffer).length < 4) this.chunks = [Buffer.concat(this.chunks)];
    const length = assertFrameLength((this.chunks[0] as Buffer).readUInt32BE(0));
    return this.chunkBytes < 4 + length ? undefined : Buffer.concat(this.chunks);
  }

  private readFrames(buffer: Buffer): Buffer {
    let offset = 0;
    while (buffer.length - offset >= PREFIX_BYTES) {
      const length = assertFrameLength(buffer.readUInt32BE(offset));
      const headBytes = buffer.readUInt32BE(offset + 4);
      if (headBytes > length - 4) throw new RangeError('rpc frame has impossible lengths');
      const end = offset + 4 + length;
      if (end > buffer.length) break;
      const bodyStart = offset + PREFIX_BYTES + headBytes;
      const head = buffer.toString('utf8', offset + PREFIX_BYTES, bodyStart);
      this.socket.emit(
        'message',
        toPacket(head, bodyStart === end ? undefined : buffer.toString('utf8', bodyStart, end)),
      );
      offset = end;
    }
    return offset === 0 ? buffer : buffer.subarray(offset);
  }

  /** A peer that began a message and went silent holds memory: it has this long to finish. */
  private watchIncomplete(): void {
    if (this.chunkBytes === 0) {
      if (this.incompleteTimer !== undefined) clearTimeout(this.incompleteTimer);
      this.incompleteTimer = undefined;
    } else if (this.incompleteTimer === undefined) {
      this.incompleteTimer = setTimeout(
        () => this.cutOff('a message was never finished'),
        RPC_INCOMPLETE_MESSAGE_TIMEOUT_MS,
      );
      this.incompleteTimer.unref();
    } else {
      this.incompleteTimer.refresh();
    }
  }

  /** A peer that breaks the framing cannot be trusted to answer a FIN. */
  protected override handleDataError(error: unknown): void {
    super.handleDataError(error, { destroy: true });
  }

  private cutOff(why: string): void {
    this.handleDataError(new Error(why));
  }

  private forget(): void {
    this.queue = [];
    this.queuedBytes = 0;
    this.chunks = [];
    this.chunkBytes = 0;
    if (this.incompleteTimer !== undefined) clearTimeout(this.incompleteTimer);
    this.incompleteTimer = undefined;
  }
}

/** Server side: a peer that asks without reading its answers is not read any further until it catches up. */
export class FramedServerSocket extends FramedSocket {
  protected override onSendBufferFull(): void {
    this.socket.pause();
    this.socket.once('drain', () => this.socket.resume());
  }
}

function assertFrameLength(length: number): number {
  if (length < 4 || length > RPC_MESSAGE_BYTES_MAX) throw new RangeError('rpc frame has an impossible length');
  return length;
}

function toFrame(message: Packet): QueuedFrame {
  const carrier = message.data ?? message.response;
  const body = carrier?.body ?? '';
  if (carrier === undefined || body === '') return toQueued(JSON.stringify(message), body);
  // Left out while the head is written; a copy without it would cost as much as the writing.
  carrier.body = undefined;
  try {
    return toQueued(JSON.stringify(message), body);
  } finally {
    carrier.body = body;
  }
}

function toQueued(head: string, body: string): QueuedFrame {
  return { head, headBytes: Buffer.byteLength(head), body, bodyBytes: body === '' ? 0 : Buffer.byteLength(body) };
}

function toPacket(head: string, body: string | undefined): Packet {
  const packet = JSON.parse(head) as Packet | null;
  if (packet === null || typeof packet !== 'object') throw new TypeError('rpc head is not an object');
  if (body === undefined) return packet;
  const carrier = packet.data ?? packet.response;
  if (carrier === null || typeof carrier !== 'object') throw new TypeError('rpc body without a message to carry it');
  carrier.body = body;
  return packet;
}

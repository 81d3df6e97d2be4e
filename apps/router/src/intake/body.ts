/**
 * Reads one request body: bounded while it arrives, UTF-8 checked, depth checked before anything recurses into it.
 * How long it may take is Node's `requestTimeout`; what it means is the next step's business.
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { RoundhouseError } from '@roundhouse/errors';
import { JSON_DEPTH_MAX, isJsonContentType, scanBody, type Span } from '@roundhouse/protocol';

export interface ParsedBody {
  readonly value: unknown;
  readonly text: string;
  readonly argumentsSpan: Span | undefined;
}

export async function readBody(request: IncomingMessage, bytesMax: number): Promise<ParsedBody> {
  assertReadable(request, bytesMax);
  const bytes = await collect(request, bytesMax);
  if (!isUtf8(bytes)) throw new RoundhouseError('parse_error', { reason: 'body_not_utf8' });
  const text = bytes.toString('utf8');
  const scan = scanBody(text, JSON_DEPTH_MAX);
  if (scan.verdict === 'too_deep') throw new RoundhouseError('body_too_deep', { reason: 'limit_reached' });
  return { value: parseJson(text), text, argumentsSpan: scan.argumentsSpan };
}

function assertReadable(request: IncomingMessage, bytesMax: number): void {
  const { headers } = request;
  if (!isJsonContentType(headers['content-type'])) throw new RoundhouseError('unsupported_media_type');
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw new RoundhouseError('unsupported_encoding');
  if (Number(headers['content-length']) > bytesMax)
    throw new RoundhouseError('body_too_large', { reason: 'limit_reached' });
}

function collect(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let first: Buffer | undefined;
    let rest: Buffer[] | undefined;
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bytesMax) {
        request.pause();
        reject(new RoundhouseError('body_too_large', { reason: 'limit_reached' }));
      } else if (first === undefined) {
        first = chunk;
      } else {
        (rest ??= [first]).push(chunk);
      }
    });
    request.on('end', () => resolve(rest === undefined ? (first ?? Buffer.alloc(0)) : Buffer.concat(rest)));
    request.on('error', () => reject(new RoundhouseError('parse_error', { reason: 'client_gone' })));
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new RoundhouseError('parse_error', { reason: 'body_not_json', cause });
  }
}

/** The small JSON body of a control. Whatever is wrong with it is the same to whoever sent it. */
import type { IncomingMessage } from 'node:http';

/** The longest that a control needs is a few dozen bytes. */
export const CONTROL_BODY_BYTES_MAX = 1_024;

/** Undefined when it is too large, broke off, or is no JSON. */
export async function readControlBody(request: IncomingMessage): Promise<{ readonly value: unknown } | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > CONTROL_BODY_BYTES_MAX) return undefined;
      chunks.push(chunk);
    }
    return { value: JSON.parse(Buffer.concat(chunks).toString()) };
  } catch {
    // A parser's words quote what was sent.
    return undefined;
  }
}

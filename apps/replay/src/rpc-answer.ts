/**
 * How a message becomes an answer or a refusal. What a router is told about a failure is a code and a reason, never a part
 * of the message.
 */
import { RpcException } from '@nestjs/microservices';
import { z } from 'zod';
import { RoundhouseError } from '@roundhouse/errors';

/** A question without a body; what a newer router may put there is passed over. */
export const nothingSchema = z.looseObject({});

export interface Answering<T, R> {
  readonly schema: z.ZodType<T>;
  readonly run: (request: T) => Promise<R>;
}

/** @throws RpcException `{ code, reason }`: `invalid_request`, `replay_unavailable`, `overloaded`, `draining` or `internal` */
export async function answerMessage<T, R>({ schema, run }: Answering<T, R>, message: unknown): Promise<R> {
  const parsed = schema.safeParse(message);
  if (!parsed.success) throw toRefusal(new RoundhouseError('invalid_request', { reason: 'body_not_a_message' }));
  try {
    return await run(parsed.data);
  } catch (error) {
    throw toRefusal(RoundhouseError.from(error));
  }
}

function toRefusal({ code, reason }: RoundhouseError): RpcException {
  return new RpcException({ code, reason });
}

/**
 * Suggestions for one argument of a prompt or one variable of a template. What has no suggestions of its own answers
 * with none; only a reference to something unknown is an error.
 */
import { z } from 'zod';
import type { CallReply } from '@roundhouse/contracts';
import type { CompletionMethod, CompletionReturn } from './declarations.js';
import { attempt, type Endpoint } from './endpoint.js';
import { readObject } from './json-body.js';
import { failed, type Run } from './run.js';

/** Protocol limit (server/utilities/completion). */
const COMPLETION_VALUES_MAX = 100;

const paramsSchema = z.object({
  ref: z.union([
    z.object({ type: z.literal('ref/prompt'), name: z.string() }),
    z.object({ type: z.literal('ref/resource'), uri: z.string() }),
  ]),
  argument: z.object({ name: z.string(), value: z.string() }),
  context: z.object({ arguments: z.record(z.string(), z.string()).optional() }).optional(),
});
export type CompletionReference = z.infer<typeof paramsSchema>['ref'];

export interface Completers {
  readonly isKnown: (reference: CompletionReference) => boolean;
  readonly find: (reference: CompletionReference, argument: string) => CompletionMethod | undefined;
}

export class CompletionEndpoint implements Endpoint {
  readonly answers = 'open';

  constructor(private readonly completers: Completers) {}

  invoke(run: Run): CallReply | Promise<CallReply> {
    const params = paramsSchema.safeParse(readObject(run.request.body));
    if (!params.success) return { kind: 'error', code: 'invalid_params', message: 'ref and argument are required' };
    const { ref, argument, context } = params.data;
    if (!this.completers.isKnown(ref))
      return { kind: 'error', code: 'unknown_target', message: 'Unknown completion reference' };
    const method = this.completers.find(ref, argument.name);
    if (method === undefined) return encode([]);
    return attempt<CompletionReturn>(run, {
      name: `Completion of ${argument.name.slice(0, 128)}`,
      method: () => method(argument.value, { arguments: context?.arguments ?? {} }),
      encode,
      refuse: () => undefined,
      fail: () => failed('The completion failed'),
    });
  }
}

function encode(returned: CompletionReturn): CallReply {
  const { values, total, hasMore } =
    'values' in returned && !isList(returned) ? returned : { values: returned as readonly string[] };
  const shown = values.slice(0, COMPLETION_VALUES_MAX);
  const completion = { values: shown, total, hasMore: hasMore ?? (shown.length < values.length || undefined) };
  return { kind: 'complete', body: JSON.stringify({ completion }) };
}

function isList(returned: CompletionReturn): returned is readonly string[] {
  return Array.isArray(returned);
}

/**
 * One tool: its entry in the catalogue and the way from argument text to result text. What a tool gets wrong is a
 * result with `isError`, as the protocol wants it, so that a model can read it and try again.
 */
import { Logger } from '@nestjs/common';
import type { CallReply, ToolEntry } from '@roundhouse/contracts';
import type { AskPlan, Refused } from './ask-plan.js';
import { Call } from './call.js';
import { failure, text, toToolResult, type ToolResult, type ToolReturn } from './content.js';
import type { ToolMethod, ToolOptions } from './declarations.js';
import { attempt, type Endpoint } from './endpoint.js';
import { ToolFailure } from './failures.js';
import { toGate } from './gate.js';
import { toInputSchema, toOutputSchema, type InputSchema } from './input-schema.js';
import { readObject } from './json-body.js';
import type { Run } from './run.js';

export interface ToolLimits {
  readonly resultCharsMax: number;
}

export interface ToolParts {
  readonly method: ToolMethod<never>;
  readonly asks: AskPlan;
}

const logger = new Logger('WorkerKit');

export class ToolEndpoint implements Endpoint {
  readonly entry: ToolEntry;
  readonly answers: 'sealed' | 'open';
  private readonly name: string;
  private readonly input: InputSchema;

  constructor(
    private readonly options: ToolOptions,
    private readonly parts: ToolParts,
    private readonly limits: ToolLimits,
  ) {
    this.answers = options.answers ?? 'sealed';
    this.name = `Tool ${options.name}`;
    this.input = toInputSchema(options);
    this.entry = toEntry(options, this.input);
  }

  invoke(run: Run): CallReply | Promise<CallReply> {
    const input = readObject(run.request.body);
    if (input === undefined) return { kind: 'error', code: 'invalid_params', message: 'arguments must be an object' };
    const checked = this.input.check(input);
    if (!checked.ok) return this.encode(failure(`Invalid arguments\n${checked.problem}`));
    return attempt<ToolReturn>(run, {
      name: this.name,
      method: () => this.start(checked.value as never, new Call(run)),
      encode: (returned) => this.encode(this.checkOutput(toToolResult(returned))),
      refuse: (thrown) => (thrown instanceof ToolFailure ? this.encode(failure(thrown.message)) : undefined),
      fail: () => this.encode(failure('The tool failed')),
    });
  }

  private start(input: never, call: Call): ToolReturn | Promise<ToolReturn> {
    const { asks, method } = this.parts;
    return asks.isEmpty ? method(input, call) : this.startAfterAsks(input, call);
  }

  private async startAfterAsks(input: never, call: Call): Promise<ToolReturn> {
    const { asks, method } = this.parts;
    const resolved = await asks.resolve(input, call);
    if ('values' in resolved) return method(input, call, ...(resolved.values as never[]));
    const said = toRefusal(resolved.refused);
    // Clients hold a plain result against the output schema, which a refusal has nothing for.
    return this.options.output === undefined ? said : failure(said);
  }

  /** The value sent on is the parsed one: it has what the schema names and nothing else. */
  private checkOutput(result: ToolResult): ToolResult {
    const { output } = this.options;
    if (output === undefined || result.isError === true) return result;
    const parsed = output.safeParse(result.structuredContent);
    if (parsed.success) return { ...result, structuredContent: parsed.data };
    const paths = parsed.error.issues.map(({ path }) => path.map(String).join('.') || '(root)');
    logger.error(
      `${this.name}: result did not match its declared schema at ${paths.slice(0, 8).join(', ').slice(0, 512)}`,
    );
    return failure('The result did not match its declared schema');
  }

  private encode(result: ToolResult): CallReply {
    const body = JSON.stringify(toWire(result));
    if (body.length > this.limits.resultCharsMax) {
      logger.error(`${this.name}: result of ${body.length} characters is too large`);
      return this.encode(failure('The result was too large'));
    }
    return {
      kind: 'complete',
      body,
      ...(result.isError === true && { isError: true }),
      ...(result.meta !== undefined && { meta: { ...result.meta } }),
    };
  }
}

function toRefusal({ key, action }: Refused): string {
  const how = action === 'decline' ? 'was declined' : 'was closed without an answer';
  return `The question "${key}" ${how}, so nothing was done.`;
}

/** Only what a result may hold: anything else an author returned stays here. */
function toWire({ content, structuredContent, isError }: ToolResult): Record<string, unknown> {
  const blocks = content ?? [text(JSON.stringify(structuredContent) ?? 'null')];
  return { content: blocks, structuredContent, isError: isError === true ? true : undefined };
}

function toEntry(options: ToolOptions, input: InputSchema): ToolEntry {
  const { name, title, description, annotations, output } = options;
  const outputSchema = output === undefined ? undefined : toOutputSchema(output);
  const { singleUse, answers, onDisconnect } = options;
  return {
    name,
    json: JSON.stringify({ name, title, description, inputSchema: input.json, outputSchema, annotations }),
    ...toGate(options),
    ...(singleUse !== undefined && { singleUse }),
    ...(answers && { answers }),
    ...(onDisconnect && { onDisconnect }),
  };
}

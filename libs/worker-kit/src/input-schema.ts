/**
 * Arguments of a tool: the JSON Schema clients see, made once at boot, and the check every call goes through. What is
 * wrong is told by path and rule; values are never echoed, they may be secrets or someone else's text.
 */
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { z } from 'zod';
import type { ToolOptions } from './declarations.js';

export type JsonSchema = Readonly<Record<string, unknown>>;
export type Checked = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string };

export interface InputSchema {
  readonly json: JsonSchema;
  readonly check: (input: unknown) => Checked;
}

/** Problems named in one answer, and characters of each: enough to mend a call, too few to flood a model. */
const PROBLEMS_MAX = 8;
const PROBLEM_CHARS_MAX = 200;

export function toInputSchema(options: ToolOptions): InputSchema {
  if (options.rawInputSchema !== undefined) return fromJsonSchema(options.rawInputSchema);
  const schema = options.input ?? z.object({});
  const json = z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input' }) as JsonSchema;
  return { json: withHeaders(json, options.headers ?? {}), check: (input) => checkWithZod(schema, input) };
}

export function toOutputSchema(output: z.ZodType): JsonSchema {
  return z.toJSONSchema(output, { target: 'draft-2020-12', io: 'output' }) as JsonSchema;
}

/** Adds `x-mcp-header` to the named properties. */
function withHeaders(json: JsonSchema, headers: Readonly<Record<string, string>>): JsonSchema {
  const properties = json['properties'] as Record<string, JsonSchema> | undefined;
  const annotated = Object.entries(headers).map(([field, header]) => {
    const property = properties?.[field];
    if (property === undefined)
      throw new Error(`A header is declared for the field "${field}", which the input does not have`);
    return [field, { ...property, 'x-mcp-header': header }] as const;
  });
  return annotated.length === 0 ? json : { ...json, properties: { ...properties, ...Object.fromEntries(annotated) } };
}

/** Made on first use: its meta-schemas take longer to compile than all else at boot. Keeps no schema by its `$id`. */
let ajv: Ajv2020 | undefined;

function fromJsonSchema(json: JsonSchema): InputSchema {
  ajv ??= addFormats.default(new Ajv2020({ strict: false, allErrors: false, addUsedSchema: false })) as Ajv2020;
  const validate = ajv.compile(json);
  return {
    json,
    check: (input) =>
      validate(input) ? { ok: true, value: input } : { ok: false, problem: ajvProblems(validate.errors ?? []) },
  };
}

function checkWithZod(schema: z.ZodType, input: unknown): Checked {
  const parsed = schema.safeParse(input);
  if (parsed.success) return { ok: true, value: parsed.data };
  const problems = parsed.error.issues.map(({ path, message }) => [path.map(String).join('.'), message] as const);
  return { ok: false, problem: toProblemText(problems) };
}

function ajvProblems(errors: readonly ErrorObject[]): string {
  return toProblemText(
    errors.map(
      ({ instancePath, message }) => [instancePath.slice(1).replaceAll('/', '.'), message ?? 'is not valid'] as const,
    ),
  );
}

function toProblemText(problems: readonly (readonly [path: string, message: string])[]): string {
  const shown = problems.slice(0, PROBLEMS_MAX).map(([path, message]) => {
    const line = `${path === '' ? 'arguments' : path}: ${message}`;
    return line.slice(0, PROBLEM_CHARS_MAX).toWellFormed();
  });
  const more = problems.length > PROBLEMS_MAX ? [`and ${problems.length - PROBLEMS_MAX} more`] : [];
  return [...shown, ...more].join('\n');
}

/**
 * The decorators a tool author puts on methods of Nest providers. They only note what was declared; everything is
 * checked when the module boots.
 */
import 'reflect-metadata';
import type { z } from 'zod';
import type { Call, OpenCall } from './call.js';
import type { ResourceContents, ContentBlock, ToolReturn } from './content.js';

export type Answering = 'sealed' | 'open';

export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** What the router enforces before a call of any kind reaches the worker. */
export interface Gate {
  readonly requiredScopes?: readonly string[];
  readonly timeoutMs?: number;
  /** Client capabilities without which the call cannot even start, as in `{ sampling: {} }`. */
  readonly needs?: Readonly<Record<string, unknown>>;
}

export interface ToolOptions<
  I extends z.ZodObject | undefined = z.ZodObject | undefined,
  A extends Answering = Answering,
> extends Gate {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /** Checks and types the arguments, and gives the JSON Schema that clients see. */
  readonly input?: I;
  /** Instead of `input`: a JSON Schema (2020-12) published as it stands and checked with Ajv. */
  readonly rawInputSchema?: Readonly<Record<string, unknown>>;
  /** Checks `structuredContent`. */
  readonly output?: z.ZodType;
  readonly annotations?: ToolAnnotations;
  /** A confirmed round runs at most once. */
  readonly singleUse?: boolean;
  /** With `singleUse`: what a client that goes away does to a run already claimed. */
  readonly onDisconnect?: 'finish' | 'abort';
  /** `open`: nothing depends on who was asked what; asks carry no state and answers are taken by key. */
  readonly answers?: A;
  /** Input field → header `Mcp-Param-<name>` that clients send beside the argument. */
  readonly headers?: Readonly<Record<string, string>>;
}

export type ResourceOptions = Gate & {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly cache?: { readonly ttlMs: number; readonly scope: 'public' | 'private' };
} & (
    | { readonly uri: string; readonly uriTemplate?: undefined }
    | { readonly uriTemplate: string; readonly uri?: undefined }
  );

export interface PromptArgument {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
}

export interface PromptOptions extends Gate {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly arguments?: readonly PromptArgument[];
}

export type CompleteOptions = { readonly argument: string } & (
  | { readonly prompt: string; readonly uriTemplate?: undefined }
  | { readonly uriTemplate: string; readonly prompt?: undefined }
);

export type InputOf<I> = I extends z.ZodObject ? z.output<I> : Readonly<Record<string, unknown>>;
export type Variables = Readonly<Record<string, string>>;

export interface PromptMessage {
  readonly role: 'user' | 'assistant';
  readonly content: ContentBlock;
}
/** A text is one message of the user. */
export type PromptReturn =
  | string
  | readonly PromptMessage[]
  | {
      readonly description?: string;
      readonly messages: readonly PromptMessage[];
      readonly meta?: Readonly<Record<string, unknown>>;
    };
/** Text, bytes, or whole contents; undefined: there is no such resource. */
export type ResourceReturn = string | Uint8Array | readonly ResourceContents[] | undefined;
export type CompletionReturn =
  readonly string[] | { readonly values: readonly string[]; readonly total?: number; readonly hasMore?: boolean };

type Returns<T> = T | Promise<T>;
/** After input and call, whatever parameters `@Ask` fills. */
export type ToolMethod<In, A extends Answering = 'sealed'> = (
  input: In,
  call: A extends 'open' ? OpenCall : Call,
  ...asked: never[]
) => Returns<ToolReturn>;
export type ResourceMethod = (variables: Variables, call: Call) => Returns<ResourceReturn>;
export type PromptMethod = (args: Variables, call: Call) => Returns<PromptReturn>;
export type CompletionMethod = (value: string, context: { readonly arguments: Variables }) => Returns<CompletionReturn>;

export type Declaration =
  | { readonly kind: 'tool'; readonly options: ToolOptions }
  | { readonly kind: 'resource'; readonly options: ResourceOptions }
  | { readonly kind: 'prompt'; readonly options: PromptOptions }
  | { readonly kind: 'completion'; readonly options: CompleteOptions };

type DecoratorOf<M> = <T extends M>(
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<T>,
) => void;

const DECLARATIONS = 'roundhouse:declarations';

export function Tool<I extends z.ZodObject | undefined = undefined, A extends Answering = 'sealed'>(
  options: ToolOptions<I, A>,
): DecoratorOf<ToolMethod<InputOf<I>, A>> {
  return declare({ kind: 'tool', options });
}

export function Resource(options: ResourceOptions): DecoratorOf<ResourceMethod> {
  return declare({ kind: 'resource', options });
}

export function Prompt(options: PromptOptions): DecoratorOf<PromptMethod> {
  return declare({ kind: 'prompt', options });
}

export function Complete(options: CompleteOptions): DecoratorOf<CompletionMethod> {
  return declare({ kind: 'completion', options });
}

/** What was declared on a method; several decorators on one method are several declarations. */
export function declarationsOf(method: object): readonly Declaration[] {
  return (Reflect.getOwnMetadata(DECLARATIONS, method) as Declaration[] | undefined) ?? [];
}

function declare(declaration: Declaration): DecoratorOf<never> {
  return (_target, _key, { value }) => {
    const method = value as unknown as object;
    Reflect.defineMetadata(DECLARATIONS, [declaration, ...declarationsOf(method)], method);
  };
}

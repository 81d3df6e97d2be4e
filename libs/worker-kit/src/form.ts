/**
 * Forms and their fields. The builders can say only what the protocol permits in a form (flat, no pattern, no nesting),
 * and the type of the answer's content follows from them. What the types let pass is checked where it is built, so a
 * form that stands outside a method ends the boot when it cannot be sent: for a secret it asks for, or a default that
 * breaks its own field.
 */
import { checkAsk, checkField } from '@roundhouse/protocol';
import { Question } from './question.js';

declare const valueOf: unique symbol;

/** Made by the builders only. */
export interface Field<T> {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly required: boolean;
  /** Type only: what the field reads as. */
  readonly [valueOf]: T;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;
export type FormContent<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never };
export type FormAnswer<C> =
  { readonly action: 'accept'; readonly content: C } | { readonly action: 'decline' } | { readonly action: 'cancel' };

interface Labels {
  readonly title?: string;
  readonly description?: string;
}

export interface StringOptions extends Labels {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly format?: 'email' | 'uri' | 'date' | 'date-time';
  readonly default?: string;
}

export interface NumberOptions extends Labels {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: number;
}

/** A choice whose value is not what a person should read. */
export interface Choice<V extends string> {
  readonly value: V;
  readonly title: string;
}

export interface ManyOptions<V extends string> extends Labels {
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly default?: readonly V[];
}

export function string(options: StringOptions = {}): Field<string> {
  return required({ type: 'string', ...options });
}

export function number(options: NumberOptions = {}): Field<number> {
  return required({ type: 'number', ...options });
}

export function integer(options: NumberOptions = {}): Field<number> {
  return required({ type: 'integer', ...options });
}

export function boolean(options: Labels & { readonly default?: boolean } = {}): Field<boolean> {
  return required({ type: 'boolean', ...options });
}

/** Single select; titled as soon as one choice has a title. Throws without choices: nobody could answer. */
export function oneOf<const V extends string>(
  choices: readonly (V | Choice<V>)[],
  options: Labels & { readonly default?: NoInfer<V> } = {},
): Field<V> {
  const titled = toTitled(choices);
  const among = titled ? { oneOf: titled } : { enum: [...choices] };
  return required({ type: 'string', ...among, ...options });
}

/** Multi select; titled as soon as one choice has a title. */
export function manyOf<const V extends string>(
  choices: readonly (V | Choice<V>)[],
  options: ManyOptions<NoInfer<V>> = {},
): Field<readonly V[]> {
  const titled = toTitled(choices);
  const items = titled ? { anyOf: titled } : { type: 'string', enum: [...choices] };
  return required({ type: 'array', items, ...options });
}

/** A field the person may leave out. */
export function optional<T>(field: Field<T>): Field<T | undefined> {
  return { schema: field.schema, required: false } as Field<T | undefined>;
}

/**
 * Accept carries the content; decline and cancel are outcomes of their own and never consent.
 * @throws TypeError for a form that no client may be sent
 */
export function form<F extends Fields>(message: string, fields: F): Question<FormAnswer<FormContent<F>>> {
  const names = Object.keys(fields);
  const needed = names.filter((name) => fields[name]?.required);
  const requestedSchema = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, fields[name]?.schema])),
    ...(needed.length > 0 && { required: needed }),
  };
  const { ask } = rawForm(message, requestedSchema);
  const reason = checkAsk(ask, { allowInsecureUrls: false });
  if (reason !== undefined) throw new TypeError(`The form cannot be sent: ${reason}`);
  return new Question(ask, true);
}

/** A form whose schema is given as it stands; checked like any other when it is asked. */
export function rawForm(
  message: string,
  requestedSchema: Readonly<Record<string, unknown>>,
): Question<FormAnswer<Readonly<Record<string, unknown>>>> {
  return new Question({ method: 'elicitation/create', params: { mode: 'form', message, requestedSchema } });
}

/** The name of the field is not known yet; the form checks it. */
function required<T>(schema: Readonly<Record<string, unknown>>): Field<T> {
  const reason = checkField('', schema);
  if (reason !== undefined) throw new TypeError(`The form field ${reason}`);
  return { schema, required: true } as Field<T>;
}

function toTitled(
  choices: readonly (string | Choice<string>)[],
): readonly { const: string; title: string }[] | undefined {
  if (choices.length === 0) throw new TypeError('A select needs at least one choice');
  if (choices.every((choice) => typeof choice === 'string')) return undefined;
  return choices.map((choice) =>
    typeof choice === 'string' ? { const: choice, title: choice } : { const: choice.value, title: choice.title },
  );
}

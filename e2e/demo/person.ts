/**
 * Who answers the questions of the demo: the person at the terminal, or a script when there is none. Both see exactly
 * the form that the client was sent.
 */
import { createInterface, type Interface } from 'node:readline/promises';
import type { ElicitRequestFormParams, ElicitResult } from '@modelcontextprotocol/client';

type Field = ElicitRequestFormParams['requestedSchema']['properties'][string];
export type Content = NonNullable<ElicitResult['content']>;

export interface Person {
  answer(question: ElicitRequestFormParams): Promise<ElicitResult>;
  leave(): void;
}

/** Accepts everything: the first of what can be chosen, yes, and what the script knows by the field's name. */
export class ScriptedPerson implements Person {
  constructor(private readonly known: Content) {}

  async answer({ requestedSchema }: ElicitRequestFormParams): Promise<ElicitResult> {
    const entries = Object.entries(requestedSchema.properties);
    const content = entries.map(([name, field]) => [name, this.known[name] ?? optionsOf(field)[0]?.value ?? true]);
    return { action: 'accept', content: Object.fromEntries(content) as Content };
  }

  leave(): void {
    // Nobody was there.
  }
}

/** Closing the terminal counts as walking away: cancel, which changes nothing. */
export class PersonAtTerminal implements Person {
  private terminal: Interface | undefined;
  private readonly gone = new AbortController();

  async answer({ requestedSchema }: ElicitRequestFormParams): Promise<ElicitResult> {
    const content: Content = {};
    for (const [name, field] of Object.entries(requestedSchema.properties)) {
      const typed = await this.ask(promptFor(name, field));
      if (typed === 'decline' || typed === 'cancel') return { action: typed };
      content[name] = toValue(field, typed);
    }
    return { action: 'accept', content };
  }

  leave(): void {
    this.terminal?.close();
  }

  private async ask(prompt: string): Promise<string> {
    this.terminal ??= this.open();
    const typed = this.terminal.question(`    ${prompt} `, { signal: this.gone.signal });
    return typed.then(
      (text) => text.trim(),
      () => 'cancel',
    );
  }

  private open(): Interface {
    const terminal = createInterface({ input: process.stdin, output: process.stdout });
    terminal.once('close', () => this.gone.abort());
    return terminal;
  }
}

export interface Option {
  readonly value: string;
  readonly title: string;
}

/** What a single select offers; empty for other fields. */
export function optionsOf(field: Field): readonly Option[] {
  if ('oneOf' in field) return field.oneOf.map(({ const: value, title }) => ({ value, title }));
  if ('enum' in field) return field.enum.map((value) => ({ value, title: value }));
  return [];
}

function promptFor(name: string, field: Field): string {
  const options = optionsOf(field).map(({ title }, at) => `${at + 1}) ${title}`);
  const how = options.length > 0 ? options.join('  ') : field.type === 'boolean' ? 'y/n' : field.type;
  return `${field.title ?? name} [${how}, or decline, or cancel]:`;
}

/** What cannot be understood is sent as typed: the gateway then asks again. */
function toValue(field: Field, typed: string): Content[string] {
  const option = optionsOf(field)[Number(typed) - 1];
  if (option !== undefined) return option.value;
  if (field.type === 'boolean') return /^y(es)?$/i.test(typed);
  return field.type === 'number' || field.type === 'integer' ? Number(typed) : typed;
}

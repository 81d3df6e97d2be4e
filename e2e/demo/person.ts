/**
 * Who answers the questions of the demo: the person at the terminal, or a script when there is none. Both see exactly
 * what the client was sent.
 */
import { createInterface, type Interface } from 'node:readline/promises';
import type {
  CreateMessageResult,
  ElicitRequestFormParams,
  ElicitRequestURLParams,
  ElicitResult,
} from '@modelcontextprotocol/client';
import { pressOnPage } from '../harness/report-page.js';
import { CASE_SAMPLE } from '../harness/tool-cases.js';

type Field = ElicitRequestFormParams['requestedSchema']['properties'][string];
export type Content = NonNullable<ElicitResult['content']>;

export interface Person {
  answer(question: ElicitRequestFormParams): Promise<ElicitResult>;
  open(question: ElicitRequestURLParams): Promise<ElicitResult>;
  /** What the model says; rejects when it may not be asked. */
  sample(): Promise<CreateMessageResult>;
  leave(): void;
}

/** Accepts everything: the first of what can be chosen, yes, and what the script knows by the field's name. */
export class ScriptedPerson implements Person {
  private readonly opened = new Set<string>();

  constructor(
    private readonly name: string,
    private readonly known: Content,
  ) {}

  async answer({ requestedSchema }: ElicitRequestFormParams): Promise<ElicitResult> {
    const entries = Object.entries(requestedSchema.properties);
    const content = entries.map(([name, field]) => [name, this.known[name] ?? optionsOf(field)[0]?.value ?? true]);
    return { action: 'accept', content: Object.fromEntries(content) as Content };
  }

  /** Agrees at once and finishes when asked again. */
  async open({ url }: ElicitRequestURLParams): Promise<ElicitResult> {
    if (this.opened.has(url)) await pressOnPage(url, { user: this.name, decision: 'allow' });
    this.opened.add(url);
    return { action: 'accept' };
  }

  async sample(): Promise<CreateMessageResult> {
    return CASE_SAMPLE;
  }

  leave(): void {
    // Nobody was there.
  }
}

/** Closing the terminal counts as walking away: cancel, which changes nothing. */
export class PersonAtTerminal implements Person {
  private terminal: Interface | undefined;
  private readonly gone = new AbortController();

  constructor(private readonly name: string) {}

  async answer({ requestedSchema }: ElicitRequestFormParams): Promise<ElicitResult> {
    const content: Content = {};
    for (const [name, field] of Object.entries(requestedSchema.properties)) {
      const typed = await this.ask(promptFor(name, field));
      if (typed === 'decline' || typed === 'cancel') return { action: typed };
      content[name] = toValue(field, typed);
    }
    return { action: 'accept', content };
  }

  async open({ url }: ElicitRequestURLParams): Promise<ElicitResult> {
    const typed = await this.ask(
      `Sign in there as ${this.name} [accept, or decline, or cancel; allow or refuse presses the button for you]:`,
    );
    if (typed === 'decline' || typed === 'cancel') return { action: typed };
    if (typed === 'allow' || typed === 'refuse') await pressOnPage(url, { user: this.name, decision: typed });
    return { action: 'accept' };
  }

  async sample(): Promise<CreateMessageResult> {
    const typed = await this.ask('You are the model [a plan, or refuse]:');
    if (typed === 'refuse' || typed === 'cancel') throw new Error('The person does not want the model to be asked');
    return { ...CASE_SAMPLE, content: { type: 'text', text: typed } };
  }

  leave(): void {
    this.terminal?.close();
  }

  private async ask(prompt: string): Promise<string> {
    this.terminal ??= this.listen();
    const typed = this.terminal.question(`    ${prompt} `, { signal: this.gone.signal });
    return typed.then(
      (text) => text.trim(),
      () => 'cancel',
    );
  }

  private listen(): Interface {
    const terminal = createInterface({ input: process.stdin, output: process.stdout });
    terminal.once('close', () => this.gone.abort());
    return terminal;
  }
}

export interface Option {
  readonly value: string;
  readonly title: string;
}

/** What a select offers, single or multiple; empty for other fields. */
export function optionsOf(field: Field): readonly Option[] {
  if (field.type === 'array') {
    const { items } = field;
    return 'anyOf' in items ? items.anyOf.map(toOption) : items.enum.map((value) => ({ value, title: value }));
  }
  if ('oneOf' in field) return field.oneOf.map(toOption);
  if ('enum' in field) return field.enum.map((value) => ({ value, title: value }));
  return [];
}

function toOption({ const: value, title }: { const: string; title: string }): Option {
  return { value, title };
}

function promptFor(name: string, field: Field): string {
  const options = optionsOf(field).map(({ title }, at) => `${at + 1}) ${title}`);
  const several = field.type === 'array' ? '; several as 1,2, or nothing' : '';
  const how = options.length > 0 ? options.join('  ') + several : field.type === 'boolean' ? 'y/n' : field.type;
  return `${field.title ?? name} [${how}, or decline, or cancel]:`;
}

/** Nothing typed is the default, if there is one. What cannot be understood is sent as typed: the gateway then asks again. */
function toValue(field: Field, typed: string): Content[string] {
  if (typed === '' && field.default !== undefined) return field.default;
  const options = optionsOf(field);
  const choose = (choice: string): string => options[Number(choice) - 1]?.value ?? choice;
  if (field.type === 'array') return typed === '' ? [] : typed.split(',').map((choice) => choose(choice.trim()));
  if (options.length > 0) return choose(typed);
  if (field.type === 'boolean') return /^y(es)?$/i.test(typed);
  return field.type === 'number' || field.type === 'integer' ? Number(typed) : typed;
}

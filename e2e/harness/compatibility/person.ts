/** Whoever sits before a client of the compatibility table: does the same with every question. */
import { pressOnPage } from '../report-page.js';
import { CASE_ROOTS, CASE_SAMPLE, contentFor } from '../tool-cases.js';
import type { Json } from '../mcp-request.js';
import { PRINCIPAL, type ClientOptions } from './matrix-client.js';

export class Person {
  private readonly opened = new Set<string>();

  constructor(private readonly options: Pick<ClientOptions, 'action' | 'answers'>) {}

  fill(fields: readonly string[]): Json {
    const { action, answers } = this.options;
    return action === 'accept' ? { action, content: contentFor(fields, answers) } : { action };
  }

  /** Agrees at once and finishes when asked again: accept is not completion. */
  async open(url: string): Promise<Json> {
    const { action } = this.options;
    if (action === 'accept' && this.opened.has(url)) await pressOnPage(url, { user: PRINCIPAL, decision: 'allow' });
    this.opened.add(url);
    return { action };
  }

  /** Whatever a server may ask. */
  async answer(method: string, params: Json): Promise<Json> {
    if (method === 'sampling/createMessage') return CASE_SAMPLE;
    if (method === 'roots/list') return { roots: CASE_ROOTS.map((uri) => ({ uri })) };
    if (params['mode'] === 'url') return this.open(String(params['url']));
    const { properties = {} } = params['requestedSchema'] as { readonly properties?: object };
    return this.fill(Object.keys(properties));
  }
}

export const CAPABILITIES = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

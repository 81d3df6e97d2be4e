/**
 * A client that knows one address finds out where to log in, logs in, lacks a scope, logs in for more, calls a tool, and
 * lacks the one that the policy asks for this tool. What the person would press on the pages of the authorization server is asked here instead.
 */
import type { ElicitRequestFormParams } from '@modelcontextprotocol/client';
import { CLIENT_ID, REDIRECT_URI } from '../harness/authorization-server.js';
import { AuthorizedClient } from '../harness/authorized-client.js';
import { NEEDED_SCOPE, TOOL_SCOPE, type AuthorizedWorld } from '../harness/authorized-world.js';
import { walk } from '../harness/browser.js';
import { textOf } from '../harness/official-client.js';
import type { Narrator } from './narrator.js';
import type { Person } from './person.js';
import { CALL_WITHIN_MS } from './play.js';
import type { Script } from './scripts.js';
import { ToldRequests, placeOf } from './told-requests.js';

/** Of the address the person is sent to; the state of the client is its own. */
const TOLD_PARAMETERS = ['response_type', 'client_id', 'resource', 'scope', 'code_challenge_method'];

export interface LoginOutcome {
  readonly tool: string;
  readonly logins: readonly Login[];
  readonly requests: readonly string[];
  readonly result: string;
}

interface Login {
  readonly asked: readonly string[];
  readonly allowed: readonly string[];
}

export class LoginPlay {
  private readonly logins: Login[] = [];
  private readonly requests: ToldRequests;

  constructor(
    private readonly world: AuthorizedWorld,
    private readonly narrator: Narrator,
    private readonly person: Person,
  ) {
    this.requests = new ToldRequests(narrator);
  }

  async run(script: Script): Promise<LoginOutcome> {
    const { resource, server } = this.world;
    this.narrator.exchange('The client knows one address', [
      resource,
      `Every call needs a token with ${NEEDED_SCOPE}, ${script.tool} ${TOOL_SCOPE} as well by the policy file.`,
      `The authorization server is ${server.issuer}.`,
    ]);
    const result = await this.call(script).catch((error: Error) => `The client gave up: ${error.message}`);
    this.narrator.result(result);
    return { tool: script.tool, logins: this.logins, requests: this.requests.lines, result };
  }

  private async call({ tool, args }: Script): Promise<string> {
    const caller = await AuthorizedClient.connect({
      url: this.world.resource,
      fetch: this.requests.fetch,
      browse: (sentTo) => this.browse(sentTo),
      answer: async (question) => {
        this.narrator.question(question);
        return this.narrator.answered(await this.person.answer(question));
      },
    });
    try {
      this.narrator.call(tool, args);
      return textOf(await caller.callTool({ name: tool, arguments: args }, { timeout: CALL_WITHIN_MS }));
    } finally {
      await caller.close();
    }
  }

  /** The person decides before the browser goes, so that no page waits for somebody who thinks. */
  private async browse(sentTo: URL): Promise<URL> {
    const { searchParams } = sentTo;
    const told = TOLD_PARAMETERS.map((name) => `${name}: ${searchParams.get(name)}`);
    this.narrator.exchange(`The person is sent to ${placeOf(sentTo)}`, told);
    const asked = searchParams.get('scope')?.split(' ') ?? [];
    const allowed = await this.allow(asked);
    this.logins.push({ asked, allowed });
    this.world.server.person.agreesTo = () => allowed;
    const cameBack = await walk(sentTo, REDIRECT_URI);
    const error = cameBack.searchParams.get('error');
    this.narrator.exchange(`The browser comes back to ${placeOf(cameBack)}`, [
      error === null ? `with a code, for ${allowed.join(' ')}` : `without a code: ${error}`,
    ]);
    return cameBack;
  }

  private async allow(asked: readonly string[]): Promise<readonly string[]> {
    const field = asked.includes(TOOL_SCOPE) ? 'for_the_tool' : this.logins.length === 0 ? 'first_login' : 'step_up';
    const question: ElicitRequestFormParams = {
      mode: 'form',
      message: `You are ${this.world.server.person.name}. What do you allow ${CLIENT_ID}? Nothing is a refusal, and less than is needed asks you for more.`,
      requestedSchema: {
        type: 'object',
        properties: { [field]: { type: 'array', title: 'Allow', items: { type: 'string', enum: [...asked] } } },
      },
    };
    this.narrator.question(question);
    const { content } = this.narrator.answered(await this.person.answer(question));
    const chosen = content?.[field];
    return Array.isArray(chosen) ? asked.filter((scope) => chosen.includes(scope)) : [];
  }
}

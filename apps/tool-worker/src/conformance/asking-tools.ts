/** Fixtures of the MCP conformance suite for requests in several rounds. */
import { Injectable } from '@nestjs/common';
import {
  Call,
  Tool,
  boolean,
  form,
  roots,
  sample,
  string,
  text,
  type OpenCall,
  type SamplingAnswer,
} from '@roundhouse/worker-kit';

const SAMPLE_TOKENS_MAX = 100;

const askName = form('What is your name?', { name: string({ title: 'Name' }) });
const askOk = form('Please confirm.', { ok: boolean({ title: 'OK' }) });
const askModel = (question: string) =>
  sample({ messages: [{ role: 'user', content: text(question) }], maxTokens: SAMPLE_TOKENS_MAX });

@Injectable()
export class AskingTools {
  /** The suite answers this one in a first call, so its answers are open. */
  @Tool({ name: 'test_input_required_result_elicitation', description: 'Asks for a name.', answers: 'open' })
  async elicitation(_: unknown, call: OpenCall) {
    const answer = await call.ask('user_name', askName);
    return answer.action === 'accept' ? `Hello, ${answer.content.name}!` : `No name (${answer.action}).`;
  }

  @Tool({ name: 'test_input_required_result_sampling', description: 'Asks the model of the client.' })
  async sampling(_: unknown, call: Call) {
    return toText(await call.ask('capital_question', askModel('What is the capital of France?')));
  }

  @Tool({ name: 'test_input_required_result_list_roots', description: 'Asks for the roots of the client.' })
  async listRoots(_: unknown, call: Call) {
    const { roots: listed } = await call.ask('client_roots', roots());
    return `The client has ${listed.length} roots.`;
  }

  @Tool({ name: 'test_input_required_result_request_state', description: 'Asks and keeps state.' })
  async requestState(_: unknown, call: Call) {
    const answer = await call.ask('confirm', askOk);
    return answer.action === 'accept' ? 'state-ok' : `Not confirmed (${answer.action}).`;
  }

  @Tool({ name: 'test_input_required_result_multiple_inputs', description: 'Asks three things in one round.' })
  async multipleInputs(_: unknown, call: Call) {
    const answers = await call.askAll({
      user_name: askName,
      capital_question: askModel('What is the capital of France?'),
      client_roots: roots(),
    });
    const name = answers.user_name.action === 'accept' ? answers.user_name.content.name : answers.user_name.action;
    return `${name}; ${toText(answers.capital_question)}; ${answers.client_roots.roots.length} roots`;
  }

  @Tool({ name: 'test_input_required_result_multi_round', description: 'Asks in two rounds.' })
  async multiRound(_: unknown, call: Call) {
    const first = await call.ask('step1', askName);
    if (first.action !== 'accept') return `Ended in round 1 (${first.action}).`;
    const second = await call.ask(
      'step2',
      form('What is your favourite colour?', { color: string({ title: 'Colour' }) }),
    );
    return second.action === 'accept'
      ? `${first.content.name} likes ${second.content.color}.`
      : `Ended in round 2 (${second.action}).`;
  }

  @Tool({
    name: 'test_input_required_result_tampered_state',
    description: 'Asks and keeps state that must not be changed.',
  })
  async tamperedState(_: unknown, call: Call) {
    const answer = await call.ask('confirm', askOk);
    return answer.action === 'accept' ? 'state-ok' : `Not confirmed (${answer.action}).`;
  }

  @Tool({ name: 'test_input_required_result_capabilities', description: 'Asks only what the client can be asked.' })
  async capabilities(_: unknown, call: Call) {
    const questions = {
      ...(call.can('elicitation.form') && { user_name: askName }),
      ...(call.can('sampling') && { capital_question: askModel('What is the capital of France?') }),
      ...(call.can('roots') && { client_roots: roots() }),
    };
    if (Object.keys(questions).length === 0) return 'The client cannot be asked anything.';
    const answers = await call.askAll(questions);
    return `Answered: ${Object.keys(answers).join(', ')}.`;
  }

  @Tool({ name: 'test_missing_capability', description: 'Cannot start without sampling.', needs: { sampling: {} } })
  async missingCapability(_: unknown, call: Call) {
    return toText(await call.ask('capital_question', askModel('What is the capital of France?')));
  }

  @Tool({ name: 'test_streaming_elicitation', description: 'Ends without asking.' })
  streamingElicitation() {
    return 'Nothing had to be asked.';
  }
}

export function toText({ content }: SamplingAnswer): string {
  const block = content as { readonly text?: unknown };
  return typeof block.text === 'string' ? block.text : 'An answer that is no text.';
}

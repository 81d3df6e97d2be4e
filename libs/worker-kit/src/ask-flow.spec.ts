import { Injectable } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import type { CallReply } from '@roundhouse/contracts';
import { Call } from './call.js';
import { text } from './content.js';
import { Tool } from './declarations.js';
import { boolean, form, rawForm, string } from './form.js';
import { roots, sample, url } from './question.js';
import { SpecFlow, SpecWorker, textsOf, toRequest } from './test-kit/flow-driver.js';
import { play } from './test-kit/play.js';

const accept = (content: Record<string, unknown>) => ({ action: 'accept', content });

/** What the outside world saw, shared by all replicas of one spec. */
class Outside {
  readonly done: string[] = [];
  paid = false;
}

function partsOf(tools: new (outside: Outside) => object, outside = new Outside()) {
  return { tools: [tools], providers: [{ provide: Outside, useValue: outside }] };
}

@Injectable()
class Greeter {
  constructor(private readonly outside: Outside) {}

  @Tool({ name: 'greet', description: 'Asks for a name', input: z.object({ greeting: z.string() }) })
  async greet({ greeting }: { greeting: string }, call: Call) {
    const stamp = await call.step('stamp', () => this.outside.done.push('stamp'));
    const answer = await call.ask('name', form('Who are you?', { name: string() }));
    if (answer.action !== 'accept') return text(`${answer.action}: nothing was said`);
    return text(`${greeting} ${answer.content.name} (${stamp})`);
  }

  @Tool({ name: 'pay', description: 'Asks by url until paid' })
  async pay(_: unknown, call: Call) {
    for (let attempts = 1; ; attempts += 1) {
      const { action } = await call.ask('pay', url('Please pay', 'https://pay.example/1'));
      if (action !== 'accept') return text(action);
      if (await call.step(`paid ${attempts}`, () => this.outside.paid)) return text(`paid after ${attempts}`);
    }
  }

  @Tool({ name: 'both', description: 'Asks two things at once' })
  async both(_: unknown, call: Call) {
    const { name, ok } = await call.askAll({
      name: form('Name?', { name: string() }),
      ok: form('Sure?', { ok: boolean() }),
    });
    return text(
      `${name.action === 'accept' ? name.content.name : name.action} ${ok.action === 'accept' ? ok.content.ok : ok.action}`,
    );
  }

  @Tool({ name: 'everything', description: 'Needs all there is' })
  async everything(_: unknown, call: Call) {
    await call.askAll({
      form: form('Form?', { ok: boolean() }),
      url: url('Url', 'https://pay.example/1'),
      model: sample({ messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 10 }),
      roots: roots(),
    });
    return text('all');
  }

  @Tool({ name: 'swallows', description: 'Catches what it must not' })
  async swallows(_: unknown, call: Call) {
    try {
      await call.ask('name', form('Who?', { name: string() }));
    } catch {
      await call.ask('other', form('Other?', { name: string() })).catch(() => undefined);
      await call.step('late', () => this.outside.done.push('late')).catch(() => undefined);
    }
    return text('went on');
  }

  @Tool({ name: 'endless', description: 'Never has enough' })
  async endless(_: unknown, call: Call): Promise<string> {
    for (;;) await call.ask('more', form('More?', { ok: boolean() }));
  }

  @Tool({ name: 'hoards', description: 'Keeps too much' })
  async hoards(_: unknown, call: Call) {
    await call.step('small', () => 1);
    await call.step('big', () => 'x'.repeat(30_000));
    await call.ask('more', form('More?', { ok: boolean() }));
    return text('kept');
  }

  @Tool({ name: 'keeps_answers', description: 'Asks for much' })
  async keepsAnswers(_: unknown, call: Call) {
    await call.ask('essay', form('Write', { text: string() }));
    await call.ask('more', form('More?', { ok: boolean() }));
    return text('kept');
  }

  @Tool({ name: 'curious', description: 'Asks for a secret', input: z.object({ raw: z.boolean() }) })
  async curious({ raw }: { raw: boolean }, call: Call) {
    const schema = { type: 'object', properties: { api_key: { type: 'string' } } };
    const answer = await call.ask('key', raw ? rawForm('Key?', schema) : form('Key?', { api_key: string() }));
    return text(answer.action);
  }

  @Tool({ name: 'crowd', description: 'Asks much at once', input: z.object({ size: z.int() }) })
  async crowd({ size }: { size: number }, call: Call) {
    const ok = form('Ok?', { ok: boolean() });
    await call.askAll(Object.fromEntries(Array.from({ length: size }, (_, at) => [`q${at}`, ok])));
    return text('all');
  }
}

@Injectable()
class Sampler {
  @Tool({ name: 'polish', description: 'Lets a model polish sentences', input: z.object({ sentences: z.int() }) })
  async polish({ sentences }: { sentences: number }, call: Call) {
    if (!call.can('sampling')) return text('polished by rules');
    const models: string[] = [];
    for (let at = 1; at <= sentences; at += 1) models.push((await call.sample(`polish_${at}`, toPrompt(at))).model);
    return text(models.join());
  }

  @Tool({ name: 'at_once', description: 'Asks for many samples in one round' })
  async atOnce(_: unknown, call: Call) {
    await call.askAll(Object.fromEntries(Array.from({ length: 9 }, (_each, at) => [`s${at}`, sample(toPrompt(at))])));
    return text('done');
  }

  @Tool({ name: 'scope', description: 'Tells the roots' })
  async scope(_: unknown, call: Call) {
    const known = await call.roots();
    return text(known.map(({ uri }) => uri).join());
  }
}

function toPrompt(at: number) {
  return { messages: [{ role: 'user', content: { type: 'text', text: `sentence ${at}` } }], maxTokens: 10 } as const;
}

const said = (model: string) => ({ role: 'assistant', content: { type: 'text', text: 'x' }, model });

const greeting = { body: '{"greeting":"Hello"}' };

describe('ask', () => {
  it('ends the first run with the ask and goes on with the answer on another replica', async () => {
    const outside = new Outside();
    const flow = new SpecFlow(() => partsOf(Greeter, outside), 'greet', greeting);
    const first = await flow.next();
    expect(first).toMatchObject({
      kind: 'input_required',
      asks: { name: { method: 'elicitation/create', params: { mode: 'form', message: 'Who are you?' } } },
    });
    expect(textsOf(await flow.next({ name: accept({ name: 'Ada' }) }))).toEqual(['Hello Ada (1)']);
    expect(outside.done).toEqual(['stamp']);
  });

  it.each(['decline', 'cancel'])('hands %s to the tool as such', async (action) => {
    const flow = new SpecFlow(() => partsOf(Greeter), 'greet', greeting);
    await flow.next();
    expect(textsOf(await flow.next({ name: { action } }))).toEqual([`${action}: nothing was said`]);
  });

  it('asks again when the answer is for another key', async () => {
    const flow = new SpecFlow(() => partsOf(Greeter), 'greet', greeting);
    await flow.next();
    expect(await flow.next({ nickname: accept({ name: 'Eve' }) })).toMatchObject({
      kind: 'input_required',
      asks: { name: {} },
    });
    expect(textsOf(await flow.next({ name: accept({ name: 'Ada' }) }))).toEqual(['Hello Ada (1)']);
  });

  it.each([
    ['accept without content', { action: 'accept' }],
    ['content that is a list', { action: 'accept', content: ['Ada'] }],
    ['an unknown action', { action: 'agree', content: { name: 'Ada' } }],
    ['an empty object', {}],
  ])('takes %s for no answer', async (_, answer) => {
    const flow = new SpecFlow(() => partsOf(Greeter), 'greet', greeting);
    await flow.next();
    expect(await flow.next({ name: answer })).toMatchObject({ kind: 'input_required' });
  });

  it('ignores answers that come without a continuation', async () => {
    const worker = await SpecWorker.start(partsOf(Greeter));
    const reply = await worker.reply(toRequest('greet', { ...greeting, answers: { name: accept({ name: 'Eve' }) } }));
    expect(reply.kind).toBe('input_required');
  });

  it('asks the same key anew as often as the method does', async () => {
    const outside = new Outside();
    const flow = new SpecFlow(() => partsOf(Greeter, outside), 'pay');
    const agreed = { pay: { action: 'accept' } };
    await flow.next();
    expect((await flow.next(agreed)).kind).toBe('input_required');
    outside.paid = true;
    expect(textsOf(await flow.next(agreed))).toEqual(['paid after 2']);
  });

  it('keeps what was decided earlier when a later answer has the same key', async () => {
    const flow = new SpecFlow(() => partsOf(Greeter), 'pay');
    await flow.next();
    await flow.next({ pay: { action: 'accept' } });
    const last = await flow.next({ pay: { action: 'decline' } });
    expect(textsOf(last)).toEqual(['decline']);
  });

  it('puts several questions into one round', async () => {
    const flow = new SpecFlow(() => partsOf(Greeter), 'both');
    expect(await flow.next()).toMatchObject({ kind: 'input_required', asks: { name: {}, ok: {} } });
    expect(textsOf(await flow.next({ name: accept({ name: 'Ada' }), ok: { action: 'decline' } }))).toEqual([
      'Ada decline',
    ]);
  });

  it('asks again only what has no answer yet', async () => {
    const flow = new SpecFlow(() => partsOf(Greeter), 'both');
    await flow.next();
    const second = await flow.next({ name: accept({ name: 'Ada' }) });
    expect(second.kind === 'input_required' && Object.keys(second.asks)).toEqual(['ok']);
    expect(textsOf(await flow.next({ ok: accept({ ok: true }) }))).toEqual(['Ada true']);
  });

  it('names every capability that the asks need and the client lacks', async () => {
    const worker = await SpecWorker.start(partsOf(Greeter));
    const reply = await worker.reply(toRequest('everything', { clientCapabilities: { elicitation: {} } }));
    expect(reply).toMatchObject({
      kind: 'error',
      code: 'missing_capability',
      requiredCapabilities: { elicitation: { url: {} }, sampling: {}, roots: {} },
    });
  });

  it('does not take a url capability for a form capability', async () => {
    const worker = await SpecWorker.start(partsOf(Greeter));
    const reply = await worker.reply(
      toRequest('greet', { ...greeting, clientCapabilities: { elicitation: { url: {} } } }),
    );
    expect(reply).toMatchObject({ code: 'missing_capability', requiredCapabilities: { elicitation: { form: {} } } });
  });

  it('wins over a method that swallows it', async () => {
    const outside = new Outside();
    const worker = await SpecWorker.start(partsOf(Greeter, outside));
    const reply = await worker.reply(toRequest('swallows'));
    expect(reply.kind === 'input_required' && Object.keys(reply.asks)).toEqual(['name']);
    expect(outside.done).toEqual([]);
  });

  it('stops a flow that has had all its rounds', async () => {
    const worker = await SpecWorker.start(partsOf(Greeter));
    expect((await worker.reply(toRequest('endless', { round: 15 }))).kind).toBe('input_required');
    expect(await worker.reply(toRequest('endless', { round: 16 }))).toMatchObject({
      kind: 'error',
      code: 'too_many_rounds',
      message: '"endless" has had all its 16 rounds at ask "more"',
    });
  });

  it('refuses a continuation that grew too large and names the step that did it', async () => {
    const worker = await SpecWorker.start(partsOf(Greeter));
    const reply = (await worker.reply(toRequest('hoards'))) as Extract<CallReply, { kind: 'error' }>;
    expect(reply.code).toBe('failed');
    expect(reply.message).toMatch(
      /^"hoards" takes \d+ of at most 24576 bytes of continuation, \d+ of them in step "big"$/,
    );
  });

  it('names the answer when that is what made the continuation too large', async () => {
    const flow = new SpecFlow(
      () => ({ ...partsOf(Greeter), limits: { continuationBytesMax: 2_000 } }),
      'keeps_answers',
    );
    await flow.next();
    const reply = await flow.next({ essay: accept({ text: 'x'.repeat(3_000) }) });
    expect(reply).toMatchObject({ code: 'failed', message: expect.stringContaining('in ask "essay"') as unknown });
  });

  it.each([
    [true, 'The ask "key"'],
    [false, 'The form'],
  ])('does not go out when it asks for a secret by form (raw: %p), and the log says what to do', async (raw, what) => {
    const played = await play('curious', { worker: partsOf(Greeter), args: { raw } });
    expect([played.isError, played.text]).toEqual([true, 'The tool failed']);
    expect(played.logged.join()).toContain(
      `${what} cannot be sent: field "api_key" asks for a secret, which no form may: use url mode`,
    );
  });

  it('has no more questions in one round than a router lets through', async () => {
    const worker = await SpecWorker.start(partsOf(Greeter));
    expect(textsOf(await worker.reply(toRequest('crowd', { body: '{"size":17}' })))).toEqual(['The tool failed']);
    expect((await worker.reply(toRequest('crowd', { body: '{"size":16}' }))).kind).toBe('input_required');
  });
});

describe('sampling and roots', () => {
  it('ask the client as any question does', async () => {
    const flow = new SpecFlow(() => partsOf(Sampler), 'polish', { body: '{"sentences":2}' });
    expect(await flow.next()).toMatchObject({ asks: { polish_1: { method: 'sampling/createMessage' } } });
    await flow.next({ polish_1: said('small') });
    expect(textsOf(await flow.next({ polish_2: said('large') }))).toEqual(['small,large']);
  });

  it('leave a tool its fallback when the client cannot sample', async () => {
    const worker = await SpecWorker.start(partsOf(Sampler));
    const reply = await worker.reply(
      toRequest('polish', { body: '{"sentences":1}', clientCapabilities: { roots: {} } }),
    );
    expect(textsOf(reply)).toEqual(['polished by rules']);
  });

  it('hand over roots, none among them', async () => {
    const flow = new SpecFlow(() => partsOf(Sampler), 'scope');
    expect(await flow.next()).toMatchObject({ asks: { roots: { method: 'roots/list' } } });
    expect(textsOf(await flow.next({ roots: { roots: [] } }))).toEqual(['']);
  });

  it.each([
    ['refused by an error', { error: 'rejected' }],
    ['without a model', { role: 'assistant', content: { type: 'text', text: 'x' } }],
    ['declined as if it were a form', { action: 'decline' }],
  ])('do not take a sample %s for one', async (_, answer) => {
    const flow = new SpecFlow(() => partsOf(Sampler), 'polish', { body: '{"sentences":1}' });
    await flow.next();
    expect(await flow.next({ polish_1: answer })).toMatchObject({ kind: 'input_required' });
  });

  it.each([{ roots: [{ uri: 'https://example.com/' }] }, { roots: 'file:///' }, {}])(
    'do not take %j for roots',
    async (answer) => {
      const flow = new SpecFlow(() => partsOf(Sampler), 'scope');
      await flow.next();
      expect(await flow.next({ roots: answer })).toMatchObject({ kind: 'input_required' });
    },
  );

  it('have a cap for one call, and what exceeds it is named', async () => {
    const parts = () => ({ ...partsOf(Sampler), limits: { samplesMax: 2 } });
    const flow = new SpecFlow(parts, 'polish', { body: '{"sentences":3}' });
    await flow.next();
    await flow.next({ polish_1: said('m') });
    expect(await flow.next({ polish_2: said('m') })).toEqual({
      kind: 'error',
      code: 'failed',
      message: '"polish" may ask for 2 samples in one call and asks for more with ask "polish_3"',
    });
  });

  it('count each sample of one round', async () => {
    const worker = await SpecWorker.start(partsOf(Sampler));
    expect(await worker.reply(toRequest('at_once'))).toMatchObject({ code: 'failed' });
  });
});

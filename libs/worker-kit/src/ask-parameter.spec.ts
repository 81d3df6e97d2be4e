import { Injectable } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { z } from 'zod';
import { Ask } from './ask-parameter.js';
import { Call, type OpenCall } from './call.js';
import { structured } from './content.js';
import { Prompt, Tool } from './declarations.js';
import { ToolFailure } from './failures.js';
import { boolean, form, oneOf, rawForm, string } from './form.js';
import { WORKER_LIMITS } from './limits.js';
import { roots, sample, url, type RootsAnswer, type SamplingAnswer } from './question.js';
import { Registry } from './registry.js';
import { asking, outcomeOf, type Asked, type Outcome, type Resolver } from './resolver.js';
import { SpecFlow, SpecWorker, textsOf, toRequest } from './test-kit/flow-driver.js';

const accept = (content: Record<string, unknown>) => ({ action: 'accept', content });
const keysOf = (reply: object) => ('asks' in reply ? Object.keys(reply.asks as object) : reply);

const Deploy = z.object({ service: z.string(), version: z.string().default('1') });
type Deploy = z.output<typeof Deploy>;
const input = { body: '{"service":"shop"}' };

let bodiesRun: string[];
beforeEach(() => {
  bodiesRun = [];
});

const environment = asking('environment', ({ service }: Deploy) => {
  bodiesRun.push('environment');
  return form(`Where should ${service} go?`, { name: oneOf(['staging', 'production']) });
});
const notify = asking('notify', form('Tell the team?', { ok: boolean() }));
const sure = asking('sure', { environment }, ({ service }: Deploy, needed) => {
  bodiesRun.push(`sure ${needed.environment.name}`);
  return needed.environment.name === 'production'
    ? form(`Really put ${service} into production?`, { ok: boolean() })
    : { ok: true };
});

const backup = asking('backup', { environment: outcomeOf(environment) }, (_: Deploy, needed) =>
  needed.environment.action === 'accept' ? 'no backup' : form('Make a backup instead?', { ok: boolean() }),
);

@Injectable()
class Deployments {
  @Tool({ name: 'careful', description: 'Offers something else on decline', input: Deploy })
  careful(
    _: Deploy,
    _call: Call,
    @Ask(outcomeOf(environment)) where: Outcome<Asked<typeof environment>>,
    @Ask(outcomeOf(backup)) instead: Outcome<Asked<typeof backup>>,
  ) {
    return JSON.stringify([where, instead]);
  }

  @Tool({ name: 'hasty', description: 'Takes an outcome whose content another question needs', input: Deploy })
  hasty(
    _: Deploy,
    _call: Call,
    @Ask(outcomeOf(environment)) where: Outcome<Asked<typeof environment>>,
    @Ask(outcomeOf(sure)) isSure: Outcome<Asked<typeof sure>>,
  ) {
    return JSON.stringify([where, isSure]);
  }

  @Tool({ name: 'deploy', description: 'Deploys', input: Deploy })
  deploy(
    { service }: Deploy,
    _call: Call,
    @Ask(environment) where: Asked<typeof environment>,
    @Ask(sure) isSure: Asked<typeof sure>,
    @Ask(outcomeOf(notify)) told: Outcome<{ readonly ok: boolean }>,
  ) {
    return `${service} ${where.name} ${isSure.ok} ${told.action}`;
  }

  @Tool({ name: 'check', description: 'Asks what the body asks too', input: Deploy })
  async check({ service }: Deploy, call: Call, @Ask(notify) told: { readonly ok: boolean }) {
    const plan = await call.step('plan', () => `plan for ${service}`);
    const answer = await call.ask('notify', form('Again?', { ok: boolean() }));
    return `${plan} ${told.ok} ${answer.action}`;
  }

  @Tool({ name: 'count', description: 'Has an output schema', output: z.object({ ok: z.boolean() }) })
  count(_: unknown, _call: Call, @Ask(notify) told: { readonly ok: boolean }) {
    return structured({ ok: told.ok });
  }

  @Tool({ name: 'others', description: 'Asks in all other ways' })
  others(
    _: unknown,
    _call: Call,
    @Ask(asking('pay', url('Please pay', 'https://pay.example/1'))) paid: true,
    @Ask(asking('scope', roots())) scope: RootsAnswer,
    @Ask(asking('model', sample({ messages: [{ role: 'user', content: { type: 'text', text: 'x' } }], maxTokens: 1 })))
    said: SamplingAnswer,
    @Ask(asking('none', () => 'known')) none: string,
  ) {
    return `${paid} ${scope.roots.length} ${said.model} ${none}`;
  }

  @Tool({ name: 'open', description: 'Has open answers', answers: 'open' })
  open(_: unknown, _call: OpenCall, @Ask(notify) told: { readonly ok: boolean }) {
    return `open ${told.ok}`;
  }

  @Tool({ name: 'fails', description: 'Its resolver refuses' })
  fails(
    _: unknown,
    _call: Call,
    @Ask(
      asking('never', (): string => {
        throw new ToolFailure('There is nothing to ask.');
      }),
    )
    never: string,
  ) {
    return never;
  }

  @Tool({ name: 'restless', description: 'Its resolver comes to another question each time' })
  restless(
    _: unknown,
    _call: Call,
    @Ask(asking('when', (_input, _needed, call) => form(`Round ${call.round}?`, { ok: boolean() })))
    when: { readonly ok: boolean },
  ) {
    return String(when.ok);
  }
}

const parts = () => ({ tools: [Deployments] });
const flowOf = (tool: string) => new SpecFlow(parts, tool, input);

describe('a question that is a parameter', () => {
  it('goes out with all that need no other answer, and those that do follow a round later', async () => {
    const flow = flowOf('deploy');
    expect(keysOf(await flow.next())).toEqual(['environment', 'notify']);
    const first = { environment: accept({ name: 'production' }), notify: accept({ ok: false }) };
    expect(await flow.next(first)).toMatchObject({
      asks: { sure: { params: { message: 'Really put shop into production?' } } },
    });
    expect(textsOf(await flow.next({ sure: accept({ ok: true }) }))).toEqual(['shop production true accept']);
  });

  it('is not asked when its resolver gives the answer itself', async () => {
    const flow = flowOf('deploy');
    await flow.next();
    const answers = { environment: accept({ name: 'staging' }), notify: { action: 'decline' } };
    expect(textsOf(await flow.next(answers))).toEqual(['shop staging true decline']);
  });

  it('is resolved again in each round and asked once', async () => {
    const flow = flowOf('deploy');
    await flow.next();
    const second = await flow.next({ environment: accept({ name: 'production' }), notify: { action: 'cancel' } });
    expect(keysOf(second)).toEqual(['sure']);
    expect(bodiesRun).toEqual(['environment', 'environment', 'sure production']);
  });

  it('does not let the body run before all are answered', async () => {
    const flow = flowOf('deploy');
    await flow.next();
    expect(keysOf(await flow.next({ environment: accept({ name: 'staging' }) }))).toEqual(['notify']);
    expect(keysOf(await flow.next({ notify: { action: 'accept', content: {} } }))).toEqual(['notify']);
  });

  it('comes before the steps and asks of the body, also under the same key', async () => {
    const flow = flowOf('check');
    expect(await flow.next()).toMatchObject({ asks: { notify: { params: { message: 'Tell the team?' } } } });
    const second = await flow.next({ notify: accept({ ok: true }) });
    expect(second).toMatchObject({ asks: { notify: { params: { message: 'Again?' } } } });
    expect(textsOf(await flow.next({ notify: { action: 'decline' } }))).toEqual(['plan for shop true decline']);
  });

  it.each([
    ['decline', 'was declined'],
    ['cancel', 'was closed without an answer'],
  ])('ends the call with a plain result when nobody takes its %s', async (action, how) => {
    const flow = flowOf('deploy');
    await flow.next();
    const reply = await flow.next({ environment: { action }, notify: accept({ ok: true }) });
    expect(textsOf(reply)).toEqual([`The question "environment" ${how}, so nothing was done.`]);
    expect(reply).not.toMatchObject({ body: expect.stringContaining('isError') as unknown });
    expect(bodiesRun).toEqual(['environment', 'environment']);
  });

  it('may follow on a decline, when it needs the outcome and not the content', async () => {
    const flow = flowOf('careful');
    await flow.next();
    expect(keysOf(await flow.next({ environment: { action: 'decline' } }))).toEqual(['backup']);
    const last = await flow.next({ backup: { action: 'cancel' } });
    expect(textsOf(last)).toEqual(['[{"action":"decline"},{"action":"cancel"}]']);
  });

  it('is spared by the same question when that was accepted', async () => {
    const flow = flowOf('careful');
    await flow.next();
    expect(textsOf(await flow.next({ environment: accept({ name: 'staging' }) }))).toEqual([
      '[{"action":"accept","content":{"name":"staging"}},{"action":"accept","content":"no backup"}]',
    ]);
  });

  it('ends the call on decline when another question needs its content, whoever takes the outcome', async () => {
    const flow = flowOf('hasty');
    await flow.next();
    const reply = await flow.next({ environment: { action: 'decline' } });
    expect(textsOf(reply)).toEqual(['The question "environment" was declined, so nothing was done.']);
  });

  it('ends the call with an error where a plain result would break the output schema', async () => {
    const flow = flowOf('count');
    await flow.next();
    const reply = await flow.next({ notify: { action: 'decline' } });
    expect(JSON.parse((reply as { body: string }).body)).toMatchObject({
      isError: true,
      content: [{ text: 'The question "notify" was declined, so nothing was done.' }],
    });
  });

  it('gives what each way of asking gives', async () => {
    const flow = flowOf('others');
    expect(keysOf(await flow.next())).toEqual(['pay', 'scope', 'model']);
    const model = { role: 'assistant', content: { type: 'text', text: 'x' }, model: 'small' };
    const answers = { pay: { action: 'accept' }, scope: { roots: [{ uri: 'file:///a' }] }, model };
    expect(textsOf(await flow.next(answers))).toEqual(['true 1 small known']);
  });

  it('needs no state where answers are open', async () => {
    const worker = await SpecWorker.start(parts());
    expect(textsOf(await worker.reply(toRequest('open', { answers: { notify: accept({ ok: true }) } })))).toEqual([
      'open true',
    ]);
  });

  it('can be refused by its resolver', async () => {
    expect(textsOf(await flowOf('fails').next())).toEqual(['There is nothing to ask.']);
  });

  it('fails the flow when its resolver comes to another question in a later round', async () => {
    const flow = flowOf('restless');
    await flow.next();
    expect(await flow.next({ when: accept({ ok: true }) })).toMatchObject({ code: 'flow_changed' });
  });

  it('is not asked when the arguments are wrong', async () => {
    const reply = await (await SpecWorker.start(parts())).reply(toRequest('deploy', { body: '{}' }));
    expect(textsOf(reply)[0]).toContain('service');
    expect(bodiesRun).toEqual([]);
  });
});

describe('a flow under another release', () => {
  const before = [environment, notify] as const;
  const release = (
    order: readonly [typeof environment, typeof notify] | readonly [typeof notify, typeof environment],
  ) => {
    class Released {
      @Tool({ name: 'run', description: 'Changes', input: Deploy })
      run(_: Deploy, _call: Call, @Ask(order[0]) one: object, @Ask(order[1]) two: object) {
        return JSON.stringify([one, two]);
      }
    }
    return { tools: [Released] };
  };

  it('fails when the parameters have changed their order', async () => {
    const releases = [release(before), release([notify, environment])];
    const flow = new SpecFlow(() => releases.shift() as { tools: [] }, 'run', input);
    await flow.next();
    expect(await flow.next({ environment: accept({ name: 'staging' }), notify: accept({ ok: true }) })).toMatchObject({
      kind: 'error',
      code: 'flow_changed',
      message: 'The journal does not go on with ask "notify", "environment"',
    });
  });
});

describe('a worker does not boot with', () => {
  let warn: jest.SpiedFunction<typeof Logger.prototype.warn>;
  beforeEach(() => {
    warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  });
  afterEach(() => warn.mockRestore());

  const boot = (...providers: object[]) =>
    new Registry(providers, { worker: { name: 'spec', version: '1.0.0' }, limits: WORKER_LIMITS });
  const toolAsking = (resolver: unknown) => {
    class One {
      @Tool({ name: 'one', description: 'One' })
      one(_: unknown, _call: Call, @Ask(resolver as Resolver<unknown, unknown>) answer: unknown) {
        return String(answer);
      }
    }
    return new One();
  };
  const circle: Record<string, Resolver<unknown, unknown>> = {};
  const first = asking('first', circle, () => 1);
  const second = asking('second', { first }, () => 2);
  circle['second'] = second;
  const namedTwice = asking('twice', { a: asking('same', () => 1), b: asking('same', () => 2) }, () => 3);
  const namedAsItsNeed = asking('same', { a: asking('same', () => 1) }, () => 2);

  it.each([
    [
      'questions that need each other',
      first,
      'Tool "one": its questions need each other in a circle: first → second → first',
    ],
    ['two questions of one name', namedTwice, 'Tool "one": two of its questions are called "same"'],
    ['a question named as the one it needs', namedAsItsNeed, 'two of its questions are called "same"'],
    ['no resolver', undefined, '@Ask of parameter 3 is nothing that asking() made'],
    ['a question that is no resolver', form('Ok?', { ok: boolean() }), 'nothing that asking() made'],
    [
      'a question that needs what is not there',
      asking('late', { missing: undefined as unknown as Resolver<unknown, string> }, () => 1),
      'question "late" needs "missing", which is nothing that asking() made',
    ],
    [
      'a declared form that asks for a secret',
      asking('login', rawForm('Log in', { type: 'object', properties: { api_key: { type: 'string' } } })),
      'Tool "one": The ask "login" cannot be sent: field "api_key" asks for a secret, which no form may: use url mode',
    ],
    ['a declared address that is none', asking('open', url('Open', 'nowhere')), 'not an absolute http address'],
  ])('%s', (_, resolver, message) => {
    expect(() => boot(toolAsking(resolver))).toThrow(message);
  });

  it('a parameter that nothing fills', () => {
    class Lacks {
      @Tool({ name: 'lacks', description: 'Lacks an @Ask' })
      lacks(_: unknown, _call: Call, answer: unknown, @Ask(notify) told: unknown) {
        return JSON.stringify([answer, told]);
      }
    }
    expect(() => boot(new Lacks())).toThrow('Tool "lacks": parameter 3 of its method has no @Ask to fill it');
  });

  it('an @Ask where the call belongs', () => {
    class Early {
      @Tool({ name: 'early', description: 'Asks too early' })
      early(_: unknown, @Ask(notify) told: unknown) {
        return JSON.stringify(told);
      }
    }
    expect(() => boot(new Early())).toThrow('Tool "early": @Ask stands on a parameter after input and call');
  });

  it('an @Ask on something that is no tool', () => {
    class Prompts {
      @Prompt({ name: 'greet', description: 'Greets' })
      greet(_: unknown, @Ask(notify) told: unknown) {
        return JSON.stringify(told);
      }
    }
    expect(() => boot(new Prompts())).toThrow('@Ask on "greet", which is no tool');
  });

  it.each(['', '1st', 'with space', 'x'.repeat(129), '__proto__'])('a question called %j', (key) => {
    expect(() => asking(key, form('Name?', { name: string() }))).toThrow('The key of an ask');
  });

  it('does boot when several questions need the same one', () => {
    const one = asking('one', { notify }, () => 1);
    const two = asking('two', { notify, one }, () => 2);
    expect(boot(toolAsking(two)).catalogue.tools).toHaveLength(1);
  });
});

import { describe, expect, it } from '@jest/globals';
import type { CallReply } from '@roundhouse/contracts';
import { Call } from './call.js';
import { Tool } from './declarations.js';
import { StepFailed, ToolFailure } from './failures.js';
import { boolean, form } from './form.js';
import { SpecFlow, SpecWorker, textsOf, toRequest } from './test-kit/flow-driver.js';

const sure = (message = 'Sure?') => form(message, { ok: boolean() });
const yes = { action: 'accept', content: { ok: true } };

/** A tool whose code can differ from round to round, as it does when a release is rolled out under an open flow. */
function releases(...bodies: readonly ((call: Call) => Promise<string>)[]) {
  let round = 0;
  return () => {
    const body = bodies[Math.min(round, bodies.length - 1)] as (call: Call) => Promise<string>;
    round += 1;
    class Released {
      @Tool({ name: 'run', description: 'Changes' })
      run(_: unknown, call: Call) {
        return body(call);
      }
    }
    return { tools: [Released] };
  };
}

const askThenEnd = async (call: Call) => (await call.ask('sure', sure())).action;

describe('the journal', () => {
  it.each<[string, (call: Call) => Promise<string>]>([
    ['another key', async (call) => (await call.ask('certain', sure())).action],
    ['another text of the question', async (call) => (await call.ask('sure', sure('Really sure?'))).action],
    ['a step where the question was', async (call) => call.step('new', () => 'x')],
    ['two questions where one was', async (call) => (await call.askAll({ sure: sure(), more: sure() })).sure.action],
  ])('fails a flow whose method goes on with %s', async (_, changed) => {
    const flow = new SpecFlow(releases(askThenEnd, changed), 'run');
    await flow.next();
    expect(await flow.next({ sure: yes, certain: yes })).toMatchObject({ kind: 'error', code: 'flow_changed' });
  });

  it('fails a flow whose steps have changed their order', async () => {
    const before = async (call: Call) =>
      `${await call.step('a', () => 1)}${await call.step('b', () => 2)}${(await call.ask('sure', sure())).action}`;
    const after = async (call: Call) =>
      `${await call.step('b', () => 2)}${await call.step('a', () => 1)}${(await call.ask('sure', sure())).action}`;
    const flow = new SpecFlow(releases(before, after), 'run');
    await flow.next();
    expect(await flow.next({ sure: yes })).toMatchObject({ code: 'flow_changed' });
  });

  it('fails the flow even when the method swallows that', async () => {
    const swallowing = async (call: Call) => {
      await call.ask('other', sure()).catch(() => undefined);
      return 'done anyway';
    };
    const flow = new SpecFlow(releases(askThenEnd, swallowing), 'run');
    await flow.next();
    expect(await flow.next({ sure: yes })).toMatchObject({ code: 'flow_changed' });
  });

  it('lets a method end before it comes to its question again', async () => {
    const flow = new SpecFlow(
      releases(askThenEnd, async () => 'gone meanwhile'),
      'run',
    );
    await flow.next();
    expect(textsOf(await flow.next({ sure: yes }))).toEqual(['gone meanwhile']);
  });

  it.each([
    ['no JSON', 'x{'],
    ['another version', '{"v":2,"entries":[]}'],
    ['an entry of an unknown kind', '{"v":1,"entries":[{"wait":1}]}'],
    ['a list', '[]'],
    ['an answer that is no object', '{"v":1,"entries":[{"asked":[{"key":"sure","digest":"x","answer":1}]}]}'],
  ])('fails a flow whose continuation is %s', async (_, continuation) => {
    const worker = await SpecWorker.start(releases(askThenEnd)());
    expect(await worker.reply(toRequest('run', { round: 2, continuation }))).toMatchObject({ code: 'flow_changed' });
  });
});

describe('step', () => {
  it('runs once per flow and gives every later round the same JSON', async () => {
    const seen: unknown[] = [];
    const body = async (call: Call) => {
      const value = await call.step('when', () => ({ at: new Date(0), list: [1, undefined], gone: undefined }));
      seen.push(value);
      return (await call.ask('sure', sure())).action;
    };
    const flow = new SpecFlow(releases(body), 'run');
    await flow.next();
    await flow.next({ sure: yes });
    expect(seen).toEqual([
      { at: '1970-01-01T00:00:00.000Z', list: [1, null] },
      { at: '1970-01-01T00:00:00.000Z', list: [1, null] },
    ]);
  });

  it('keeps undefined as null', async () => {
    const body = async (call: Call) => JSON.stringify(await call.step('nothing', () => undefined));
    expect(textsOf(await new SpecFlow(releases(body), 'run').next())).toEqual(['null']);
  });

  it('keeps its result from being changed by the method', async () => {
    const body = async (call: Call) => {
      const list = await call.step('list', () => ['a']);
      list.push('b');
      await call.ask('sure', sure());
      return list.join();
    };
    const flow = new SpecFlow(releases(body), 'run');
    await flow.next();
    expect(textsOf(await flow.next({ sure: yes }))).toEqual(['a,b']);
  });

  it('remembers a failure and fails the same way in later rounds without running again', async () => {
    let runs = 0;
    const body = async (call: Call) => {
      const failure = await call
        .step('charge', () => {
          runs += 1;
          throw new RangeError('card 4929');
        })
        .catch((error: unknown) => error);
      await call.ask('sure', sure());
      return failure instanceof StepFailed ? failure.message : 'another class';
    };
    const flow = new SpecFlow(releases(body), 'run');
    const first = (await flow.next()) as Extract<CallReply, { kind: 'input_required' }>;
    expect(first.continuation).not.toContain('4929');
    expect(textsOf(await flow.next({ sure: yes }))).toEqual(['Step "charge" failed']);
    expect(runs).toBe(1);
  });

  it('throws a ToolFailure on as it is, in every round', async () => {
    const body = async (call: Call) => {
      const told = await call
        .step('check', () => {
          throw new ToolFailure('The account is closed');
        })
        .catch((error: Error) => error);
      await call.ask('sure', sure());
      throw told;
    };
    const flow = new SpecFlow(releases(body), 'run');
    await flow.next();
    expect(textsOf(await flow.next({ sure: yes }))).toEqual(['The account is closed']);
  });

  it.each<[string, (call: Call) => Promise<unknown>]>([
    ['a step', (call) => call.step('inner', () => 1)],
    ['a question', (call) => call.ask('inner', sure())],
  ])('refuses %s inside a step', async (_, inner) => {
    const body = async (call: Call) => {
      const failure = await call.step('outer', () => inner(call)).catch((error: Error) => error);
      return String((failure as Error).cause);
    };
    expect(textsOf(await new SpecFlow(releases(body), 'run').next())[0]).toContain('one after another');
  });

  it('refuses a result that is no JSON', async () => {
    const body = async (call: Call) => String(await call.step('big', () => 10n).catch((error: Error) => error.name));
    expect(textsOf(await new SpecFlow(releases(body), 'run').next())).toEqual(['StepFailed']);
  });
});

describe('the keys of asks', () => {
  it.each(['constructor', 'toString'])('%s is a key like any other', async (key) => {
    const flow = new SpecFlow(
      releases(async (call: Call) => (await call.ask(key, sure())).action),
      'run',
    );
    expect((await flow.next()).kind).toBe('input_required');
    expect(textsOf(await flow.next({ [key]: yes }))).toEqual(['accept']);
  });

  it.each(['', '__proto__', '1st', 'with space', 'x'.repeat(129)])('refuses the key %j', async (key) => {
    const body = async (call: Call) => (await call.ask(key, sure())).action;
    expect(textsOf(await new SpecFlow(releases(body), 'run').next())).toEqual(['The tool failed']);
  });
});

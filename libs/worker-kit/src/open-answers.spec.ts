import { describe, expect, it } from '@jest/globals';
import { Call, type OpenCall } from './call.js';
import { Tool } from './declarations.js';
import { form, string } from './form.js';
import type { Run } from './run.js';
import { SpecWorker, textsOf, toRequest } from './test-kit/flow-driver.js';

const named = (name: string) => ({ name: { action: 'accept', content: { name } } });

class OpenTools {
  @Tool({ name: 'hello', description: 'Greets', answers: 'open' })
  async hello(_: unknown, call: OpenCall) {
    const answer = await call.ask('name', form('Name?', { name: string() }));
    return answer.action === 'accept' ? `Hello ${answer.content.name}` : answer.action;
  }

  @Tool({ name: 'twice', description: 'Asks the same key twice', answers: 'open' })
  async twice(_: unknown, call: OpenCall): Promise<string> {
    await call.ask('name', form('Name?', { name: string() }));
    await call.ask('name', form('Name again?', { name: string() }));
    return 'both';
  }

  @Tool({ name: 'steps', description: 'Has a step where none can be', answers: 'open' })
  async steps(_: unknown, call: OpenCall): Promise<string> {
    const { run } = call as unknown as { run: Run };
    return String(await run.step('x', () => 1));
  }
}

const ask = (target: string, answers?: ReturnType<typeof named>) =>
  SpecWorker.start({ tools: [OpenTools] }).then((worker) =>
    worker.reply(toRequest(target, { ...(answers && { answers }) })),
  );

describe('a tool with open answers', () => {
  it('asks without a continuation', async () => {
    expect(await ask('hello')).toMatchObject({ kind: 'input_required', continuation: '' });
  });

  it('takes answers in a first call', async () => {
    expect(textsOf(await ask('hello', named('Ada')))).toEqual(['Hello Ada']);
  });

  it('takes the second question of one key for a new one', async () => {
    expect(await ask('twice', named('Ada'))).toMatchObject({
      kind: 'input_required',
      asks: { name: { params: { message: 'Name again?' } } },
    });
  });

  it('has no steps', async () => {
    expect(textsOf(await ask('steps'))).toEqual(['The tool failed']);
  });

  it('does not compile when it takes a call that has steps', () => {
    class Wrong {
      // @ts-expect-error -- a tool with open answers is given no `step`
      @Tool({ name: 'wrong', description: 'Wants steps', answers: 'open' })
      async wrong(_: unknown, call: Call): Promise<string> {
        return call.step('x', () => 'y');
      }
    }
    expect(Wrong).toBeDefined();
  });
});

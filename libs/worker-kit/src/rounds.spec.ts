import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { Call } from './call.js';
import { Tool } from './declarations.js';
import { boolean, form } from './form.js';
import { play } from './test-kit/play.js';
import { SpecFlow } from './test-kit/flow-driver.js';
import { accept, decline } from './test-kit/script.js';

const Survey = z.object({ questions: z.int().min(0).max(20) });
type Survey = z.output<typeof Survey>;

const asked: string[] = [];
const question = (at: number) => form(`Question ${at}?`, { ok: boolean() });

/** As many rounds as it is told to, with a step in each. */
class SurveyTool {
  @Tool({ name: 'survey', description: 'Asks one question after the other', input: Survey })
  async survey({ questions }: Survey, call: Call) {
    let agreed = 0;
    for (let at = 1; at <= questions; at += 1) {
      await call.step(`ask ${at}`, () => void asked.push(`${call.flowId} ${at}`));
      const answer = await call.ask(`q${at}`, question(at));
      if (answer.action !== 'accept') return `stopped at ${at} after ${agreed}`;
      if (answer.content.ok) agreed += 1;
    }
    return `agreed to ${agreed} of ${questions} in round ${call.round}`;
  }
}

class Unrelated {
  @Tool({ name: 'clock', description: 'Has nothing to do with it' })
  clock() {
    return 'noon';
  }
}

/** The same release in all but the order of two asks. */
class Reordered {
  @Tool({ name: 'survey', description: 'Asks one question after the other', input: Survey })
  async survey(_: Survey, call: Call) {
    await call.step('ask 1', () => undefined);
    await call.ask('q2', question(2));
    return (await call.ask('q1', question(1))).action;
  }
}

const yes = accept({ ok: true });
const answersTo = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`q${at + 1}`, yes]));

describe('one tool class', () => {
  it.each([1, 2, 7])('in %i rounds', async (rounds) => {
    asked.length = 0;
    const questions = rounds - 1;
    const played = await play('survey', {
      worker: { tools: [SurveyTool] },
      args: { questions },
      answers: answersTo(questions),
      effects: () => asked,
    });
    expect(played.text).toBe(`agreed to ${questions} of ${questions} in round ${rounds}`);
    expect(played.rounds.flat()).toEqual(Object.keys(answersTo(questions)));
    expect(asked).toHaveLength(questions);
  });

  it('in fewer rounds than it wanted, as soon as somebody declines', async () => {
    const answers = { ...answersTo(3), q4: decline };
    const played = await play('survey', { worker: { tools: [SurveyTool] }, args: { questions: 6 }, answers });
    expect(played.text).toBe('stopped at 4 after 3');
  });

  it('in no more rounds than a flow may have', async () => {
    const played = await play('survey', {
      worker: { tools: [SurveyTool] },
      args: { questions: 16 },
      answers: answersTo(15),
    });
    expect(played.error).toBe('too_many_rounds');
    expect(played.reply).toMatchObject({ message: '"survey" has had all its 16 rounds at ask "q16"' });
  });
});

describe('a flow that one release opened', () => {
  const body = JSON.stringify({ questions: 2 });
  const inReleases = (...tools: (new () => object)[][]) => {
    let round = 0;
    return new SpecFlow(() => ({ tools: tools[Math.min(round++, tools.length - 1)] ?? [] }), 'survey', { body });
  };

  it('is finished by one that has a further tool', async () => {
    const flow = inReleases([SurveyTool], [Unrelated, SurveyTool]);
    await flow.next();
    await flow.next({ q1: yes });
    expect(await flow.next({ q2: yes })).toMatchObject({
      body: expect.stringContaining('agreed to 2 of 2') as unknown,
    });
  });

  it('is finished by one that lost the further tool again', async () => {
    const flow = inReleases([Unrelated, SurveyTool], [SurveyTool], [Unrelated, SurveyTool]);
    await flow.next();
    await flow.next({ q1: yes });
    expect((await flow.next({ q2: yes })).kind).toBe('complete');
  });

  it('fails with a clear error when the asks have changed their order', async () => {
    const flow = inReleases([SurveyTool], [Reordered]);
    await flow.next();
    expect(await flow.next({ q1: yes, q2: yes })).toEqual({
      kind: 'error',
      code: 'flow_changed',
      message: 'The journal does not go on with ask "q2"',
    });
  });

  it('fails when its tool is gone', async () => {
    const flow = inReleases([SurveyTool], [Unrelated]);
    await flow.next();
    expect(await flow.next({ q1: yes })).toMatchObject({ code: 'unknown_target' });
  });

  it('fails when its arguments no longer fit', async () => {
    class Stricter {
      @Tool({ name: 'survey', description: 'Allows one question', input: z.object({ questions: z.int().max(1) }) })
      survey(_: unknown) {
        return 'done';
      }
    }
    const flow = inReleases([SurveyTool], [Stricter]);
    await flow.next();
    const reply = await flow.next({ q1: yes });
    expect(reply).toMatchObject({ body: expect.stringContaining('Invalid arguments') as unknown });
  });
});

import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { Call } from '../call.js';
import { structured } from '../content.js';
import { Tool } from '../declarations.js';
import { boolean, form, oneOf } from '../form.js';
import { url } from '../question.js';
import { play, type PlayOptions } from './play.js';
import { accept, cancel, decline, rootsAt, sampled, type Script } from './script.js';

/** What the tools do to the outside world. */
let done: string[];
beforeEach(() => {
  done = [];
});

const sure = form('Sure?', { ok: boolean() });
const Item = z.object({ id: z.string() });
type Item = z.output<typeof Item>;

let replicas = 0;

@Injectable()
class Store implements OnModuleInit, OnModuleDestroy {
  private isOpen = false;

  onModuleInit(): void {
    replicas += 1;
    this.isOpen = true;
  }

  onModuleDestroy(): void {
    this.isOpen = false;
  }

  do(what: string): void {
    if (!this.isOpen) throw new Error('the store is closed');
    done.push(what);
  }
}

@Injectable()
class Tools {
  private runs = 0;

  constructor(private readonly store: Store) {}

  @Tool({ name: 'delete', description: 'Deletes once confirmed', input: Item })
  async delete({ id }: Item, call: Call) {
    await call.step('reserve', () => this.store.do(`reserve ${id}`));
    const answer = await call.ask('confirm', sure);
    if (answer.action !== 'accept' || !answer.content.ok) return `kept (${answer.action})`;
    this.store.do(`delete ${id}`);
    return structured({ id });
  }

  @Tool({ name: 'hasty', description: 'Acts before it asks' })
  async hasty(_: unknown, call: Call) {
    this.store.do('hasty');
    return (await call.ask('confirm', sure)).action;
  }

  @Tool({ name: 'hasty_later', description: 'Acts between two asks' })
  async hastyLater(_: unknown, call: Call) {
    await call.ask('first', sure);
    this.store.do('between');
    return (await call.ask('second', sure)).action;
  }

  @Tool({ name: 'random', description: 'Asks something else each time' })
  async random(_: unknown, call: Call) {
    return (await call.ask('confirm', form(`Ticket ${replicas}?`, { ok: boolean() }))).action;
  }

  @Tool({ name: 'forgetful', description: 'Knows in memory that it asked' })
  async forgetful(_: unknown, call: Call) {
    this.runs += 1;
    if (this.runs > 1) return 'remembered';
    return (await call.ask('confirm', sure)).action;
  }

  @Tool({ name: 'once', description: 'Asks in one replica alone' })
  async once(_: unknown, call: Call) {
    return replicas > 1 ? 'did not ask' : (await call.ask('confirm', sure)).action;
  }

  @Tool({ name: 'waits', description: 'Asks by url until done' })
  async waits(_: unknown, call: Call) {
    for (let times = 1; times < 3; times += 1) {
      const { action } = await call.ask('open', url('Please open', 'https://example.com/'));
      if (action !== 'accept') return action;
    }
    return 'opened twice';
  }

  @Tool({ name: 'plan', description: 'Asks a model about the roots' })
  async plan(_: unknown, call: Call) {
    if (!call.can('sampling')) return 'by rules';
    const [root] = await call.roots();
    const { content } = await call.sample('plan', {
      messages: [{ role: 'user', content: { type: 'text', text: root?.uri ?? 'nothing' } }],
      maxTokens: 5,
    });
    return JSON.stringify(content);
  }

  @Tool({ name: 'pick', description: 'Lets choose', input: z.object({ from: z.array(z.string()) }) })
  async pick({ from }: { from: string[] }, call: Call) {
    const answer = await call.ask('pick', form('Which?', { one: oneOf(from) }));
    return answer.action === 'accept' ? answer.content.one : answer.action;
  }

  @Tool({ name: 'breaks', description: 'Breaks' })
  breaks(): string {
    throw new RangeError('out of range');
  }
}

beforeEach(() => {
  replicas = 0;
});

const worker = { tools: [Tools], providers: [Store] };
const playing = (tool: string, answers: Script = {}, more: Partial<PlayOptions> = {}) =>
  play(tool, { worker, answers, effects: () => done, ...more });
const args = { id: 'd1' };

describe('play', () => {
  it('runs a tool through its rounds with scripted answers', async () => {
    const played = await playing('delete', { confirm: accept({ ok: true }) }, { args });
    expect(played.structured).toEqual({ id: 'd1' });
    expect(played.rounds).toEqual([['confirm']]);
    expect([played.isError, played.error, played.logged]).toEqual([false, undefined, []]);
    expect(done).toEqual(['reserve d1', 'delete d1']);
  });

  it.each([
    ['decline', decline],
    ['cancel', cancel],
  ])('tells %s to the tool', async (action, answer) => {
    expect((await playing('delete', { confirm: answer }, { args })).text).toBe(`kept (${action})`);
    expect(done).toEqual(['reserve d1']);
  });

  it('starts a replica for each round and one more for each ask, each opened and closed', async () => {
    await playing('delete', { confirm: decline }, { args });
    expect(replicas).toBe(3);
  });

  it('answers a key each time, or one time after the other from a list', async () => {
    expect((await playing('waits', { open: accept() })).text).toBe('opened twice');
    expect((await playing('waits', { open: [accept(), cancel] })).text).toBe('cancel');
  });

  it('lets the script look at what it is asked', async () => {
    const pick = ({ params }: { params?: Record<string, unknown> }) => {
      const { properties } = params?.['requestedSchema'] as { properties: { one: { enum: string[] } } };
      return accept({ one: properties.one.enum[1] });
    };
    expect((await playing('pick', { pick }, { args: { from: ['a', 'b'] } })).text).toBe('b');
  });

  it('speaks for the model and the roots', async () => {
    const played = await playing('plan', { roots: rootsAt('file:///srv'), plan: sampled('one, two') });
    expect(played.text).toBe('{"type":"text","text":"one, two"}');
    expect(played.rounds).toEqual([['roots'], ['plan']]);
  });

  it('plays a client that can do less', async () => {
    const request = { clientCapabilities: { elicitation: {} } };
    expect((await playing('plan', {}, { request })).text).toBe('by rules');
    const played = await playing('waits', {}, { request });
    expect(played.error).toBe('missing_capability');
    expect(() => played.text).toThrow('missing_capability: The client cannot be asked');
  });

  it('tells what a tool threw', async () => {
    const played = await playing('breaks');
    expect([played.isError, played.text]).toEqual([true, 'The tool failed']);
    expect(played.logged.join()).toContain('RangeError: out of range');
  });

  it('says so when there is no such tool', async () => {
    expect((await playing('nothing')).error).toBe('unknown_target');
  });
});

describe('play fails', () => {
  it.each<[string, string, Script, string]>([
    [
      'a question without an answer',
      'delete',
      { sure: accept({ ok: true }) },
      '"delete" asked "confirm" ("Sure?"), which the script does not answer; it has sure',
    ],
    ['any question without a script', 'delete', {}, 'it has nothing'],
    [
      'an answer that nobody asked for',
      'breaks',
      { confirm: decline },
      '"breaks" never asked "confirm", which the script answers',
    ],
    [
      'more answers than questions',
      'waits',
      { open: [accept(), accept(), accept()] },
      '"waits" asked "open" 2 times, and the script has 3 answers',
    ],
    ['fewer answers than questions', 'waits', { open: [accept()] }, '"waits" asked "open" ("Please open"), which'],
    [
      'content of the wrong type',
      'delete',
      { confirm: accept({ ok: 'yes' }) },
      'The scripted answer to "confirm" does not fit what was asked: field "ok" must be true or false',
    ],
    ['consent without content', 'delete', { confirm: accept() }, 'accept without content'],
    ['a choice that was not offered', 'pick', { pick: accept({ one: 'c' }) }, 'must be one of the options'],
    ['an answer that is none', 'delete', { confirm: { action: 'agree' } }, 'action is not accept, decline or cancel'],
    ['roots that are no files', 'plan', { roots: rootsAt('https://example.com/') }, 'no file URI'],
  ])('for %s', async (_, tool, answers, message) => {
    const given = tool === 'pick' ? { from: ['a', 'b'] } : args;
    await expect(playing(tool, answers, { args: given })).rejects.toThrow(message);
  });

  it.each([
    ['before its ask', 'hasty', '"hasty", run again up to "confirm", changed the outside world once more'],
    ['between two asks', 'hasty_later', '"hasty_later", run again up to "second", changed'],
  ])('for a tool that acts outside a step %s', async (_, tool, message) => {
    const answer = accept({ ok: true });
    const answers: Script = tool === 'hasty' ? { confirm: answer } : { first: answer, second: answer };
    await expect(playing(tool, answers)).rejects.toThrow(message);
  });

  it('with what was there once and twice', async () => {
    await expect(playing('hasty', { confirm: decline })).rejects.toThrow('once:  ["hasty"]\ntwice: ["hasty","hasty"]');
  });

  it.each([
    ['asks something else in the next run', 'random', 'ended with flow_changed'],
    ['asks on its first replica only', 'once', 'went on without an answer'],
  ])('for a tool that %s', async (_, tool, message) => {
    await expect(playing(tool, { confirm: accept({ ok: true }) })).rejects.toThrow(message);
  });

  it('not for a tool that only believes it has a memory: no replica has one', async () => {
    expect((await playing('forgetful', { confirm: decline })).text).toBe('decline');
  });

  it('not for an effect that it is not shown', async () => {
    const played = await play('hasty', { worker, answers: { confirm: decline } });
    expect(played.text).toBe('decline');
    expect(done).toEqual(['hasty', 'hasty', 'hasty']);
  });
});

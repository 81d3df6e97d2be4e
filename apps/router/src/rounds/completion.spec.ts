import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { of } from 'rxjs';
import { RouterUnderTest } from '../testing/router-under-test.js';
import { ScriptedWorker } from '../testing/scripted-worker.js';

const entry = (name: string, definition: Record<string, unknown>) => ({ name, json: JSON.stringify(definition) });

const suggest = { script: () => of({ kind: 'complete', body: '{"completion":{"values":["test"]}}' }) };
const worker = new ScriptedWorker(
  { ask: suggest, 'test://{id}/data': suggest },
  {
    other: {
      tools: [],
      prompts: [entry('ask', { name: 'ask', description: 'ask', arguments: [{ name: 'topic' }] })],
      resourceTemplates: [entry('test://{id}/data', { uriTemplate: 'test://{id}/data', name: 'data' })],
    },
  },
);

let router: RouterUnderTest;
beforeAll(async () => {
  router = await RouterUnderTest.start([worker], (config) => ({
    ...config,
    workers: config.workers.map((group) => ({ ...group, prefix: 'lib_' })),
  }));
});
afterAll(() => router.stop());

describe('completion/complete', () => {
  it.each([
    ['a prompt', { type: 'ref/prompt', name: 'lib_ask' }, { type: 'ref/prompt', name: 'ask' }],
    [
      'a template',
      { type: 'ref/resource', uri: 'test://{id}/data' },
      { type: 'ref/resource', uri: 'test://{id}/data' },
    ],
  ])('names %s to the worker as the worker names it', async (_what, ref, own) => {
    const argument = { name: 'topic', value: 'te' };
    const { body } = await router.call('completion/complete', { ref, argument, unknown: 'left out' });
    expect(body.result).toMatchObject({ completion: { values: ['test'] } });
    expect(JSON.parse(worker.calls.at(-1)?.body ?? '')).toEqual({ ref: own, argument });
  });

  it.each([undefined, null, 'te', {}, { name: 'topic' }, { name: 'topic', value: 1 }])(
    'refuses the argument %j',
    async (argument) => {
      const { body } = await router.call('completion/complete', {
        ref: { type: 'ref/prompt', name: 'lib_ask' },
        argument,
      });
      expect(body.error?.code).toBe(-32602);
    },
  );

  it('refuses a reference to a prompt that nobody has', async () => {
    const { body } = await router.call('completion/complete', {
      ref: { type: 'ref/prompt', name: 'ask' },
      argument: { name: 'topic', value: '' },
    });
    expect(body.error).toMatchObject({ code: -32602, message: 'Unknown prompt: ask' });
  });
});

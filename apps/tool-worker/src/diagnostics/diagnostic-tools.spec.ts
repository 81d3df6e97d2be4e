import assert from 'node:assert/strict';
import { describe, expect, it } from '@jest/globals';
import type { CallItem } from '@roundhouse/contracts';
import { WorkerDrain } from '@roundhouse/worker-kit';
import { SpecWorker, textsOf, toRequest } from '@roundhouse/worker-kit/testing';
import { DiagnosticTools, generatedEchoTools } from './diagnostic-tools.js';

const start = () => SpecWorker.start({ tools: [DiagnosticTools] });

describe('echo', () => {
  it('gives back the message', async () => {
    expect(textsOf(await (await start()).reply(toRequest('echo', { body: '{"message":"\\udc00 x"}' })))).toEqual([
      '\udc00 x',
    ]);
  });

  it.each(['{}', '{"message":5}', '{"message":null}'])('refuses %s', async (body) => {
    expect(textsOf(await (await start()).reply(toRequest('echo', { body })))[0]).toMatch(
      /^Invalid arguments\nmessage: /,
    );
  });
});

describe('wait', () => {
  it('tells how far it is and how long it waited', async () => {
    const items = await (await start()).items(toRequest('wait', { body: '{"ms":1}', wantsProgress: true }));
    expect(items.map((item) => (item.kind === 'progress' ? item.progress : item.kind))).toEqual([0, 1, 'complete']);
  });

  it('stops waiting when it is cancelled', async () => {
    const worker = await start();
    const items: CallItem[] = [];
    worker.controller
      .call(toRequest('wait', { callId: 'a', body: '{"ms":60000}' }), worker.context)
      .subscribe((item) => items.push(item));
    worker.controller.cancel({ callId: 'a' }, worker.context);
    expect(items).toMatchObject([{ code: 'cancelled' }]);
    await worker.module.get(WorkerDrain, { strict: false }).idle();
  });

  it.each(['{"ms":60001}', '{"ms":-1}', '{"ms":1.5}', '{"ms":"1"}', '{}'])('refuses %s', async (body) => {
    expect(textsOf(await (await start()).reply(toRequest('wait', { body })))[0]).toMatch(/^Invalid arguments\nms: /);
  });
});

describe('wait_apart', () => {
  it.each<[string, true | undefined, object[]]>([
    ['{"ms":0}', true, [{ kind: 'close_stream' }, { kind: 'complete' }]],
    ['{"ms":0,"retryMs":9}', true, [{ kind: 'close_stream', retryMs: 9 }, { kind: 'complete' }]],
    ['{"ms":0,"asks":true}', true, [{ kind: 'close_stream' }, { kind: 'input_required' }]],
    ['{"ms":0}', undefined, [{ kind: 'complete' }]],
  ])('with %s lets the client go where it may: %s', async (body, mayCloseStream, expected) => {
    const request = toRequest('wait_apart', {
      ...{ body, clientCapabilities: { elicitation: {} } },
      ...(mayCloseStream && { mayCloseStream }),
    });
    expect(await (await start()).items(request)).toMatchObject(expected);
  });

  it.each(['{"ms":-1}', '{"ms":0,"retryMs":-1}', '{"ms":0,"asks":"yes"}'])('refuses %s', async (body) => {
    expect(textsOf(await (await start()).reply(toRequest('wait_apart', { body })))[0]).toMatch(/^Invalid arguments/);
  });
});

describe('confirm_wait', () => {
  const body = '{"ms":0}';

  it('waits only after it was confirmed, and declares that it runs once', async () => {
    const worker = await start();
    expect(worker.controller.describe().tools.find(({ name }) => name === 'confirm_wait')?.singleUse).toBe(true);
    const asked = await worker.reply(toRequest('confirm_wait', { body }));
    assert(asked.kind === 'input_required');
    const { continuation } = asked;
    const answer = (given: object) =>
      worker.reply(toRequest('confirm_wait', { body, continuation, round: 2, answers: { confirm: given as never } }));
    expect(textsOf(await answer({ action: 'accept', content: { confirm: true } }))).toEqual(['Waited 0 ms.']);
    expect(textsOf(await answer({ action: 'accept', content: { confirm: false } }))).toEqual([
      'Not confirmed (accept).',
    ]);
    expect(textsOf(await answer({ action: 'decline' }))).toEqual(['Not confirmed (decline).']);
  });
});

describe('confirm_echo', () => {
  const body = '{"message":"x"}';

  it('gives the message back only after it was confirmed, and does not declare that it runs once', async () => {
    const worker = await start();
    expect(worker.controller.describe().tools.find(({ name }) => name === 'confirm_echo')?.singleUse).not.toBe(true);
    const asked = await worker.reply(toRequest('confirm_echo', { body }));
    assert(asked.kind === 'input_required');
    const { continuation } = asked;
    const answer = (given: object) =>
      worker.reply(toRequest('confirm_echo', { body, continuation, round: 2, answers: { confirm: given as never } }));
    expect(textsOf(await answer({ action: 'accept', content: { confirm: true } }))).toEqual(['x']);
    expect(textsOf(await answer({ action: 'accept', content: { confirm: false } }))).toEqual([
      'Not confirmed (accept).',
    ]);
    expect(textsOf(await answer({ action: 'decline' }))).toEqual(['Not confirmed (decline).']);
  });
});

describe('generated tools', () => {
  it('have names in order and work like echo', async () => {
    const worker = await SpecWorker.start({ tools: [generatedEchoTools(3)] });
    expect(worker.controller.describe().tools.map(({ name }) => name)).toEqual(['echo_0001', 'echo_0002', 'echo_0003']);
    expect(textsOf(await worker.reply(toRequest('echo_0002', { body: '{"message":"x"}' })))).toEqual(['x']);
  });
});

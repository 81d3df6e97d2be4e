import { describe, expect, it } from '@jest/globals';
import { ROOT_CONTEXT, context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import { JsonLogger } from './json-logger.js';
import { LOG_FIELDS } from './log-fields.js';

function listen(level = 'info') {
  const lines: string[] = [];
  const logger = new JsonLogger('router', level, { write: (line) => void lines.push(line) });
  const last = (): Record<string, unknown> => JSON.parse(lines.at(-1) ?? '{}') as Record<string, unknown>;
  return { lines, logger, last };
}

describe('a log line', () => {
  it('says when, how loud, who and what', () => {
    const { logger, last } = listen();
    logger.warn('the replay service does not answer', 'replay');
    expect(last()).toEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      service: 'router',
      context: 'replay',
      msg: 'the replay service does not answer',
    });
  });

  it('carries the facts of an error', () => {
    const { logger, last } = listen();
    logger.error({ code: 'worker_lost', reason: 'worker_connection_lost', endpoint: '10.0.0.1:80', stateBytes: 7 });
    expect(last()).toMatchObject({ code: 'worker_lost', endpoint: '10.0.0.1:80', stateBytes: 7 });
    expect(last()).not.toHaveProperty('droppedFields');
  });

  it('drops a field that nobody allowed, and counts it', () => {
    const { logger, lines, last } = listen();
    logger.error({ code: 'internal', principal: 'SECRET', arguments: { pin: 'SECRET' }, token: 'SECRET' });
    expect(last()).toMatchObject({ code: 'internal', droppedFields: 3 });
    expect(lines.join('')).not.toContain('SECRET');
  });

  it.each([
    ['an object', { code: { SECRET: 1 } }],
    ['a list', { reason: ['SECRET'] }],
    ['a sentence for a word', { code: 'a SECRET sentence' }],
    ['a word for a figure', { stateBytes: 'SECRET' }],
    ['no figure', { stateBytes: NaN }],
    ['too long a word', { endpoint: `SECRET${'x'.repeat(300)}` }],
    ['what stands on the prototype', JSON.parse('{"__proto__":"SECRET"}') as object],
    ['a method of objects', { toString: 'SECRET' }],
    ['the message', { text: 'SECRET' }],
  ])('drops a value without the shape of its field: %s', (_name, fields) => {
    const { logger, lines, last } = listen();
    logger.error(fields);
    expect(last()).toMatchObject({ droppedFields: 1 });
    expect(lines.join('')).not.toContain('SECRET');
  });

  it('takes message and stack from an error, and nothing that was hung onto it', () => {
    const { logger, lines, last } = listen();
    logger.error(Object.assign(new Error('it broke'), { config: { headers: 'SECRET' } }));
    expect(last()).toMatchObject({ msg: 'it broke', stack: expect.stringContaining('json-logger.spec') });
    expect(lines.join('')).not.toContain('SECRET');
  });

  it('is one line of bounded length whatever is said', () => {
    const { logger, lines } = listen('trace');
    const anything = fc.oneof(fc.string({ unit: 'binary', maxLength: 6_000 }), fc.object({ maxDepth: 2 }));
    fc.assert(
      fc.property(anything, fc.constantFrom(...Object.keys(LOG_FIELDS)), (said, field) => {
        logger.log(said, 'spec');
        logger.log({ [field]: said }, 'spec');
        for (const line of lines.splice(0)) {
          expect(line.length).toBeLessThan(60_000);
          expect(line.endsWith('\n')).toBe(true);
          // eslint-disable-next-line no-control-regex -- that there are none is what is tested
          expect(line.slice(0, -1)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/);
          JSON.parse(line);
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['a line end', 'a\r\nb', 'a\nb'],
    ['a cursor that moves', 'a\u001b[2Jb', 'a?[2Jb'],
    ['a control of eight bits', 'a\u009b31mb', 'a?31mb'],
    ['text that is turned around', 'a\u202eb', 'a?b'],
    ['half a character', 'a\ud800b', 'a\ufffdb'],
  ])('defuses %s', (_name, said, shown) => {
    const { logger, last } = listen();
    logger.log(said);
    expect(last()['msg']).toBe(shown);
  });

  it('says which trace it belongs to while a span is active', () => {
    const manager = new AsyncLocalStorageContextManager().enable();
    context.setGlobalContextManager(manager);
    const { logger, last } = listen();
    const ids = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
    const span = trace.wrapSpanContext({ ...ids, traceFlags: 1 });
    context.with(trace.setSpan(ROOT_CONTEXT, span), () => logger.log('within'));
    expect(last()).toMatchObject({ trace_id: ids.traceId, span_id: ids.spanId });
    logger.log('after');
    expect(last()).not.toHaveProperty('trace_id');
    context.disable();
  });

  it('is written through the logger of Nest, with its context', () => {
    const { logger, last } = listen();
    Logger.overrideLogger(logger);
    new Logger('catalogue').error('it broke', 'at line 1');
    expect(last()).toMatchObject({ level: 'error', context: 'catalogue', stack: 'at line 1', msg: 'it broke' });
    Logger.overrideLogger(false);
  });
});

describe('the level', () => {
  it('keeps what lies below it out, and can be changed', () => {
    const { logger, lines } = listen('info');
    logger.debug('quiet');
    logger.verbose('quieter');
    expect(lines).toEqual([]);
    logger.setLevel('trace');
    logger.verbose('now');
    expect(lines).toHaveLength(1);
    logger.setLevel('silent');
    logger.fatal('nothing');
    expect(lines).toHaveLength(1);
  });
});

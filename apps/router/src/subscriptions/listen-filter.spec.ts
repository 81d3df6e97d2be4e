import { describe, expect, it } from '@jest/globals';
import { RESOURCE_SUBSCRIPTIONS_MAX, honoured, parseListenFilter } from './listen-filter.js';

describe('parseListenFilter', () => {
  it('honours exactly what was asked for', () => {
    const asked = { toolsListChanged: true, resourceSubscriptions: ['a://b'] };
    expect(honoured(parseListenFilter({ ...asked, promptsListChanged: false }))).toEqual(asked);
  });

  it('leaves types it does not know out of the acknowledgement', () => {
    expect(honoured(parseListenFilter({ taskIds: ['t'], somethingNew: true }))).toEqual({});
  });

  it.each([
    undefined,
    null,
    [],
    'tools',
    1,
    { toolsListChanged: 'true' },
    { promptsListChanged: 1 },
    { resourcesListChanged: null },
    { resourceSubscriptions: 'a://b' },
    { resourceSubscriptions: [1] },
    { resourceSubscriptions: [''] },
    { resourceSubscriptions: ['x'.repeat(3_000)] },
    { resourceSubscriptions: Array.from({ length: RESOURCE_SUBSCRIPTIONS_MAX + 1 }, (_, n) => `a://${n}`) },
  ])('refuses %j', (value) => {
    expect(() => parseListenFilter(value)).toThrow(/^Invalid params/);
  });

  it('takes no flag from a prototype', () => {
    expect(honoured(parseListenFilter(JSON.parse('{"__proto__":{"toolsListChanged":true}}')))).toEqual({});
  });
});

import { describe, expect, it } from '@jest/globals';
import { META } from '../meta-keys.js';
import { parseEnvelope } from './envelope.js';

const REQUIRED = { [META.protocolVersion]: '2026-07-28', [META.clientCapabilities]: { elicitation: {} } };
const BARE = { protocolVersion: '2026-07-28', clientCapabilities: { elicitation: {} } };

describe('parseEnvelope', () => {
  it('needs nothing but version and capabilities; clientInfo may be missing [B45]', () => {
    expect(parseEnvelope(REQUIRED)).toEqual(BARE);
    expect(Object.keys(parseEnvelope(REQUIRED))).toEqual(['protocolVersion', 'clientCapabilities']);
  });

  it('takes a version it does not know, because whether it is served is another question', () => {
    expect(parseEnvelope({ ...REQUIRED, [META.protocolVersion]: 'v999.0.0' })).toMatchObject({
      protocolVersion: 'v999.0.0',
    });
  });

  it.each([undefined, null, 'x', 1, true, [], [REQUIRED], {}])(
    'misses the version in a _meta that is %j [B45]',
    (meta) => {
      expect(parseEnvelope(meta)).toEqual({ missing: META.protocolVersion });
    },
  );

  it.each([
    [META.protocolVersion, [null, 20260728, {}, ['2026-07-28'], true]],
    [META.clientCapabilities, [null, [], 'elicitation', 1, true]],
    [
      META.clientInfo,
      [null, 'x', [], {}, { name: 'x' }, { version: '1' }, { name: 1, version: '1' }, { name: 'x', version: 1 }],
    ],
    ['progressToken', [null, 1.5, true, {}, [], 1e300, 2 ** 53]],
    [META.logLevel, [null, 'verbose', 'INFO', '', 3, {}, 'constructor', '__proto__']],
  ])('names %s when it is ill-typed [B45]', (key, values) => {
    for (const value of values) expect(parseEnvelope({ ...REQUIRED, [key]: value })).toEqual({ missing: key });
  });

  it('names the version before anything else that is wrong', () => {
    expect(parseEnvelope({ progressToken: 1.5, [META.clientCapabilities]: 1 })).toEqual({
      missing: META.protocolVersion,
    });
    expect(parseEnvelope({ ...REQUIRED, progressToken: 1.5, [META.clientCapabilities]: 1 })).toEqual({
      missing: META.clientCapabilities,
    });
  });

  it.each([0, '', 'abc', -1, 7])('keeps the progress token %j with its type [B90]', (progressToken) => {
    expect(parseEnvelope({ ...REQUIRED, progressToken })).toEqual({ ...BARE, progressToken });
  });

  it('keeps only name and version of clientInfo', () => {
    const meta = { ...REQUIRED, [META.clientInfo]: { name: 'c', version: '1', title: 'C', icons: [], secret: 'x' } };
    expect(parseEnvelope(meta)).toEqual({ ...BARE, clientInfo: { name: 'c', version: '1' } });
  });

  it('reads a log level and the trace context', () => {
    const meta = { ...REQUIRED, [META.logLevel]: 'notice', traceparent: '00-a', tracestate: 'x=1', baggage: 'k=v' };
    expect(parseEnvelope(meta)).toEqual({
      ...BARE,
      logLevel: 'notice',
      traceparent: '00-a',
      tracestate: 'x=1',
      baggage: 'k=v',
    });
  });

  it.each([null, 1, {}, ['00-a']])('ignores trace context that is %j instead of failing the request', (value) => {
    expect(parseEnvelope({ ...REQUIRED, traceparent: value, tracestate: value, baggage: value })).toEqual(BARE);
  });

  it('hands vendor keys on unchanged and keeps all of the protocol’s prefix back [B91]', () => {
    const vendor = { 'com.example/x': { y: 1 }, plain: [null] };
    const meta = {
      ...REQUIRED,
      ...vendor,
      [META.subscriptionId]: 's',
      'io.modelcontextprotocol/related-task': {},
      [META.serverInfo]: {},
    };
    expect(parseEnvelope(meta)).toEqual({ ...BARE, vendor });
  });

  it('keeps a vendor key named __proto__ an own member and pollutes nothing [B66]', () => {
    const meta = JSON.parse(
      JSON.stringify(REQUIRED).replace('{', '{"__proto__":{"admin":true},"constructor":1,'),
    ) as unknown;
    const envelope = parseEnvelope(meta);
    expect(JSON.stringify(envelope)).toContain('"vendor":{"__proto__":{"admin":true},"constructor":1}');
    expect(({} as Record<string, unknown>).admin).toBeUndefined();
    expect((envelope as { vendor: Record<string, unknown> }).vendor.admin).toBeUndefined();
  });
});

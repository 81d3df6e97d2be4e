import { describe, expect, it } from '@jest/globals';
import { routerConfig } from './config.js';

const DEVELOPMENT = { ROUNDHOUSE_AUTH_MODE: 'development' };

describe('routerConfig', () => {
  it('refuses everybody unless told otherwise', () => {
    expect(routerConfig.load({}).auth.mode).toBe('closed');
  });

  it.each(['127.0.0.1', '::1'])('lets the principal be a header on %s', (host) => {
    expect(routerConfig.load({ ...DEVELOPMENT, ROUNDHOUSE_HTTP_HOST: host }).auth.mode).toBe('development');
  });

  it.each(['0.0.0.0', '::', '10.0.0.1', 'gateway.example'])(
    'refuses to believe a header on %j, where others can reach it',
    (host) => {
      const load = () => routerConfig.load({ ...DEVELOPMENT, ROUNDHOUSE_HTTP_HOST: host });
      expect(load).toThrow(expect.objectContaining({ code: 'config_invalid' }));
    },
  );

  it('takes the collector from the variable that OpenTelemetry gives every program', () => {
    const { tracing } = routerConfig.load({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' });
    expect(tracing).toEqual({ endpoint: 'http://collector:4318', ratio: 0.1, clientSampled: 'ratio' });
  });

  it.each([
    ['an address without a scheme', { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }],
    ['a file for a collector', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'file:///etc/passwd' }],
    ['a share above one', { ROUNDHOUSE_TRACE_RATIO: '1.01' }],
    ['a share below none', { ROUNDHOUSE_TRACE_RATIO: '-0.1' }],
    ['a share in words', { ROUNDHOUSE_TRACE_RATIO: 'all' }],
    ['a worth that does not exist', { ROUNDHOUSE_TRACE_CLIENT_SAMPLED: 'always' }],
  ])('refuses %s', (_what, env) => {
    expect(() => routerConfig.load(env)).toThrow(expect.objectContaining({ code: 'config_invalid' }));
  });
});

import { describe, expect, it } from '@jest/globals';
import type { RoundhouseError } from '@roundhouse/errors';
import { routerConfig } from './config.js';

const TLS = { certFile: '/tls.crt', keyFile: '/tls.key', caFile: '/ca.crt' };
const DEVELOPMENT = { ROUNDHOUSE_AUTH_MODE: 'development' };

const group = (kubernetes: object): object => ({ workers: [{ id: 'a', kubernetes }] });

/** What is wrong with a section, as an operator is told; empty when nothing is. */
function problemsOf(section: object): string {
  try {
    routerConfig.parse(JSON.stringify({ router: section }));
    return '';
  } catch (error) {
    return JSON.stringify((error as RoundhouseError).facts);
  }
}

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

  it.each([
    [
      'two sources of one group',
      { workers: [{ id: 'a', addresses: ['a:1'], dns: { name: 'a', port: 1 } }] },
      /needs one of/,
    ],
    ['a group without a source', { workers: [{ id: 'a' }] }, /needs one of/],
    [
      'two sources of the replay service',
      { replay: { addresses: ['a:1'], kubernetes: { service: 'a' } } },
      /takes one of/,
    ],
    ['a name and labels at once', group({ service: 'a', selector: 'b=c' }), /needs one of service and selector/],
    ['neither a name nor labels', group({ namespace: 'a' }), /needs one of service and selector/],
    ['labels that would be more of the request', group({ selector: 'a=b&watch=true' }), /must be a label selector/],
    ['a port that speaks MCP', group({ service: 'a', appProtocol: 'agentgateway.dev/mcp' }), /routers call workers/],
    ['another that does', group({ service: 'a', appProtocol: 'kgateway.dev/mcp' }), /routers call workers/],
    ['an API server in the open', { kubernetes: { url: 'http://10.0.0.1' } }, /must be https/],
    ['certificates for a group without a name', { rpcTls: TLS, workers: [{ id: 'a', addresses: ['a:1'] }] }, /rpcTls/],
    ['certificates for a replay service without a name', { rpcTls: TLS, replay: { addresses: ['a:1'] } }, /rpcTls/],
    ['a certificate without its key', { rpcTls: { certFile: '/c', caFile: '/a' } }, /keyFile/],
  ])('refuses %s', (_what, section, problem) => {
    expect(problemsOf(section)).toMatch(problem);
  });

  it('finds workers by the labels of Services, and their port by what it speaks', () => {
    expect(problemsOf(group({ selector: 'kind in (worker),team=billing', appProtocol: 'roundhouse.dev/rpc' }))).toBe(
      '',
    );
  });

  it('asks for no name of a replay service that is not there', () => {
    expect(problemsOf({ rpcTls: TLS, workers: [{ id: 'a', addresses: ['a:1'], serverName: 'a.svc' }] })).toBe('');
  });

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

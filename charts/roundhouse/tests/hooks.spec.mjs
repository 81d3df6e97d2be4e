// What the operator adds, what helm test runs, and what helm says when it is done.
import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { CHART, render, TOOLS, VALUES_FILES } from '../../../tools/chart/helm.mjs';
import { parseTask } from '../../../apps/round-trip/src/command-line.js';
import { find, has } from '../../../tools/chart/rendered.mjs';

describe('helm test', () => {
  const pod = (options = {}) => find(render(options), 'Pod', '-test');

  it('runs once and cleans up after itself', () => {
    expect(pod().metadata.annotations).toEqual({
      'helm.sh/hook': 'test',
      'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded',
    });
    expect(pod().spec).toMatchObject({ restartPolicy: 'Never', activeDeadlineSeconds: 300 });
  });

  it('asks each router by itself, as a client of the public address', () => {
    const { args } = pod({ files: VALUES_FILES.production }).spec.containers[0];
    expect(args).toEqual([
      'apps/round-trip/bin/roundhouse-round-trip.mjs',
      '--url=https://mcp.example.com/mcp',
      '--routers-dns=rh-roundhouse-router-pods.default.svc.cluster.local:3000',
      '--call={"arguments":{"message":"round trip"},"name":"echo"}',
      '--flow={"arguments":{"message":"round trip"},"name":"confirm_echo"}',
      '--answers={"confirm":{"confirm":true}}',
      '--routers-min=2',
      '--token-file=/etc/roundhouse/token/token',
    ]);
  });

  it('is told nothing that the check does not take', () => {
    for (const files of Object.values(VALUES_FILES)) {
      const [, ...args] = pod({ files }).spec.containers[0].args;
      // Its folder is the pod's own.
      expect(parseTask(args.filter((arg) => !arg.startsWith('--token-file')))).toMatchObject({
        routersMin: expect.any(Number),
      });
    }
  });

  it('asks for one router where there may be one only', () => {
    expect(pod({ files: VALUES_FILES.minimal }).spec.containers[0].args).toContain('--routers-min=1');
  });

  it('has a token only as a file, and only where one is named', () => {
    expect(pod().spec.volumes).toBeUndefined();
    expect(pod().spec.containers[0].args.join()).not.toContain('token');
    const { volumes } = pod({ values: { tests: { tokenSecret: 'mine', tokenKey: 'a' } } }).spec;
    expect(volumes).toEqual([{ name: 'token', secret: { secretName: 'mine', defaultMode: 0o440 } }]);
  });

  it("calls tools of the operator's choice", () => {
    const tests = {
      call: { tool: 'a', arguments: { b: 1 } },
      flow: { tool: 'c', arguments: {}, answers: { d: { e: 2 } } },
    };
    const { args } = pod({ values: { tests } }).spec.containers[0];
    expect(args[3]).toContain('"name":"a"');
    expect(args[4]).toContain('"name":"c"');
    expect(args[5]).toContain('"d":{"e":2}');
  });

  it('is not there where it is switched off, and no policy is left for it', () => {
    const objects = render({ values: { tests: { enabled: false } } });
    expect(has(objects, 'Pod') || has(objects, 'NetworkPolicy', '-test')).toBe(false);
  });
});

describe('further objects', () => {
  it('are rendered as templates, from objects and from text', () => {
    const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: "{{ .Release.Name }}-text" }';
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '{{ .Release.Namespace }}-object' } };
    const objects = render({ values: { extraObjects: [text, object] } });
    expect(has(objects, 'ConfigMap', 'rh-text')).toBe(true);
    expect(has(objects, 'ConfigMap', 'default-object')).toBe(true);
  });
});

describe('the notes', () => {
  function notes(values, files = []) {
    const args = [
      'install',
      'rh',
      CHART,
      '--dry-run=client',
      '--values',
      '-',
      ...files.flatMap((file) => ['--values', file]),
    ];
    const { stdout } = spawnSync(TOOLS.helms['helm-4.1.4'], args, { input: JSON.stringify(values), encoding: 'utf8' });
    return stdout.slice(stdout.indexOf('NOTES:'));
  }

  it('print the next command, and what is not for production', () => {
    const text = notes({});
    expect(text).toContain('helm test rh --namespace default --logs');
    expect(text).toContain('Every call is refused (auth.mode: closed)');
    expect(text).toContain('The bundled Redis is a single pod');
    expect(text).toContain('Secret rh-roundhouse-keyset, which outlives this release');
    expect(text).toContain('Nothing outside the cluster reaches it yet');
  });

  it('warn of nothing in production', () => {
    const text = notes({}, VALUES_FILES.production);
    expect(text).toContain('clients use https://mcp.example.com/mcp');
    expect(text.trim().endsWith('--logs')).toBe(true);
  });

  it.each([
    ['an Ingress', { ingress: { enabled: true } }],
    ['a Gateway', { gateway: { enabled: true, parentRefs: [{ name: 'a' }] } }],
  ])('tell that %s hides its clients until it is trusted', (_name, wayIn) => {
    const values = { publicUrl: 'http://a/mcp', ...wayIn };
    const trusting = { ...values, router: { config: { trustedProxies: ['10.244.0.0/16'] } } };
    expect(notes(values)).toContain('All clients count as one source');
    expect(notes(trusting)).toContain('clients use http://a/mcp');
    expect(notes(trusting)).not.toContain('All clients count as one source');
  });

  it('hold no secret', () => {
    expect(
      notes({ redis: { existingSecret: 'a', bundled: { enabled: false } }, tests: { tokenSecret: 'b' } }),
    ).not.toMatch(/redis:\/\/|token/);
  });
});

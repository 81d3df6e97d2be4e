// What is seen from outside the cluster, and how streams come through it.
import { describe, expect, it } from '@jest/globals';
import { render, VALUES_FILES } from '../../../tools/chart/helm.mjs';
import { find, has } from '../../../tools/chart/rendered.mjs';

const NGINX = 'nginx.ingress.kubernetes.io';
const WELL_KNOWN = '/.well-known/oauth-protected-resource';
/** Where clients of 2025-03-26 look. */
const OLDEST = '/.well-known/oauth-authorization-server';
const ingress = (values = {}) => find(render({ files: VALUES_FILES['ingress-nginx'], values }), 'Ingress', '-router');
const route = (values = {}) => find(render({ files: VALUES_FILES['gateway-api'], values }), 'HTTPRoute', '-router');

it('there is no way in unless one is chosen', () => {
  expect(has(render(), 'Ingress') || has(render(), 'HTTPRoute')).toBe(false);
  expect(find(render(), 'Service', '-router').spec.type).toBe('ClusterIP');
});

describe('an HTTPRoute', () => {
  it('shows the MCP path and who issues tokens for it, and nothing else', () => {
    const [{ matches }] = route().spec.rules;
    expect(matches).toEqual(
      ['/mcp', WELL_KNOWN, `${WELL_KNOWN}/mcp`, OLDEST].map((value) => ({ path: { type: 'Exact', value } })),
    );
  });

  it('ends no stream and sends nothing twice', () => {
    const [rule, ...others] = route().spec.rules;
    expect(others).toEqual([]);
    expect(rule.timeouts).toEqual({ request: '0s', backendRequest: '0s' });
    expect(rule).not.toHaveProperty('filters');
    expect(rule).not.toHaveProperty('retry');
  });

  it('answers to the host of the public address, or to those named', () => {
    expect(route().spec.hostnames).toEqual(['mcp.example.com']);
    expect(route({ gateway: { hostnames: ['a.example.com'] } }).spec.hostnames).toEqual(['a.example.com']);
  });

  it('leads to the port of the Service', () => {
    expect(route({ router: { service: { port: 81 } } }).spec.rules[0].backendRefs).toEqual([
      { name: 'rh-roundhouse-router', port: 81 },
    ]);
  });

  it.each([[[]], [['2025-11-25', '2025-06-18']]])(
    'shows nothing more where clients of 2025-03-26 are not served: %j',
    (revisions) => {
      const [{ matches }] = route({ router: { config: { legacy: { revisions } } } }).spec.rules;
      expect(matches.map(({ path }) => path.value)).not.toContain(OLDEST);
    },
  );

  it('takes annotations', () => {
    expect(route({ gateway: { annotations: { a: 'b' } } }).metadata.annotations).toEqual({ a: 'b' });
  });
});

describe('an Ingress', () => {
  it('shows the MCP path and who issues tokens for it, and nothing else', () => {
    const [{ host, http }] = ingress().spec.rules;
    expect(host).toBe('mcp.example.com');
    expect(http.paths.map(({ path, pathType }) => [path, pathType])).toEqual(
      ['/mcp', WELL_KNOWN, `${WELL_KNOWN}/mcp`, OLDEST].map((path) => [path, 'Exact']),
    );
  });

  it('tells nginx to hold back nothing, to wait, and to send nothing twice', () => {
    expect(ingress().metadata.annotations).toMatchObject({
      [`${NGINX}/proxy-buffering`]: 'off',
      [`${NGINX}/proxy-request-buffering`]: 'off',
      [`${NGINX}/proxy-read-timeout`]: '3600',
      [`${NGINX}/proxy-send-timeout`]: '3600',
      [`${NGINX}/proxy-next-upstream`]: 'off',
      [`${NGINX}/proxy-body-size`]: '4194304',
    });
  });

  it('lets nginx take bodies as large as the router does', () => {
    const values = { router: { config: { limits: { bodyBytesMax: 8_388_608 } } } };
    expect(ingress(values).metadata.annotations[`${NGINX}/proxy-body-size`]).toBe('8388608');
  });

  it('lets the operator overrule each annotation', () => {
    const values = { ingress: { annotations: { [`${NGINX}/proxy-read-timeout`]: '60' } } };
    expect(ingress(values).metadata.annotations[`${NGINX}/proxy-read-timeout`]).toBe('60');
  });

  it('tells other controllers nothing of nginx, and none a snippet', () => {
    const other = find(render({ files: VALUES_FILES.openshift }), 'Ingress', '-router');
    expect(Object.keys(other.metadata.annotations).filter((key) => key.startsWith(NGINX))).toEqual([]);
    expect(JSON.stringify([ingress(), other])).not.toContain('snippet');
  });

  it('has its certificate from an issuer or from a Secret', () => {
    expect(ingress().metadata.annotations['cert-manager.io/cluster-issuer']).toBe('letsencrypt');
    expect(ingress().spec.tls).toEqual([{ hosts: ['mcp.example.com'], secretName: 'rh-roundhouse-tls' }]);
    const own = ingress({ ingress: { tls: { clusterIssuer: '', secretName: 'mine' } } });
    expect(own.spec.tls[0].secretName).toBe('mine');
    expect(own.metadata.annotations).not.toHaveProperty('cert-manager.io/cluster-issuer');
  });

  it("serves a path of the operator's choice", () => {
    const [{ http }] = ingress({ publicUrl: 'https://a.example.com/tools/mcp' }).spec.rules;
    expect(http.paths.map(({ path }) => path)).toEqual(['/tools/mcp', WELL_KNOWN, `${WELL_KNOWN}/tools/mcp`, OLDEST]);
  });
});

describe('Services', () => {
  it.each(['defaults', 'ipv6'])('speak the families of %s', (name) => {
    const services = render({ files: VALUES_FILES[name] }).filter(({ kind }) => kind === 'Service');
    const expected = name === 'ipv6' ? ['SingleStack', ['IPv6']] : ['PreferDualStack', undefined];
    expect(services.length).toBeGreaterThan(4);
    for (const { spec } of services) expect([spec.ipFamilyPolicy, spec.ipFamilies]).toEqual(expected);
  });

  it('show the admin port to nobody who comes through the one for clients', () => {
    expect(find(render(), 'Service', '-router').spec.ports.map(({ name }) => name)).toEqual(['http']);
  });

  it('take a type, a port and annotations', () => {
    const service = { type: 'LoadBalancer', port: 8080, annotations: { a: 'b' } };
    const { metadata, spec } = find(render({ values: { router: { service } } }), 'Service', '-router');
    expect([spec.type, spec.ports[0].port, metadata.annotations]).toEqual(['LoadBalancer', 8080, { a: 'b' }]);
  });

  it('tell of routers that are not ready, too, where each is asked for its keys', () => {
    expect(find(render(), 'Service', '-router-pods').spec).toMatchObject({
      clusterIP: 'None',
      publishNotReadyAddresses: true,
    });
  });
});

// The bundled Redis, which is for trying out and must not lose a claim all the same.
import { describe, expect, it } from '@jest/globals';
import { render, VALUES_FILES } from '../../../tools/chart/helm.mjs';
import { find, has } from '../../../tools/chart/rendered.mjs';

const statefulSet = (bundled = {}) => find(render({ values: { redis: { bundled } } }), 'StatefulSet', '-redis').spec;

describe('the bundled Redis', () => {
  it('is set as the replay service demands', () => {
    const { args } = statefulSet().template.spec.containers[0];
    const settings = args
      .slice(1)
      .reduce((all, each, at, list) => (at % 2 ? { ...all, [list[at - 1]]: each } : all), {});
    expect(settings).toMatchObject({ '--appendonly': 'yes', '--maxmemory-policy': 'noeviction' });
  });

  it('keeps its data on a volume of its own', () => {
    const { volumeClaimTemplates, template } = statefulSet({ storage: { size: '2Gi', storageClassName: 'fast' } });
    expect(volumeClaimTemplates[0].spec).toEqual({
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'fast',
      resources: { requests: { storage: '2Gi' } },
    });
    expect(template.spec.volumes.map(({ name }) => name)).toEqual(['tmp']);
  });

  it('does without one where there is none', () => {
    const { volumeClaimTemplates, template } = statefulSet({ storage: { size: '' } });
    expect(volumeClaimTemplates).toBeUndefined();
    expect(template.spec.volumes.map(({ name }) => name)).toEqual(['tmp', 'data']);
  });

  it('is a single pod behind a Service of its own name', () => {
    expect(statefulSet()).toMatchObject({ replicas: 1, serviceName: 'rh-roundhouse-redis' });
    expect(find(render(), 'Service', '-redis').spec.clusterIP).toBe('None');
  });

  it('takes an image, a user and resources', () => {
    const bundled = {
      image: { repository: 'r/redis', tag: '8' },
      runAsUser: 1234,
      resources: { limits: { memory: '1Gi' } },
    };
    const { spec } = statefulSet(bundled).template;
    expect(spec.securityContext).toMatchObject({ runAsUser: 1234, fsGroup: 1234 });
    expect(spec.containers[0]).toMatchObject({ image: 'r/redis:8', resources: { limits: { memory: '1Gi' } } });
  });

  it.each(['production', 'sentinel', 'external-redis-tls'])('is not there with the values of %s', (name) => {
    const objects = render({ files: VALUES_FILES[name] });
    for (const kind of ['StatefulSet', 'Service', 'NetworkPolicy']) expect(has(objects, kind, '-redis')).toBe(false);
  });
});

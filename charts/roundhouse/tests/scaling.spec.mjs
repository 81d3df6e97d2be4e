// How many pods there are, and who decides it.
import { describe, expect, it } from '@jest/globals';
import { render } from '../../../tools/chart/helm.mjs';
import { find, has } from '../../../tools/chart/rendered.mjs';

const COMPONENTS = [
  ['router', '-router', (values) => ({ router: values })],
  ['replay', '-replay', (values) => ({ replay: values })],
  ['a worker', '-worker-reference', (values) => ({ workers: { reference: values } })],
];

describe.each(COMPONENTS)('%s', (_name, end, of) => {
  const objects = (values) => render({ values: of(values) });

  it('has two pods unless told otherwise', () => {
    expect(find(render(), 'Deployment', end).spec.replicas).toBe(2);
    expect(find(objects({ replicas: 5 }), 'Deployment', end).spec.replicas).toBe(5);
  });

  it.each(['autoscaling', 'keda'])('has no fixed number of pods under %s, so that no upgrade resets it', (scaler) => {
    expect(find(objects({ [scaler]: { enabled: true } }), 'Deployment', end).spec).not.toHaveProperty('replicas');
  });

  it('is scaled by its processor use, and slowly down', () => {
    const { spec } = find(objects({ autoscaling: { enabled: true } }), 'HorizontalPodAutoscaler', end);
    expect(spec.scaleTargetRef.name).toBe(`rh-roundhouse${end}`);
    expect(spec.metrics).toEqual([
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } },
    ]);
    expect(spec.behavior.scaleDown).toEqual({
      stabilizationWindowSeconds: 300,
      selectPolicy: 'Max',
      policies: [
        { type: 'Pods', value: 1, periodSeconds: 60 },
        { type: 'Percent', value: 10, periodSeconds: 60 },
      ],
    });
  });

  it('is scaled by calls in flight where a target is given', () => {
    const autoscaling = { enabled: true, cpuPercent: 0, inflight: { target: 50 } };
    const { spec } = find(objects({ autoscaling }), 'HorizontalPodAutoscaler', end);
    expect(spec.metrics).toEqual([
      {
        type: 'Pods',
        pods: {
          metric: { name: 'roundhouse_inflight_requests' },
          target: { type: 'AverageValue', averageValue: '50' },
        },
      },
    ]);
  });

  it('is scaled by KEDA, which takes no pod away while a trigger fails', () => {
    const triggers = [{ type: 'prometheus', metadata: { query: 'up' } }];
    const { spec } = find(objects({ keda: { enabled: true, triggers } }), 'ScaledObject', end);
    expect(spec).toMatchObject({
      scaleTargetRef: { name: `rh-roundhouse${end}` },
      minReplicaCount: 2,
      fallback: { behavior: 'currentReplicasIfHigher' },
      triggers: [{ type: 'cpu' }, ...triggers],
    });
  });

  it('has no fallback of KEDA by processor use alone, for which there is none', () => {
    expect(find(objects({ keda: { enabled: true } }), 'ScaledObject', end).spec).not.toHaveProperty('fallback');
  });

  it('has neither autoscaler unless it is switched on', () => {
    expect(has(render(), 'HorizontalPodAutoscaler', end) || has(render(), 'ScaledObject', end)).toBe(false);
  });

  it('lets one pod go at a time, and a sick one always', () => {
    const { spec } = find(render(), 'PodDisruptionBudget', end);
    expect(spec).toMatchObject({ maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' });
    expect(spec).not.toHaveProperty('minAvailable');
  });

  it.each([
    ['is one pod', { replicas: 1 }],
    ['may be one pod', { autoscaling: { enabled: true, minReplicas: 1 } }],
    ['may be one pod under KEDA', { keda: { enabled: true, minReplicas: 1 } }],
    ['does not want one', { pdb: { enabled: false } }],
  ])('has no disruption budget when it %s', (_case, values) => {
    expect(has(objects(values), 'PodDisruptionBudget', end)).toBe(false);
  });
});

it('a worker overrules what all workers have, with false and with nought as well', () => {
  const values = {
    workerDefaults: { pdb: { enabled: true }, autoscaling: { enabled: true, inflight: { target: 9 } } },
    workers: { reference: { pdb: { enabled: false }, autoscaling: { inflight: { target: 0 } } } },
  };
  const objects = render({ values });
  expect(has(objects, 'PodDisruptionBudget', '-worker-reference')).toBe(false);
  expect(find(objects, 'HorizontalPodAutoscaler', '-worker-reference').spec.metrics).toHaveLength(1);
});

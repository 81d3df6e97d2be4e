// The kinds of operators that the chart makes objects of, as far as an API server has to know them to keep one. What is in
// the objects is held against the operators' own types by npm run chart.

const KINDS = [
  ['gateway.networking.k8s.io', 'v1', 'HTTPRoute'],
  ['monitoring.coreos.com', 'v1', 'ServiceMonitor'],
  ['monitoring.coreos.com', 'v1', 'PodMonitor'],
  ['monitoring.coreos.com', 'v1', 'PrometheusRule'],
  ['cert-manager.io', 'v1', 'Certificate'],
  ['keda.sh', 'v1alpha1', 'ScaledObject'],
];

export const OPERATOR_KINDS = KINDS.map(([group, version, kind]) => {
  const singular = kind.toLowerCase();
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${singular}s.${group}`,
      // Asked for where a group ends in k8s.io.
      annotations: { 'api-approved.kubernetes.io': 'unapproved, for a check' },
    },
    spec: {
      ...{ group, scope: 'Namespaced', names: { kind, singular, plural: `${singular}s` } },
      versions: [{ name: version, served: true, storage: true, schema }],
    },
  };
});

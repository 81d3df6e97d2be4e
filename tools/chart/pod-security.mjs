// The pod security standard "restricted", rule by rule as Kubernetes documents it, for a pod's specification.

const VOLUMES = new Set([
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
]);
const SECCOMP = new Set(['RuntimeDefault', 'Localhost']);
const HOST = ['hostNetwork', 'hostPID', 'hostIPC', 'hostProcess'];

/** @returns {string[]} the rules that the pod breaks */
export function problemsOfPod(spec) {
  const { securityContext: pod = {}, volumes = [] } = spec;
  const problems = HOST.filter((key) => spec[key] === true).map((key) => `${key} is on`);
  for (const { name, ...source } of volumes) {
    const kinds = Object.keys(source).filter((kind) => !VOLUMES.has(kind));
    if (kinds.length > 0) problems.push(`volume ${name} is a ${kinds.join()}`);
  }
  if (pod.runAsUser === 0) problems.push('the pod runs as user 0');
  if ((pod.sysctls ?? []).length > 0) problems.push('sysctls are set');
  const containers = ['initContainers', 'containers', 'ephemeralContainers'].flatMap((key) => spec[key] ?? []);
  return [...problems, ...containers.flatMap((container) => problemsOfContainer(container, pod))];
}

function problemsOfContainer({ name, securityContext: own = {}, ports = [] }, pod) {
  const rules = {
    'allowPrivilegeEscalation is not false': own.allowPrivilegeEscalation !== false,
    'may run as root': (own.runAsNonRoot ?? pod.runAsNonRoot) !== true,
    'runs as user 0': own.runAsUser === 0,
    'is privileged': own.privileged === true,
    'has no seccomp profile': !SECCOMP.has((own.seccompProfile ?? pod.seccompProfile)?.type),
    'does not drop ALL capabilities': !(own.capabilities?.drop ?? []).includes('ALL'),
    'adds capabilities': (own.capabilities?.add ?? []).some((added) => added !== 'NET_BIND_SERVICE'),
    'has a port on the host': ports.some(({ hostPort = 0 }) => hostPort !== 0),
    'sees all of /proc': (own.procMount ?? 'Default') !== 'Default',
  };
  return Object.keys(rules)
    .filter((rule) => rules[rule])
    .map((rule) => `container ${name} ${rule}`);
}

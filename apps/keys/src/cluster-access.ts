/** How a pod reaches the API server: by the address in its environment and the token that its service account gave it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT, Refusal } from './refusal.js';

/** Where Kubernetes puts the token, the certificate of the API server's authority and the namespace. */
const FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

export interface ClusterAccess {
  /** Scheme, host and port. */
  readonly url: string;
  readonly namespace: string;
  readonly token: string;
  /** Certificate of the authority, as PEM; undefined: the public ones. */
  readonly ca: string | undefined;
}

/** @throws Refusal outside of a pod, or in one that was given no token */
export function readClusterAccess(env: NodeJS.ProcessEnv, folder = FOLDER): ClusterAccess {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = env;
  if (host === undefined || host === '') throw new Refusal('--secret works in a pod only', EXIT.usage);
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8').trim();
  try {
    return {
      url: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
      namespace: read('namespace'),
      token: read('token'),
      ca: read('ca.crt'),
    };
  } catch (error) {
    throw new Refusal(`the pod has no token for the API server: ${(error as Error).message}`, EXIT.failed);
  }
}

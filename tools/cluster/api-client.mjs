// Requests to an API server as one account: plain HTTPS, with the warnings that come beside the answer.
import { once } from 'node:events';
import { request } from 'node:https';
import { text as readText } from 'node:stream/consumers';

const ANSWER_WITHIN_MS = 30_000;
/** Who is said to have set the fields of what is applied. */
const MANAGER = 'roundhouse-check';

/** Where objects of a kind are, for kinds whose plural is not their name with an s. */
const PLURALS = { NetworkPolicy: 'networkpolicies', Ingress: 'ingresses' };
const OF_THE_CLUSTER = new Set(['Namespace', 'CustomResourceDefinition']);

export class ApiClient {
  /** @param {{ url: string, ca: Buffer, token: string }} access */
  constructor(access) {
    this.access = access;
  }

  as(token) {
    return new ApiClient({ ...this.access, token });
  }

  get(path) {
    return this.send('GET', path);
  }

  create(object, namespace) {
    return this.send('POST', pathOf(object, namespace), { body: object });
  }

  /** Server-side: the server lays the object over what is there, by the rules of its type, and is strict about fields. */
  apply(object, namespace) {
    const path = `${pathOf(object, namespace)}/${object.metadata.name}`;
    const query = `?fieldManager=${MANAGER}&force=true&fieldValidation=Strict`;
    return this.send('PATCH', path + query, { body: object, type: 'application/apply-patch+yaml' });
  }

  /** @returns {Promise<{ status: number, text: string, body: any, warnings: string[] }>} body: undefined unless JSON came */
  async send(method, path, { body, type = 'application/json' } = {}) {
    const { url, ca, token } = this.access;
    const outgoing = request(new URL(path, url), {
      ...{ method, ca, agent: false, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) },
      headers: { authorization: `Bearer ${token}`, accept: 'application/json', ...(body && { 'content-type': type }) },
    });
    outgoing.end(body && JSON.stringify(body));
    const [response] = await once(outgoing, 'response');
    const text = await readText(response);
    const isJson = /json/.test(response.headers['content-type'] ?? '');
    const warnings = [response.headers.warning ?? []].flat();
    return { status: response.statusCode, text, body: isJson ? JSON.parse(text) : undefined, warnings };
  }
}

export function pathOf({ apiVersion, kind }, namespace) {
  const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const place = OF_THE_CLUSTER.has(kind) ? '' : `/namespaces/${namespace}`;
  return `${group}${place}/${PLURALS[kind] ?? `${kind.toLowerCase()}s`}`;
}

/**
 * Reads, creates and replaces one Secret through the API server. Answers are told by their status alone: the body of a
 * Secret is key material, and that of an error may repeat it.
 */
import { request as requestPlain, type IncomingMessage } from 'node:http';
import { request as requestTls } from 'node:https';
import type { ClusterAccess } from './cluster-access.js';
import { EXIT, Refusal } from './refusal.js';

/** An API server answers within a second; longer than this it does not, in milliseconds. */
const REPLY_TIMEOUT_MS = 10_000;
/** Kubernetes takes Secrets up to 1 MiB, which grow by a third in base64. */
const REPLY_CHARS_MAX = 2 * 1024 * 1024;

/** What of a Secret this tool looks at; everything else goes back as it came. */
export interface Secret {
  readonly metadata: { readonly name: string; readonly resourceVersion?: string };
  readonly data?: Readonly<Record<string, string>>;
}

interface Reply {
  readonly status: number;
  readonly text: string;
}

export class SecretApi {
  constructor(private readonly access: ClusterAccess) {}

  /** Undefined: there is none. */
  async get(name: string): Promise<Secret | undefined> {
    const { status, text } = await this.send('GET', `/${name}`);
    if (status === 404) return undefined;
    assertStatus(status, 200, 'read');
    return JSON.parse(text) as Secret;
  }

  /** @returns false when there is one already */
  async create(secret: Secret): Promise<boolean> {
    const { status } = await this.send('POST', '', { apiVersion: 'v1', kind: 'Secret', type: 'Opaque', ...secret });
    if (status === 409) return false;
    assertStatus(status, 201, 'create');
    return true;
  }

  /** @returns false when it is not any more what `resourceVersion` says */
  async replace(secret: Secret): Promise<boolean> {
    const { status } = await this.send('PUT', `/${secret.metadata.name}`, secret);
    if (status === 409) return false;
    assertStatus(status, 200, 'change');
    return true;
  }

  private async send(method: string, path: string, body?: unknown): Promise<Reply> {
    const { url, namespace, token, ca } = this.access;
    const target = new URL(`/api/v1/namespaces/${namespace}/secrets${path}`, url);
    const headers = {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      'content-type': 'application/json',
    };
    const options = { method, headers, agent: false, signal: AbortSignal.timeout(REPLY_TIMEOUT_MS), ...(ca && { ca }) };
    const request = (target.protocol === 'https:' ? requestTls : requestPlain)(target, options);
    try {
      return await new Promise<Reply>((resolve, reject) => {
        request.once('error', reject).once('response', (response) => void readReply(response).then(resolve, reject));
        request.end(body === undefined ? undefined : JSON.stringify(body));
      });
    } catch (error) {
      throw new Refusal(`the API server cannot be reached: ${(error as Error).message}`, EXIT.failed);
    } finally {
      request.destroy();
    }
  }
}

async function readReply(response: IncomingMessage): Promise<Reply> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk as string;
    if (text.length > REPLY_CHARS_MAX) throw new Error('its answer is too large');
  }
  return { status: response.statusCode ?? 0, text };
}

function assertStatus(status: number, expected: number, verb: string): void {
  if (status === expected) return;
  const why = status === 401 || status === 403 ? 'this service account may not' : 'the API server did not';
  throw new Refusal(`${why} ${verb} the Secret: status ${status}`, EXIT.failed);
}

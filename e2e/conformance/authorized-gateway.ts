/**
 * The round robin with authorization on: routers take only tokens whose keys they fetched from an issuer, and the suite
 * calls them through a proxy that adds such a token.
 */
import assert from 'node:assert/strict';
import { TestIssuer } from '@roundhouse/testing';
import { bearer } from '../harness/authorized-world.js';
import { Cluster } from '../harness/cluster.js';
import { sendMcp } from '../harness/mcp-request.js';
import type { HeaderList } from '../harness/raw-client.js';
import { TokenProxy } from './token-proxy.js';

const SCOPE = 'mcp:call';

export class AuthorizedGateway {
  private constructor(
    readonly url: string,
    private readonly parts: readonly Stoppable[],
  ) {}

  static async start(name: string): Promise<AuthorizedGateway> {
    const parts: Stoppable[] = [];
    const keep = <T extends Stoppable>(part: T): T => {
      parts.unshift(part);
      return part;
    };
    try {
      const proxy = keep(await TokenProxy.start());
      const issuer = keep(await TestIssuer.start({ audience: proxy.url }));
      const added = bearer(await issuer.sign({ claims: { scope: SCOPE } }));
      const cluster = keep(await startCluster(name, { publicUrl: proxy.url, issuer: issuer.url, headers: added }));
      await assertClosed(cluster);
      assert.ok(issuer.keyFetches >= cluster.routers.length, 'every router fetched the keys of the issuer');
      proxy.passTo({ port: cluster.port, added });
      return new AuthorizedGateway(proxy.url, parts);
    } catch (error) {
      await stopAll(parts);
      throw error;
    }
  }

  async stop(): Promise<void> {
    await stopAll(this.parts);
  }
}

interface Stoppable {
  stop(): Promise<void>;
}

interface Authorized {
  readonly publicUrl: string;
  readonly issuer: string;
  readonly headers: HeaderList;
}

function startCluster(name: string, { publicUrl, issuer, headers }: Authorized): Promise<Cluster> {
  return Cluster.start({
    name,
    router: {
      publicUrl,
      auth: {
        mode: 'oauth',
        issuers: [{ issuer, algorithms: ['ES256'] }],
        scopesSupported: [SCOPE],
        requiredScopes: [SCOPE],
      },
      development: { allowLoopbackIssuers: true },
    },
    headersFor: () => Promise.resolve(headers),
  });
}

/** Without this, routers that let everybody in would pass as well. */
async function assertClosed({ routers }: Cluster): Promise<void> {
  for (const { name, port } of routers) {
    const { status } = await sendMcp(port, { method: 'tools/list', params: {} });
    assert.equal(status, 401, `${name} refuses a request without a token`);
  }
}

async function stopAll(parts: readonly Stoppable[]): Promise<void> {
  for (const part of parts) await part.stop();
}

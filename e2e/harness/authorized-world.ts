/** A cluster that takes access tokens, and the authorization server that gives them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AuthorizationServer, GATEWAY } from './authorization-server.js';
import { Cluster } from './cluster.js';
import type { HeaderList } from './raw-client.js';
import { OUT } from './workspace.js';

/** What every call needs, besides a token at all. */
export const NEEDED_SCOPE = 'mcp:call';
/** What tools need besides that change more than notes, by the policy file. */
export const TOOL_SCOPE = 'mcp:write';

const POLICY = {
  rules: [
    { name: 'all', tools: ['*'], grantsDestructive: true },
    { name: 'writing', tools: ['draft_*', 'bank_transfer'], scopes: [TOOL_SCOPE] },
  ],
};

export class AuthorizedWorld {
  private constructor(
    readonly cluster: Cluster,
    readonly server: AuthorizationServer,
  ) {}

  static async start(name: string): Promise<AuthorizedWorld> {
    const server = await AuthorizationServer.start();
    const clientSecretFile = join(OUT, name, 'introspection-secret');
    try {
      const cluster = await Cluster.start({
        name,
        wiring: 'paired',
        router: {
          auth: {
            mode: 'oauth',
            issuers: [
              {
                issuer: server.issuer,
                algorithms: ['ES256'],
                introspection: { clientId: GATEWAY.id, clientSecretFile },
              },
            ],
            scopesSupported: ['mcp:read'],
            requiredScopes: [NEEDED_SCOPE],
            dpop: 'optional',
            // All callers of a run have one address, and it asks with bad tokens until something changes.
            failuresPerSource: { perMinute: 1_000_000, burst: 1_000_000 },
          },
          development: { allowLoopbackIssuers: true },
        },
        policy: POLICY,
        headersFor: async (resource) => bearer(await server.serviceToken(resource)),
      });
      // Read for each question; its folder was emptied at the start.
      writeFileSync(clientSecretFile, GATEWAY.secret, { mode: 0o600 });
      return new AuthorizedWorld(cluster, server);
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  get port(): number {
    return this.cluster.port;
  }

  /** What clients call, and what tokens are made for. */
  get resource(): string {
    return this.cluster.front.url;
  }

  complaints(): string[] {
    return this.cluster.complaints();
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await this.cluster.stop();
  }
}

export function bearer(token: string): HeaderList {
  return [['Authorization', `Bearer ${token}`]];
}

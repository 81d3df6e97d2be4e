/** A cluster that takes access tokens, and the authorization server that gives them. */
import { AuthorizationServer } from './authorization-server.js';
import { Cluster } from './cluster.js';
import type { HeaderList } from './raw-client.js';

/** What every call needs, besides a token at all. */
export const NEEDED_SCOPE = 'mcp:call';

export class AuthorizedWorld {
  private constructor(
    readonly cluster: Cluster,
    readonly server: AuthorizationServer,
  ) {}

  static async start(name: string): Promise<AuthorizedWorld> {
    const server = await AuthorizationServer.start();
    try {
      const cluster = await Cluster.start({
        name,
        wiring: 'paired',
        router: {
          auth: {
            mode: 'oauth',
            issuers: [{ issuer: server.issuer, algorithms: ['ES256'] }],
            scopesSupported: ['mcp:read'],
            requiredScopes: [NEEDED_SCOPE],
            dpop: 'optional',
          },
          development: { allowLoopbackIssuers: true },
        },
        policy: { rules: [{ name: 'all', tools: ['*'], grantsDestructive: true }] },
        headersFor: async (resource) => bearer(await server.serviceToken(resource)),
      });
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

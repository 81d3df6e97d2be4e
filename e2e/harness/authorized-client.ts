/**
 * The official MCP client with the official OAuth flow: it finds its way by what the router answers and publishes. Its
 * tokens are kept here, where scenarios can look at them and take them elsewhere.
 */
import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type DpopSession,
  type ElicitRequestFormParams,
  type ElicitResult,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
} from '@modelcontextprotocol/client';
import { CLIENT_ID, REDIRECT_URI } from './authorization-server.js';
import { walk } from './browser.js';
import { REVISION } from './mcp-request.js';

type Tokens = NonNullable<Awaited<ReturnType<OAuthClientProvider['tokens']>>>;

/** Once for a token at all and once for what it lacks; a client that asks more often goes in circles. */
const LOGINS_MAX = 2;

/** What a client application would keep in its key chain. */
export class KeyChain implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT_URI;
  readonly clientMetadata = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' };
  /** Where the person was sent, in order. */
  readonly sentTo: URL[] = [];
  private kept: Tokens | undefined;
  private discovered: OAuthDiscoveryState | undefined;
  private verifier = '';

  constructor(private readonly session: DpopSession | undefined) {}

  clientInformation(): { client_id: string } {
    return { client_id: CLIENT_ID };
  }

  tokens(): Tokens | undefined {
    return this.kept;
  }

  saveTokens(tokens: Tokens): void {
    this.kept = tokens;
  }

  redirectToAuthorization(url: URL): void {
    this.sentTo.push(url);
  }

  saveCodeVerifier(verifier: string): void {
    this.verifier = verifier;
  }

  codeVerifier(): string {
    return this.verifier;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.discovered = state;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.discovered;
  }

  dpop(): DpopSession | undefined {
    return this.session;
  }
}

export interface AuthorizedClientOptions {
  readonly url: string;
  /** How the person answers a tool. */
  readonly answer?: (question: ElicitRequestFormParams) => ElicitResult | Promise<ElicitResult>;
  /** What it sends through, its requests to the authorization server included; Node's own otherwise. */
  readonly fetch?: (url: string | URL, init?: RequestInit) => Promise<Response>;
  /** The browser: goes where the person is sent, and tells where that ended. Without it, one that asks nobody. */
  readonly browse?: (sentTo: URL) => Promise<URL>;
  /** Binds its tokens to a key of its own. */
  readonly dpop?: DpopSession;
}

export class AuthorizedClient {
  private constructor(
    readonly client: Client,
    readonly keyChain: KeyChain,
  ) {}

  /** Connects; whenever the router asks for it, the person logs in and the client tries again. */
  static async connect(options: AuthorizedClientOptions): Promise<AuthorizedClient> {
    const { url, fetch, browse = (sentTo) => walk(sentTo, REDIRECT_URI), dpop } = options;
    const keyChain = new KeyChain(dpop);
    for (let logins = 0; ; logins += 1) {
      const client = clientFor(options);
      const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: keyChain, fetch });
      try {
        await client.connect(transport);
        return new AuthorizedClient(client, keyChain);
      } catch (error) {
        const sentTo = keyChain.sentTo[logins];
        if (!(error instanceof UnauthorizedError) || sentTo === undefined) throw error;
        if (logins === LOGINS_MAX)
          throw new Error(`after ${LOGINS_MAX} logins the router still asks for more`, { cause: error });
        const cameBack = await browse(sentTo);
        await transport.finishAuth(cameBack.searchParams);
      }
    }
  }

  get accessToken(): string {
    return this.keyChain.tokens()?.access_token ?? '';
  }

  get refreshToken(): string {
    return this.keyChain.tokens()?.refresh_token ?? '';
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

function clientFor({ answer }: AuthorizedClientOptions): Client {
  const client = new Client(
    { name: 'roundhouse-e2e', version: '0.1.0' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: REVISION } } },
  );
  client.setRequestHandler('elicitation/create', ({ params }) => {
    if (answer === undefined) throw new Error('nobody is there to answer');
    return answer(params as ElicitRequestFormParams);
  });
  return client;
}

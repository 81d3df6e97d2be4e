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
import { secretWatch } from './secret-watch.js';
import { watchToken } from './secrets-sent.js';

type Tokens = NonNullable<Awaited<ReturnType<OAuthClientProvider['tokens']>>>;
type ToolCall = Parameters<Client['callTool']>[0];
type CallOptions = Parameters<Client['callTool']>[1];
type CallToolResult = Awaited<ReturnType<Client['callTool']>>;

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

  constructor(
    private readonly clientId: string,
    private readonly session: DpopSession | undefined,
  ) {}

  clientInformation(): { client_id: string } {
    return { client_id: this.clientId };
  }

  tokens(): Tokens | undefined {
    return this.kept;
  }

  saveTokens(tokens: Tokens): void {
    this.kept = tokens;
    watchToken('an access token', tokens.access_token);
    watchToken('a refresh token', tokens.refresh_token ?? '');
  }

  redirectToAuthorization(url: URL): void {
    this.sentTo.push(url);
  }

  saveCodeVerifier(verifier: string): void {
    this.verifier = verifier;
    secretWatch.keep('a code verifier', verifier);
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
  readonly clientId?: string;
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
    private readonly logIn: (sentTo: URL) => Promise<void>,
  ) {}

  /** Connects; whenever the router asks for it, the person logs in and the client tries again. */
  static async connect(options: AuthorizedClientOptions): Promise<AuthorizedClient> {
    const { url, clientId = CLIENT_ID, fetch, browse = (sentTo) => walk(sentTo, REDIRECT_URI), dpop } = options;
    const keyChain = new KeyChain(clientId, dpop);
    for (let logins = 0; ; logins += 1) {
      const client = clientFor(options);
      const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: keyChain, fetch });
      const logIn = async (to: URL): Promise<void> => transport.finishAuth((await browse(to)).searchParams);
      try {
        await client.connect(transport);
        return new AuthorizedClient(client, keyChain, logIn);
      } catch (error) {
        const sentTo = keyChain.sentTo[logins];
        if (!(error instanceof UnauthorizedError) || sentTo === undefined) throw error;
        if (logins === LOGINS_MAX)
          throw new Error(`after ${LOGINS_MAX} logins the router still asks for more`, { cause: error });
        await logIn(sentTo);
      }
    }
  }

  /** Calls a tool; when it needs more than the token may, the person logs in for that and the call is made once more. */
  async callTool(call: ToolCall, options?: CallOptions): Promise<CallToolResult> {
    const logins = this.keyChain.sentTo.length;
    try {
      return await this.client.callTool(call, options);
    } catch (error) {
      const sentTo = this.keyChain.sentTo[logins];
      if (!(error instanceof UnauthorizedError) || sentTo === undefined) throw error;
      await this.logIn(sentTo);
      return this.client.callTool(call, options);
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

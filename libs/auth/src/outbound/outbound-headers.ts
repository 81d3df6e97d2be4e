/**
 * The headers of a request to an upstream. What a client sent to prove itself to us never goes on (OAU-7): that is no
 * setting, and holds for headers that nobody thought of here as well, because only named ones are passed.
 */
export type HeaderValues = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Never passed on, whoever asks for it. */
const DENIED: ReadonlySet<string> = new Set([
  ...['authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'dpop', 'dpop-nonce', 'www-authenticate'],
  // Of the hop to us, or about it.
  ...['host', 'connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'content-length'],
  ...['forwarded', 'x-real-ip', 'mcp-session-id'],
]);
const DENIED_PREFIXES = ['x-forwarded-', 'proxy-', 'sec-'];
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]{1,256}$/;

/** What goes to one upstream and to nobody else. */
export interface UpstreamCredential {
  /** `https://host:port` the token was made for. */
  readonly origin: string;
  readonly token: string;
}

export interface OutboundHeaderOptions {
  /** Names that may be passed on, in lower case; the denied ones among them are left out. */
  readonly passed: readonly string[];
  /** Undefined where the upstream needs none. */
  readonly credential: UpstreamCredential | undefined;
}

export function isDeniedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return DENIED.has(lower) || DENIED_PREFIXES.some((prefix) => lower.startsWith(prefix)) || !NAME.test(lower);
}

/** The credential is set only for the origin it was made for: a redirect elsewhere takes none along (B105). */
export function toOutboundHeaders(
  inbound: HeaderValues,
  url: URL,
  { passed, credential }: OutboundHeaderOptions,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of passed) {
    const value = inbound[name];
    if (typeof value === 'string' && !isDeniedHeader(name)) headers[name] = value;
  }
  if (credential !== undefined && credential.origin === url.origin)
    headers['authorization'] = `Bearer ${credential.token}`;
  return headers;
}

/** What an operator can set about who may call: the `auth` part of the router's configuration and the rules that join it. */
import { z } from 'zod';
import { ALGORITHMS, isScope } from '@roundhouse/auth';

const ISSUERS_MAX = 32;
const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

const url = z
  .url({ protocol: /^https?$/ })
  .max(2_048)
  .refine((text) => !/[?#@]/.test(text), 'must have no query, fragment or credentials');
const claimName = z.string().min(1).max(128);
const scope = z
  .string()
  .refine(isScope, 'must be one scope')
  .refine((text) => text !== 'offline_access', 'is for clients to ask, not for a resource to demand');

const introspection = z.strictObject({
  endpoint: url.optional().describe('Where tokens are asked about; by default as the metadata of the issuer says.'),
  clientId: z.string().min(1).max(512).describe('Who we are to the issuer.'),
  clientSecretFile: z.string().min(1).max(4_096).describe('Path of the file with our secret; read for each question.'),
});

const issuer = z.strictObject({
  issuer: url.describe('Exactly what stands in the iss claim of its tokens.'),
  audience: z
    .string()
    .min(1)
    .max(2_048)
    .optional()
    .describe(
      'What has to stand in aud; by default publicUrl. Only for issuers that cannot name a resource by its URL.',
    ),
  algorithms: z
    .array(z.enum(ALGORITHMS))
    .min(1)
    .default([...ALGORITHMS])
    .describe('Signatures that are taken.'),
  jwksUri: url.optional().describe('Where its keys are; by default as its metadata says.'),
  introspection: introspection.optional().describe('Takes tokens that are no JWT, too; for one issuer at most.'),
  requireAtJwt: z
    .boolean()
    .default(true)
    .describe('Takes only tokens of type at+jwt. Switch off for an issuer that does not write it.'),
  scopeClaim: claimName.default('scope').describe('Claim with the scopes: a list divided by spaces, or an array.'),
  clientIdClaim: claimName.default('client_id').describe('Claim with the client.'),
  tenantClaim: claimName.optional().describe('Claim with the tenant; tokens without it are then refused.'),
  claims: z.array(claimName).max(32).default([]).describe('Further claims that policy may look at.'),
});

const failuresPerSource = z.strictObject({
  perMinute: z.int().min(1).max(1_000_000).default(300).describe('How often it may, in the long run.'),
  burst: z.int().min(1).max(1_000_000).default(300).describe('How often at once.'),
});

export const authSchema = z.strictObject({
  mode: z
    .enum(['closed', 'development', 'oauth'])
    .default('closed')
    .describe(
      'closed refuses every call; development believes the principal header and binds to loopback only; oauth takes access tokens.',
    ),
  principalHeader: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/)
    .default('x-roundhouse-principal')
    .describe('Development only: who calls.'),
  issuers: z
    .array(issuer)
    .max(ISSUERS_MAX)
    .default([])
    .describe('Authorization servers whose tokens are taken; clients are told of them in this order.'),
  scopesSupported: z
    .array(scope)
    .max(64)
    .default([])
    .describe('The few scopes that a client should begin with; published.'),
  requiredScopes: z.array(scope).max(16).default([]).describe('Scopes without which no call is served.'),
  dpop: z
    .enum(['off', 'optional', 'required'])
    .default('off')
    .describe('Tokens bound to a key of the client (RFC 9449); needs the replay service.'),
  failuresPerSource: failuresPerSource
    .prefault({})
    .describe(
      'How often one source address may fail authorization at this router before it is told to wait; see trustedProxies.',
    ),
  privateHosts: z
    .array(z.string().min(1).max(253))
    .max(64)
    .default([])
    .describe('Hosts of authorization servers that may have private addresses.'),
});

export type AuthConfig = z.infer<typeof authSchema>;

/** The parts of the configuration that are judged together with `auth`. */
export interface JudgedWithAuth {
  readonly auth: AuthConfig;
  readonly publicUrl: string;
  readonly replay: { readonly addresses: readonly string[]; readonly dns?: unknown };
  readonly development: { readonly allowLoopbackIssuers: boolean };
}

export interface AuthProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export function findAuthProblems(config: JudgedWithAuth): AuthProblem[] {
  const { auth, replay } = config;
  if (auth.mode !== 'oauth') return [];
  const problems: AuthProblem[] = [];
  const say = (message: string, ...path: (string | number)[]): void => void problems.push({ path, message });
  if (auth.issuers.length === 0) say('must not be empty in mode oauth', 'auth', 'issuers');
  if (new Set(auth.issuers.map((each) => each.issuer)).size < auth.issuers.length)
    say('must differ by issuer', 'auth', 'issuers');
  if (auth.issuers.filter((each) => each.introspection !== undefined).length > 1)
    say('only one may have introspection: an opaque token does not say whom to ask', 'auth', 'issuers');
  const hasReplay = replay.addresses.length > 0 || replay.dns !== undefined;
  if (auth.dpop !== 'off' && !hasReplay) say('needs replay: a proof is good for one use', 'auth', 'dpop');
  const wrong = problemOfPublicUrl(config.publicUrl);
  if (wrong !== undefined) say(wrong, 'publicUrl');
  return [...problems, ...findPlainUrls(config)];
}

/** It is what tokens are made for, so there must be one way to write it (C-13), and tokens travel to it. */
function problemOfPublicUrl(text: string): string | undefined {
  const { protocol, hostname, pathname, search, hash, username } = new URL(text);
  if (protocol !== 'https:' && !LOOPBACK_HOSTS.has(hostname)) return 'must be https in mode oauth';
  if (search !== '' || hash !== '' || username !== '' || text.includes('?') || text.includes('#'))
    return 'must have no query, fragment or credentials in mode oauth';
  return pathname !== '/' && pathname.endsWith('/') ? 'must not end in a slash in mode oauth' : undefined;
}

function findPlainUrls({ auth, development }: JudgedWithAuth): AuthProblem[] {
  const urls = auth.issuers.flatMap((each, at) => [
    { text: each.issuer, path: ['auth', 'issuers', at, 'issuer'] },
    { text: each.jwksUri, path: ['auth', 'issuers', at, 'jwksUri'] },
    { text: each.introspection?.endpoint, path: ['auth', 'issuers', at, 'introspection', 'endpoint'] },
  ]);
  const isGood = (text: string): boolean => {
    const { protocol, hostname } = new URL(text);
    return protocol === 'https:' || (development.allowLoopbackIssuers && LOOPBACK_HOSTS.has(hostname));
  };
  return urls.flatMap(({ text, path }) =>
    text === undefined || isGood(text) ? [] : [{ path, message: 'must be https' }],
  );
}

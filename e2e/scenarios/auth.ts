/** Access tokens of a real authorization server, and the official client that fetches them: who may call, and who may not. */
import assert from 'node:assert/strict';
import { DpopSession } from '@modelcontextprotocol/client';
import { OPAQUE_CLIENT_ID } from '../harness/authorization-server.js';
import { AuthorizedClient } from '../harness/authorized-client.js';
import { AuthorizedWorld, NEEDED_SCOPE, TOOL_SCOPE, bearer } from '../harness/authorized-world.js';
import { answersTo, ask, askedBy, completed, retry } from '../harness/flow.js';
import { errorOf, resultOf, sendMcp, toHttp, type McpCall, type McpReply } from '../harness/mcp-request.js';
import { textOf } from '../harness/official-client.js';
import { sendRaw, type HeaderList, type RawReply } from '../harness/raw-client.js';
import { Note, Transfer, accept } from '../harness/reference-tools.js';
import { scenario, scenariosIn } from '../harness/scenario.js';
import { secretWatch } from '../harness/secret-watch.js';
import { keyIdOf, withOtherKey, withOtherSubject } from '../harness/token-text.js';
import { until } from '../harness/until.js';

const METADATA_PATH = '/.well-known/oauth-protected-resource';
/** Above the cool-down between two fetches of an issuer's keys. */
const KEYS_FETCHED_WITHIN_MS = 45_000;

export const scenarios = scenariosIn('auth', () => AuthorizedWorld.start('e2e/auth'), [
  scenario(
    'the official client finds its way from 401 to a call, steps up when a scope is missing, and finishes a flow',
    ['C-03', 'C-06', 'C-10', 'A-14'],
    async ({ world, defer }) => {
      const { person } = world.server;
      const asked: (readonly string[])[] = [];
      person.agreesTo = (scopes) => {
        asked.push(scopes);
        return asked.length === 1 ? scopes.filter((scope) => scope !== NEEDED_SCOPE) : scopes;
      };
      defer(() => (person.agreesTo = (scopes) => scopes));
      const note = new Note(world.cluster, 'Signed minutes');
      const answer = () => ({ action: 'accept', content: { note_id: note.id, confirm: true } }) as const;
      const caller = await AuthorizedClient.connect({ url: world.resource, answer });
      defer(() => caller.close());

      const [first, second, ...others] = caller.keyChain.sentTo;
      assert.equal(others.length, 0);
      assert.equal(first?.searchParams.get('resource'), world.resource);
      assert.equal(first?.searchParams.get('code_challenge_method'), 'S256');
      assert.equal(first?.searchParams.get('scope'), 'mcp:read mcp:call');
      assert.deepEqual(second?.searchParams.get('scope')?.split(' ').sort(), ['mcp:call', 'mcp:read']);

      const result = await caller.client.callTool({
        name: 'notes_delete',
        arguments: { workspaceUri: 'file:///srv/notes', title: note.title },
      });
      assert.equal(textOf(result), 'The note was deleted.');
      assert.equal(note.deletions.length, 1);
      assert.equal(note.exists, false);
    },
  ),

  scenario(
    'what is published about us is the same on every router, whatever a request calls us',
    ['OAU-1', 'B97'],
    async ({ world }) => {
      const expected = {
        resource: world.resource,
        authorization_servers: [world.server.issuer],
        scopes_supported: ['mcp:read'],
        bearer_methods_supported: ['header'],
        dpop_signing_alg_values_supported: ['RS256', 'PS256', 'ES256', 'EdDSA'],
      };
      const hostile: HeaderList = [
        ['Host', 'evil.example'],
        ['X-Forwarded-Host', 'evil.example'],
        ['X-Forwarded-Proto', 'https'],
        ['Forwarded', 'host=evil.example;proto=https'],
      ];
      for (const { port } of world.cluster.routers) {
        for (const path of [METADATA_PATH, `${METADATA_PATH}/mcp`]) {
          for (const headers of [[], hostile]) {
            const { status, text } = await sendRaw({ port, method: 'GET', path, headers });
            assert.deepEqual([status, JSON.parse(text)], [200, expected]);
          }
        }
        const { headers } = await sendMcp(port, { ...echo, headers: hostile.slice(1) });
        assert.ok(
          challengeOf({ headers }).includes(
            `resource_metadata="${new URL(world.resource).origin}${METADATA_PATH}/mcp"`,
          ),
        );
      }
    },
  ),

  scenario(
    'a token that is missing, made for another, changed, or in the address is refused, each in its own way',
    ['C-08', 'C-10'],
    async ({ world }) => {
      const good = await world.server.serviceToken(world.resource);
      const foreign = await world.server.serviceToken('https://other.example.com/mcp');
      const forged = withOtherSubject(good);
      const unsigned = `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')}.${good.split('.')[1]}.`;
      assert.equal(completed(await sendMcp(world.port, { ...echo, headers: bearer(good) })), 'hello');

      const missing = await sendMcp(world.port, echo);
      assert.equal(missing.status, 401);
      assert.equal(challengeOf(missing).includes('error='), false);
      for (const token of [foreign, forged, unsigned, 'x.y.z']) {
        const refused = await sendMcp(world.port, { ...echo, headers: bearer(token) });
        assert.deepEqual([refused.status, errorOf(refused).message], [401, 'The access token is not valid']);
        assert.match(challengeOf(refused), /^Bearer error="invalid_token"/);
      }
      const { headers, body } = toHttp(echo);
      const inAddress = await sendRaw({ port: world.port, path: `/mcp?access_token=${good}`, headers, body });
      assert.equal(inAddress.status, 400);
      assert.match(challengeOf(inAddress), /error="invalid_request"/);
    },
  ),

  scenario(
    'in each round a state is refused from another person and with a token that lost a scope, and goes on with a refreshed one',
    ['D-08', 'D-36', 'C-10', 'OAU-3'],
    async ({ world, defer }) => {
      const alice = await logInToTransfer(world, 'alice', defer);
      const bob = await logInToTransfer(world, 'bob', defer);
      const { server, resource, cluster } = world;
      const refresh = (scope?: string): Promise<string> => server.refresh(alice.refreshToken, resource, scope);
      const lesser = await refresh(`mcp:read ${NEEDED_SCOPE}`);

      const transfer = new Transfer(cluster, 64_107);
      const { params } = transfer.call;
      const callWith = (token: string): McpCall => ({ method: 'tools/call', params, headers: bearer(token) });
      const used = new Set([alice.accessToken]);
      let asked = await ask(world.port, callWith(alice.accessToken));
      for (let round = 1; ; round += 1) {
        const answers = answersTo(asked.inputRequests, transfer.answers);
        const retryWith = (token: string): McpCall => retry(callWith(token), asked.state, answers);
        const assertRefused = async (): Promise<void> => {
          for (const { port } of cluster.routers) {
            const strange = await sendMcp(port, retryWith(bob.accessToken));
            assert.equal(errorOf(strange).message, 'Invalid or expired requestState');
            const reduced = await sendMcp(port, retryWith(lesser));
            assert.equal(reduced.status, 403);
            assert.ok(challengeOf(reduced).includes(`scope="${NEEDED_SCOPE} ${TOOL_SCOPE}"`), challengeOf(reduced));
            assert.equal(
              (await sendMcp(port, retry({ method: 'tools/call', params }, asked.state, answers))).status,
              401,
            );
          }
        };
        await assertRefused();
        const refreshed = await refresh();
        assert.ok(!used.has(refreshed), 'another token in each round');
        used.add(refreshed);
        const reply = await sendMcp(world.port, retryWith(refreshed));
        if (resultOf(reply).resultType === 'complete') {
          assert.equal(round, 3);
          // The stored result, too, is told to its owner alone, and only with the scope.
          await assertRefused();
          assert.equal(completed(await sendMcp(world.port, retryWith(alice.accessToken))), completed(reply));
          break;
        }
        asked = askedBy(reply);
      }
      assert.equal(transfer.transfers.length, 1);
    },
  ),

  scenario(
    'the official client steps up for one tool: what the policy asks for it, and what every call needs, in one login',
    ['C-06', 'OAU-3', 'OAU-4'],
    async ({ world, defer }) => {
      const caller = await AuthorizedClient.connect({ url: world.resource, answer: () => ({ action: 'decline' }) });
      defer(() => caller.close());
      assert.equal(caller.keyChain.sentTo.length, 1);
      const call = { name: 'draft_delete', arguments: { draft: 'welcome' } };
      assert.match(textOf(await caller.callTool(call)), /Nothing.*decline/);
      assert.match(textOf(await caller.callTool(call)), /Nothing.*decline/);
      const [, second, ...others] = caller.keyChain.sentTo;
      assert.equal(others.length, 0);
      assert.deepEqual(second?.searchParams.get('scope')?.split(' ').sort(), ['mcp:call', 'mcp:read', 'mcp:write']);
    },
  ),

  scenario(
    'a token that only its server can read is asked about there, and one that it does not know is refused',
    ['OAU-6'],
    async ({ world, defer }) => {
      const caller = await AuthorizedClient.connect({ url: world.resource, clientId: OPAQUE_CLIENT_ID });
      defer(() => caller.close());
      const { accessToken } = caller;
      assert.equal(accessToken.includes('.'), false);
      for (const { port } of world.cluster.routers) {
        const echoWith = (token: string): Promise<McpReply> => sendMcp(port, { ...echo, headers: bearer(token) });
        assert.equal(completed(await echoWith(accessToken)), 'hello');
        for (const token of [`${accessToken}x`, accessToken.slice(0, -1), caller.refreshToken])
          assert.equal((await echoWith(token)).status, 401);
      }
    },
  ),

  scenario(
    'a token that is bound to a key is good with a proof, and a proof is good once, on whichever router',
    ['OAU-12'],
    async ({ world, defer }) => {
      const dpop = await DpopSession.create({ alg: 'ES256' });
      const caller = await AuthorizedClient.connect({ url: world.resource, dpop });
      defer(() => caller.close());
      const result = await caller.client.callTool({ name: 'echo', arguments: { message: 'bound' } });
      assert.equal(textOf(result), 'bound');

      const { accessToken } = caller;
      const proofFor = (htu: string): Promise<string> => dpop.buildProof({ htm: 'POST', htu, accessToken });
      const send = (proof: string): Promise<McpReply> =>
        sendMcp(world.port, {
          ...echo,
          headers: [
            ['Authorization', `DPoP ${accessToken}`],
            ['DPoP', proof],
          ],
        });
      const proof = await proofFor(world.resource);
      assert.equal(completed(await send(proof)), 'hello');
      for (let time = 0; time < 2; time += 1) {
        const again = await send(proof);
        assert.deepEqual([again.status, errorOf(again).message], [401, 'The DPoP proof is not valid']);
      }
      assert.equal((await send(await proofFor('https://evil.example/mcp'))).status, 401);
      assert.equal((await sendMcp(world.port, { ...echo, headers: bearer(accessToken) })).status, 401);
      assert.equal(completed(await send(await proofFor(world.resource))), 'hello');
    },
  ),

  scenario(
    'no part of a token is in a log, a trace, Redis or an answer',
    ['B141', 'C-09'],
    async ({ world, defer }) => {
      const caller = await AuthorizedClient.connect({ url: world.resource });
      defer(() => caller.close());
      const foreign = await world.server.serviceToken('https://other.example.com/mcp');
      const opaque = 'MARK-opaque-7f31c2';
      const cookie = 'MARK_cookie_90be';
      const answers: RawReply[] = [];
      const note = new Note(world.cluster, 'Quiet minutes');
      const headers: HeaderList = [...bearer(caller.accessToken), ['Cookie', cookie], ['DPoP', cookie]];
      const first = await ask(world.port, { ...note.call, headers });
      answers.push(await sendMcp(world.port, retry({ ...note.call, headers }, first.state, note.confirmation)));
      for (const token of [foreign, opaque, `${opaque} ${opaque}`, `"${opaque}"`]) {
        answers.push(await sendMcp(world.port, { ...echo, headers: bearer(token) }));
        const path = `/mcp?access_token=${encodeURIComponent(token)}`;
        answers.push(await sendRaw({ port: world.port, path, ...toHttp(echo) }));
        answers.push(await sendRaw({ port: world.port, method: 'GET', path: `/elsewhere${path}` }));
      }
      await sendMcp(world.port, { ...throwing, headers });

      secretWatch.hear('Redis', await world.cluster.readRedis());
      secretWatch.hear('answers', answers.map(({ text }) => text.replace(/"requestState":"[^"]*"/, '')).join('\n'));
      assert.deepEqual(secretWatch.leaks(), []);
    },
  ),

  scenario(
    'known keys go on while the authorization server is away, and what it has when it is back is taken on every router',
    ['OAU-8'],
    async ({ world, defer }) => {
      const { server, cluster } = world;
      const known = await server.serviceToken(world.resource);
      const unseen = await server.serviceToken(world.resource);
      const echoWith = (port: number, token: string): Promise<McpReply> =>
        sendMcp(port, { ...echo, headers: bearer(token) });
      for (const { port } of cluster.routers) assert.equal(completed(await echoWith(port, known)), 'hello');
      await server.stop();
      defer(() => server.listen());
      for (const router of cluster.routers) {
        // A key that nobody knows makes the router ask, as soon as it may ask again.
        const cannotFetch = async (): Promise<boolean> => {
          assert.equal((await echoWith(router.port, withOtherKey(known))).status, 401);
          return router.process.output().includes(`the keys of ${server.issuer} cannot be fetched`);
        };
        await until(cannotFetch, { what: `${router.name} cannot fetch the keys`, withinMs: KEYS_FETCHED_WITHIN_MS });
        // The one was verified before and is remembered, the other is verified now.
        for (const token of [known, unseen]) assert.equal(completed(await echoWith(router.port, token)), 'hello');
      }
      await server.changeKey();
      await server.listen();
      const next = await server.serviceToken(world.resource);
      assert.notEqual(keyIdOf(known), keyIdOf(next));
      for (const { name, port } of cluster.routers) {
        const isTaken = async (): Promise<boolean> => (await echoWith(port, next)).status === 200;
        await until(isTaken, { what: `${name} takes the new key`, withinMs: KEYS_FETCHED_WITHIN_MS });
        for (const token of [known, unseen]) assert.equal((await echoWith(port, token)).status, 401);
      }
    },
  ),
]);

const echo: McpCall = { method: 'tools/call', params: { name: 'echo', arguments: { message: 'hello' } } };
/** A tool that does not exist, so that an error passes everything that writes about errors. */
const throwing: McpCall = { method: 'tools/call', params: { name: 'nowhere', arguments: accept({}) } };

function challengeOf({ headers }: Pick<RawReply, 'headers'>): string {
  return headers['www-authenticate'] ?? '';
}

type Defer = (close: () => unknown) => void;

/** Somebody whose token is good for a transfer, because the policy made the client ask for it. */
async function logInToTransfer(
  { server, resource }: AuthorizedWorld,
  name: string,
  defer: Defer,
): Promise<AuthorizedClient> {
  defer(() => (server.person.name = 'alice'));
  server.person.name = name;
  const caller = await AuthorizedClient.connect({ url: resource, answer: () => ({ action: 'cancel' }) });
  defer(() => caller.close());
  const call = { fromAccount: 'checking', toAccount: 'landlord', amount: 1 };
  assert.match(textOf(await caller.callTool({ name: 'bank_transfer', arguments: call })), /Nothing was transferred/);
  return caller;
}

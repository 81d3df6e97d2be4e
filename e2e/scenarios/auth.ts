/** Access tokens of a real authorization server, and the official client that fetches them: who may call, and who may not. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DpopSession } from '@modelcontextprotocol/client';
import { AuthorizedClient } from '../harness/authorized-client.js';
import { AuthorizedWorld, NEEDED_SCOPE, bearer } from '../harness/authorized-world.js';
import { ask, completed, retry } from '../harness/flow.js';
import { errorOf, sendMcp, toHttp, type McpCall, type McpReply } from '../harness/mcp-request.js';
import { textOf } from '../harness/official-client.js';
import { sendRaw, type HeaderList, type RawReply } from '../harness/raw-client.js';
import { readRedis } from '../harness/redis-content.js';
import { Note, accept } from '../harness/reference-tools.js';
import { checkRoundTrip } from '../harness/round-trip-check.js';
import { scenario, scenariosIn } from '../harness/scenario.js';
import { until } from '../harness/until.js';

const METADATA_PATH = '/.well-known/oauth-protected-resource';
/** Above the cool-down between two fetches of an issuer's keys. */
const NEW_KEY_WITHIN_MS = 45_000;

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
    'the check that helm test runs passes with a token, tells a router that is away, and prints no token',
    ['A-14'],
    async ({ world }) => {
      const token = await world.server.serviceToken(world.resource);
      const { routers, folder } = world.cluster;
      const check = { url: world.resource, ports: routers.map(({ port }) => port), folder };
      const whole = await checkRoundTrip({ ...check, token });
      assert.equal(whole.code, 0, whole.output);
      assert.match(whole.output, /confirm_echo completes after 2 rounds/);
      assert.ok(!whole.output.includes(token));

      const refusal = await checkRoundTrip(check);
      assert.equal(refusal.code, 0, refusal.output);
      assert.match(refusal.output, /no token was given/);

      const broken = await checkRoundTrip({ ...check, token: `${token}x` });
      assert.equal(broken.code, 1, broken.output);
      const away = await checkRoundTrip({ ...check, token, ports: [...check.ports, 1] });
      assert.equal(away.code, 1, away.output);
      assert.match(away.output, /127\.0\.0\.1:1 cannot be reached/);
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
      const [header = '', payload = '', signature = ''] = good.split('.');
      const forged = [header, changeSubject(payload), signature].join('.');
      const unsigned = `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')}.${payload}.`;
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
    'a state is refused from another person and goes on with a token that was refreshed meanwhile',
    ['D-08', 'D-36', 'C-10'],
    async ({ world, defer }) => {
      const { person } = world.server;
      defer(() => (person.name = 'alice'));
      const alice = await AuthorizedClient.connect({ url: world.resource });
      defer(() => alice.close());
      person.name = 'bob';
      const bob = await AuthorizedClient.connect({ url: world.resource });
      defer(() => bob.close());

      const note = new Note(world.cluster, 'Shared state');
      const callWith = (token: string): McpCall => ({ ...note.call, headers: bearer(token) });
      const { state } = await ask(world.port, callWith(alice.accessToken));
      const answerWith = (token: string): Promise<McpReply> =>
        sendMcp(world.port, retry(callWith(token), state, note.confirmation));

      for (let time = 0; time < 2; time += 1) {
        assert.equal(errorOf(await answerWith(bob.accessToken)).message, 'Invalid or expired requestState');
        assert.equal((await sendMcp(world.port, retry(note.call, state, note.confirmation))).status, 401);
      }
      assert.equal(note.exists, true);
      const refreshed = await world.server.refresh(alice.refreshToken, world.resource);
      assert.notEqual(refreshed, alice.accessToken);
      assert.equal(completed(await answerWith(refreshed)), 'The note was deleted.');
      // The stored result, too, is told to its owner alone.
      assert.equal(completed(await answerWith(alice.accessToken)), 'The note was deleted.');
      assert.equal(errorOf(await answerWith(bob.accessToken)).message, 'Invalid or expired requestState');
      assert.equal(note.deletions.length, 1);
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

      const secrets = [caller.accessToken, caller.refreshToken, foreign].flatMap((token) => token.split('.'));
      const written: Record<string, string> = {
        ...readOutputs(world.cluster.folder),
        redis: await readRedis(world.cluster.redisPort),
        answers: answers.map(({ text }) => text).join('\n'),
      };
      assert.ok(Object.keys(written).length >= 8);
      for (const [place, text] of Object.entries(written)) {
        for (const secret of [...secrets, opaque, cookie]) {
          const pieces = [secret.slice(-24), secret.slice(0, 64), Buffer.from(secret).toString('base64').slice(0, 32)];
          for (const piece of pieces) assert.equal(text.includes(piece), false, `${piece.slice(0, 6)}… in ${place}`);
        }
      }
    },
  ),

  scenario(
    'a new key is taken on every router, and known keys go on while the authorization server is away',
    ['OAU-8'],
    async ({ world }) => {
      const { server, cluster } = world;
      const before = await server.serviceToken(world.resource);
      await server.addKey();
      const after = await server.serviceToken(world.resource);
      assert.notEqual(kidOf(before), kidOf(after));
      for (const { name, port } of cluster.routers) {
        const isTaken = async (): Promise<boolean> =>
          (await sendMcp(port, { ...echo, headers: bearer(after) })).status === 200;
        await until(isTaken, { what: `${name} takes the new key`, withinMs: NEW_KEY_WITHIN_MS });
      }
      const meanwhile = await server.serviceToken(world.resource);
      await server.stop();
      for (const { port } of cluster.routers) {
        for (const token of [before, after, meanwhile])
          assert.equal(completed(await sendMcp(port, { ...echo, headers: bearer(token) })), 'hello');
      }
      await server.listen();
    },
  ),
]);

const echo: McpCall = { method: 'tools/call', params: { name: 'echo', arguments: { message: 'hello' } } };
/** A tool that does not exist, so that an error passes everything that writes about errors. */
const throwing: McpCall = { method: 'tools/call', params: { name: 'nowhere', arguments: accept({}) } };

function challengeOf({ headers }: Pick<RawReply, 'headers'>): string {
  return headers['www-authenticate'] ?? '';
}

function changeSubject(payload: string): string {
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
  return Buffer.from(JSON.stringify({ ...claims, sub: 'root' })).toString('base64url');
}

function kidOf(token: string): unknown {
  return (JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid?: unknown }).kid;
}

/** Logs and traces; what the tools themselves keep is theirs. */
function readOutputs(folder: string): Record<string, string> {
  const files = readdirSync(folder).filter((file) => /\.(log|jsonl)$/.test(file));
  return Object.fromEntries(files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]));
}

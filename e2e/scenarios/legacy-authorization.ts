/** Clients that are older than the metadata of resources, and how they come to a token (K-20). */
import assert from 'node:assert/strict';
import { AuthorizedWorld, bearer } from '../harness/authorized-world.js';
import { sendRaw } from '../harness/raw-client.js';
import { scenario, scenariosIn } from '../harness/scenario.js';

export const scenarios = scenariosIn('legacy authorization', () => AuthorizedWorld.start('e2e/legacy-authorization'), [
  scenario(
    'a client of 2025-03-26 finds the authorization server at the root of our origin, and is served with its token',
    ['K-20', 'C-03'],
    async ({ world }) => {
      const path = '/.well-known/oauth-authorization-server';
      for (const { port } of world.cluster.routers) {
        const { status, text } = await sendRaw({ port, method: 'GET', path });
        const { issuer, authorization_endpoint, token_endpoint } = JSON.parse(text) as Record<string, unknown>;
        assert.deepEqual([status, issuer], [200, world.server.issuer]);
        for (const endpoint of [authorization_endpoint, token_endpoint])
          assert.ok(String(endpoint).startsWith(world.server.issuer));
      }
      const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'by hand', version: '1' } };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
      const head = [
        ['Content-Type', 'application/json'],
        ['Accept', 'application/json, text/event-stream'],
      ] as const;
      assert.equal((await sendRaw({ port: world.port, headers: head, body })).status, 401);
      const token = await world.server.serviceToken(world.resource);
      const { status, text } = await sendRaw({ port: world.port, headers: [...head, ...bearer(token)], body });
      assert.deepEqual([status, /"protocolVersion":"2025-03-26"/.test(text)], [200, true]);
    },
  ),
]);

/** The check that helm test runs, as a process against real routers that take access tokens. */
import assert from 'node:assert/strict';
import { AuthorizedWorld } from '../harness/authorized-world.js';
import { checkRoundTrip } from '../harness/round-trip-check.js';
import { scenario, scenariosIn } from '../harness/scenario.js';

export const scenarios = scenariosIn('round trip', () => AuthorizedWorld.start('e2e/round-trip'), [
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
]);

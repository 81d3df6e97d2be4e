// What the accounts of the chart may do, asked of the API server with tokens of theirs: each what it is there for, and
// nothing of what its neighbours are there for.
import { randomBytes } from 'node:crypto';
import '../ts-hook.mjs';
import { namespaceOf, RELEASE } from './admission.mjs';

const { run } = await import('../../apps/keys/src/run.ts');

const SLICES = (namespace) => `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`;
const SECRETS = (namespace) => `/api/v1/namespaces/${namespace}/secrets`;
const KEYSET = `${RELEASE}-roundhouse-keyset`;
/** As long as the router's. */
const TOKEN_S = 3_600;

/** A token as a pod of the account is given one. */
export async function tokenOf(client, namespace, account) {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: TOKEN_S },
  };
  const { status, body } = await client.send('POST', path, { body: request });
  if (status !== 201) throw new Error(`no token for ${account}: ${body?.message ?? status}`);
  return body.status.token;
}

/** Which of the pods that the server keeps were given a token for it, by the name of what makes them. */
export function podsWithToken(pods) {
  const hasToken = ({ spec }) =>
    (spec.volumes ?? []).some(({ projected }) => projected?.sources.some((source) => source.serviceAccountToken));
  return pods.filter(hasToken).map(({ metadata }) => metadata.generateName.slice(0, -1));
}

/**
 * @param {object} plane the control plane
 * @param {{ plain: string, rotating: string, other: string, tell: (what: string, held: boolean) => void }} options values
 *   files that were installed: one that makes a keyset, one that rotates it, and a third for its namespace
 */
export async function checkRights(plane, { plain, rotating, other, tell }) {
  const [here, there, elsewhere] = [plain, rotating, other].map(namespaceOf);
  const expect = async (what, wanted, answer) => {
    const { status } = await answer;
    tell(`${what}: ${status}`, status === wanted);
  };
  await checkReaders(plane, { here, elsewhere, expect });
  await checkMaker(plane, { here, elsewhere, expect, tell });
  await checkRotation(plane, { there, expect, tell });
}

async function checkReaders(plane, { here, elsewhere, expect }) {
  const router = await actingAs(plane, here, 'router');
  await expect('the router lists EndpointSlices', 200, router.get(SLICES(here)));
  await expect('the router lists those of another namespace', 403, router.get(SLICES(elsewhere)));
  await expect('the router lists Secrets', 403, router.get(SECRETS(here)));
  await expect('the router lists pods', 403, router.get(`/api/v1/namespaces/${here}/pods`));
  for (const account of ['replay', 'worker-reference']) {
    const stranger = await actingAs(plane, here, account);
    await expect(`${account} lists EndpointSlices`, 403, stranger.get(SLICES(here)));
  }
}

async function checkMaker(plane, { here, elsewhere, expect, tell }) {
  const keys = await keysAs(plane, here, 'keyset-make');
  const made = await keys('add', '--create', '--if-absent');
  tell(`the job makes the keyset: exit ${made.exitCode}`, made.exitCode === 0);
  const again = await keys('add', '--create', '--if-absent');
  tell(`it runs again: ${again.output.trim()}`, again.exitCode === 0 && again.output.includes('stays as it is'));
  const maker = await actingAs(plane, here, 'keyset-make');
  const keyset = `${SECRETS(here)}/${KEYSET}`;
  const patch = { body: {}, type: 'application/merge-patch+json' };
  await expect('it reads the keyset', 403, maker.get(keyset));
  await expect('it changes the keyset', 403, maker.send('PATCH', keyset, patch));
  await expect('it deletes the keyset', 403, maker.send('DELETE', keyset));
  await expect('it lists Secrets', 403, maker.get(SECRETS(here)));
  await expect('it makes one in another namespace', 403, maker.create(secretOf('x'), elsewhere));
}

async function checkRotation(plane, { there, expect, tell }) {
  const make = await keysAs(plane, there, 'keyset-make');
  await make('add', '--create', '--if-absent');
  const rotate = await keysAs(plane, there, 'keyset-rotate');
  for (const command of [['prune'], ['add', '--allow-unreachable']]) {
    const { exitCode, problem } = await rotate(...command);
    tell(`the rotation runs ${command.join(' ')}: exit ${exitCode} ${problem}`.trim(), exitCode === 0);
  }
  await plane.client.create(secretOf('of-somebody-else'), there);
  const rotator = await actingAs(plane, there, 'keyset-rotate');
  await expect('it reads another Secret', 403, rotator.get(`${SECRETS(there)}/of-somebody-else`));
  await expect('it lists Secrets', 403, rotator.get(SECRETS(there)));
  await expect('it makes a Secret', 403, rotator.create(secretOf('x'), there));
  await expect('it deletes the keyset', 403, rotator.send('DELETE', `${SECRETS(there)}/${KEYSET}`));
}

const secretOf = (name) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name } });

async function actingAs({ client }, namespace, account) {
  return client.as(await tokenOf(client, namespace, `${RELEASE}-roundhouse-${account}`));
}

/** roundhouse-keys as the pod of this account runs it. */
async function keysAs({ client, url }, namespace, account) {
  const token = await tokenOf(client, namespace, `${RELEASE}-roundhouse-${account}`);
  const access = { url, namespace, token, ca: client.access.ca.toString() };
  const surroundings = { clock: Date.now, randomBytes, lookup: async () => [], cluster: () => access };
  return (...args) => run(['--secret', KEYSET, ...args], surroundings);
}

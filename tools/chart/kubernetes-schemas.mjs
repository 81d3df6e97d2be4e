// Holds objects against the API types of a Kubernetes release, strictly, and against those of the operators.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { TOOLS } from './helm.mjs';

const validators = new Map();

/** @returns {Promise<string[]>} what is wrong with the object in this release, one line each */
export async function problemsOfObject(object, kubernetes) {
  const operator = await operatorModel(object);
  if (operator !== undefined) return operator.validate(object) ? [] : toLines(operator.validate.errors);
  const validate = validatorOf(object, kubernetes);
  return validate(object) ? [] : toLines(validate.errors);
}

function toLines(errors) {
  return errors.map(({ instancePath, message, params }) => `${instancePath}: ${message} ${JSON.stringify(params)}`);
}

function validatorOf({ apiVersion, kind }, kubernetes) {
  const folder = join(TOOLS.schemas, `v${kubernetes}-local-strict`);
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const file = [kind.toLowerCase(), group.split('.')[0], version].filter((part) => part !== '').join('-');
  const key = `${kubernetes} ${file}`;
  if (!validators.has(key))
    validators.set(key, schemasOf(kubernetes, folder).compile(readJson(join(folder, `${file}.json`))));
  return validators.get(key);
}

const ajvs = new Map();

function schemasOf(kubernetes, folder) {
  if (!ajvs.has(kubernetes)) {
    const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
    ajv.addSchema(readJson(join(folder, '_definitions.json')), 'https://kubernetes.io/api/_definitions.json');
    ajvs.set(kubernetes, ajv);
  }
  return ajvs.get(kubernetes);
}

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

const OPERATOR_SCHEMAS = {
  'gateway.networking.k8s.io/v1 HTTPRoute': 'gateway-api/_schemas/IoK8sSigsGatewayApiApisV1HTTPRoute.js',
  ...Object.fromEntries(
    ['PodMonitor', 'ServiceMonitor', 'PrometheusRule'].map((kind) => [
      `monitoring.coreos.com/v1 ${kind}`,
      `prometheus-operator/_schemas/ComGithubPrometheusOperatorPrometheusOperatorPkgApisMonitoringV1${kind}.js`,
    ]),
  ),
  'cert-manager.io/v1 Certificate':
    'cert-manager/_schemas/ComGithubCertManagerCertManagerPkgApisCertmanagerV1Certificate.js',
  'keda.sh/v1alpha1 ScaledObject': 'keda/_schemas/ComGithubKedacoreKedaV2ApisKedaV1alpha1ScaledObject.js',
};

async function operatorModel({ apiVersion, kind }) {
  const path = OPERATOR_SCHEMAS[`${apiVersion} ${kind}`];
  return path === undefined ? undefined : import(pathToFileURL(join(TOOLS.models, path)).href);
}

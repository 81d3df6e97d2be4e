// Syntax and imports that the house style refuses, as options of ESLint's own no-restricted-* rules.

const MODULES = [
  { selector: 'ExportAllDeclaration', message: 'Name what is exported.' },
  { selector: 'ExportDefaultDeclaration', message: 'Export by name.' },
  { selector: 'ExportSpecifier[exported.name="default"]', message: 'Export by name.' },
  {
    selector: ':matches(ImportDeclaration, ExportNamedDeclaration)[source.value=/^\\.{1,2}\\/(?!.*\\.(m?js|json)$)/]',
    message: 'A relative import ends in .js.',
  },
];

const NEST = [
  { selector: 'Identifier[name="forwardRef"]', message: 'Break the cycle instead of hiding it.' },
  { selector: 'Decorator[expression.callee.name="Global"]', message: 'Import the module where it is used.' },
];

const PARAMETERS = [
  {
    // Parameters that a decorator fills are passed by nobody.
    selector:
      ':function[params.length>3]:not(MethodDefinition[kind="constructor"] > FunctionExpression):not([params.3.decorators.length>0])',
    message: 'At most 3 parameters: use an options object.',
  },
  {
    selector: 'MethodDefinition[kind="constructor"] > FunctionExpression[params.length>4]',
    message: 'At most 4 collaborators: split the class.',
  },
];

export function restrictedSyntax({ parameters = true } = {}) {
  return ['error', ...MODULES, ...NEST, ...(parameters ? PARAMETERS : [])];
}

const REDIS = { name: 'ioredis', message: 'Only libs/replay-claim talks to Redis.' };
const ENVIRONMENT = ['process', 'node:process'].map((name) => ({ name, importNames: ['env', 'default'] }));
// The module boundaries know an app only once it exports something; this holds before.
const APPS = {
  regex: '^@roundhouse/(router|replay|tool-worker|standalone|e2e)(/|$)',
  message: 'Apps are imported by nobody.',
};

/** Each option lifts one ban. */
export function restrictedImports({ redis = false, environment = false, apps = false } = {}) {
  const paths = [...(redis ? [] : [REDIS]), ...(environment ? [] : ENVIRONMENT)];
  return ['error', { paths, patterns: apps ? [] : [APPS] }];
}

export const restrictedEnvironment = [
  'error',
  { object: 'process', property: 'env', message: 'The environment is read once, in config.ts, and handed on.' },
];

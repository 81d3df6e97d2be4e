// Which project may import which, by the tags in each package.json. Imports run one way:
// errors ← wire ← core ← kit ← app ← composition; core libraries do not import each other: what several of them need,
// telemetry's names and how a file is followed, lies below them.

const BELOW = {
  errors: [],
  wire: ['errors'],
  telemetry: ['errors', 'wire'],
  files: ['errors'],
  core: ['errors', 'wire', 'telemetry', 'files'],
  kit: ['errors', 'wire', 'telemetry', 'files', 'core'],
  app: ['errors', 'wire', 'telemetry', 'files', 'core', 'kit'],
  composition: ['errors', 'wire', 'telemetry', 'files', 'core', 'kit', 'app'],
  testing: ['errors', 'wire'],
  // Scenarios talk to the processes over the network, as a client would.
  e2e: ['testing'],
};
const FRAMEWORK_FREE = ['errors', 'wire', 'telemetry', 'files', 'core'];
const FRAMEWORK = ['@nestjs/*', '@nestjs/*/**'];

const SCOPES = ['router', 'worker', 'replay'].map((scope) => ({
  sourceTag: `scope:${scope}`,
  onlyDependOnLibsWithTags: [`scope:${scope}`, 'scope:any'],
}));

/** Options of `@nx/enforce-module-boundaries`; `testing` opens libs/testing to a project's specs. */
export function moduleBoundaries({ testing = false, apps = [] } = {}) {
  const layers = Object.entries(BELOW).map(([layer, below]) => ({
    sourceTag: `layer:${layer}`,
    onlyDependOnLibsWithTags: [...below, ...(testing ? ['testing'] : [])].map((name) => `layer:${name}`),
    ...(FRAMEWORK_FREE.includes(layer) ? { bannedExternalImports: FRAMEWORK } : {}),
  }));
  return {
    // Apps are imported by nobody; only the composition of all of them is given their names here.
    allow: apps,
    // What libs/testing is built on may use it in specs: no module imports itself that way.
    ignoredCircularDependencies: testing ? [['@roundhouse/testing', '@roundhouse/*']] : [],
    depConstraints: [
      ...layers,
      ...SCOPES,
      { sourceTag: 'scope:any', onlyDependOnLibsWithTags: ['scope:any'] },
      { sourceTag: 'scope:worker', notDependOnLibsWithTags: ['holds:sealing-keys'] },
      { sourceTag: 'scope:replay', notDependOnLibsWithTags: ['holds:sealing-keys'] },
    ],
  };
}

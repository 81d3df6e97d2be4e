import { findNameProblems, problemsOfPath, problemsOfText } from './names.mjs';

const OPENING = '/** Opens what was sealed, and nothing else than that. */\n';

describe('names of files and folders', () => {
  it.each([
    'apps/router/src/intake/body.ts',
    'apps/router/src/app.module.ts',
    'libs/sealed-state/src/index.ts',
    'libs/replay-claim/src/claim.redis.spec.ts',
    'libs/protocol/src/2026-07-28/limits.ts',
    'e2e/README.md',
    'apps/router/Dockerfile',
    'docs/adr/0001-Anything.md',
    'charts/roundhouse/templates/_helpers.tpl',
  ])('allows %s', (path) => {
    expect(problemsOfPath(path)).toEqual([]);
  });

  it.each([
    ['libs/auth/src/utils.ts', 'does not say what it is for'],
    ['libs/auth/src/helpers/token.ts', 'does not say what it is for'],
    ['libs/common/src/token.ts', 'does not say what it is for'],
    ['libs/auth/src/token.types.ts', 'does not say what it is for'],
    ['tools/misc/a.mjs', 'does not say what it is for'],
    ['e2e/shared/a.ts', 'does not say what it is for'],
    ['apps/router/src/token.service.ts', 'say the role'],
    ['apps/router/src/tokenVerifier.ts', 'not kebab-case'],
    ['apps/router/src/Token.ts', 'not kebab-case'],
    ['apps/router/src/token_verifier.ts', 'not kebab-case'],
    ['apps/router/src/index.ts', 'may be an index'],
    ['libs/auth/src/jwt/index.ts', 'may be an index'],
  ])('refuses %s', (path, problem) => {
    expect(problemsOfPath(path).join()).toContain(problem);
  });
});

describe('what a file opens with', () => {
  const path = 'libs/auth/src/token-verifier.ts';

  it.each([OPENING, '#!/usr/bin/env node\n// Opens what was sealed, and nothing else than that.\n', `\n${OPENING}`])(
    'takes a comment that tells its job: %j',
    (text) => {
      expect(problemsOfText({ path, text })).toEqual([]);
    },
  );

  it.each([
    '',
    "import 'x';\n",
    `import 'x';\n${OPENING}`,
    '/** Verifier. */\n',
    '/******************************************/\n',
  ])('refuses %j', (text) => {
    expect(problemsOfText({ path, text })).toEqual(['the file must open with a comment that tells its job']);
  });

  it('asks nothing of specs, indexes and files outside apps and libs', () => {
    for (const other of ['libs/auth/src/a.spec.ts', 'libs/auth/src/index.ts', 'tools/a.mjs', 'e2e/a.ts']) {
      expect(problemsOfText({ path: other, text: 'export {};\n' })).toEqual([]);
    }
  });
});

describe('reminders', () => {
  const path = 'tools/a.mjs';
  const word = ['TO', 'DO'].join('');

  it('refuses one without an issue number, by its line', () => {
    expect(problemsOfText({ path, text: `\n// ${word}: later\n` })).toEqual([
      'line 2: a reminder without an issue number',
    ]);
  });

  it('takes one with an issue number, and the word as text', () => {
    expect(problemsOfText({ path, text: `// ${word}(#12): later\nconst list = '${word}';\n` })).toEqual([]);
  });
});

describe('exemptions', () => {
  const exempt = ['// eslint', 'disable-next-line max-depth'].join('-');

  it('refuses one that does not say why', () => {
    expect(problemsOfText({ path: 'tools/a.mjs', text: `${exempt}\n` })).toEqual([
      'line 1: an exemption that does not say why',
    ]);
  });

  it('takes one that says why', () => {
    expect(
      problemsOfText({ path: 'tools/a.mjs', text: `${exempt} -- a state machine reads better in one piece\n` }),
    ).toEqual([]);
  });
});

it('tells each problem with its file', () => {
  const sources = [{ path: 'libs/auth/src/a.ts', text: '' }];
  expect(findNameProblems(['libs/auth/src/utils.ts'], sources)).toEqual([
    'libs/auth/src/utils.ts: "utils" does not say what it is for',
    'libs/auth/src/a.ts: the file must open with a comment that tells its job',
  ]);
});

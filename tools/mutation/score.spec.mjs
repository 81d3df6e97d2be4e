import { scoreOf, survivorsOf } from './score.mjs';

const of = (statuses) => statuses.map((status) => ({ status }));

it('counts a mutant that hangs as noticed, and one that no spec runs as not', () => {
  const mutants = of(['Killed', 'Killed', 'Timeout', 'Survived', 'NoCoverage']);
  expect(scoreOf(mutants)).toEqual({ score: 60, killed: 2, survived: 1, timeout: 1, noCoverage: 1 });
});

it.each(['Ignored', 'RuntimeError', 'CompileError'])('lets a mutant that is %s count neither way', (status) => {
  expect(scoreOf(of(['Killed', 'Survived', status])).score).toBe(50);
});

it('never rounds up to what was asked for', () => {
  expect(scoreOf(of([...Array(79_999).fill('Killed'), ...Array(20_001).fill('Survived')])).score).toBe(79.99);
});

it('takes no mutants for no score, not for a full one', () => {
  expect(scoreOf([]).score).toBe(0);
});

it('tells where those are that nobody noticed, in the order of the files', () => {
  const at = (fileName, line, rest) => ({
    fileName,
    location: { start: { line, column: 3 } },
    mutatorName: 'BlockStatement',
    replacement: '{}',
    ...rest,
  });
  const mutants = [
    at('/ws/libs/b.ts', 2, { status: 'Survived', replacement: '{\n  return;\n}' }),
    at('/ws/libs/b.ts', 1, { status: 'Killed' }),
    at('/ws/libs/a.ts', 12, { status: 'NoCoverage' }),
    at('/ws/libs/a.ts', 9, { status: 'Survived' }),
  ];
  expect(survivorsOf(mutants, '/ws/')).toEqual([
    'libs/a.ts:9:3 survived: BlockStatement, {}',
    'libs/a.ts:12:3 never run: BlockStatement, {}',
    'libs/b.ts:2:3 survived: BlockStatement, { return; }',
  ]);
});

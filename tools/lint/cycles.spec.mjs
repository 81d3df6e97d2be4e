import { findCycles } from './cycles.mjs';

const file = (name, text) => ({ path: `libs/auth/src/${name}`, text });

it('finds a cycle of two files', () => {
  const sources = [file('a.ts', "import { b } from './b.js';\n"), file('b.ts', "import { a } from './a.js';\n")];
  expect(findCycles(sources)).toEqual(['libs/auth/src/a.ts -> libs/auth/src/b.ts -> libs/auth/src/a.ts']);
});

it('finds a cycle through a folder, a re-export and an import over several lines', () => {
  const sources = [
    file('a.ts', "import {\n  b,\n} from './jwt/b.js';\n"),
    file('jwt/b.ts', "export { c } from '../c.js';\n"),
    file('c.ts', "import './a.js';\n"),
  ];
  expect(findCycles(sources)).toHaveLength(1);
});

it('finds a file that imports itself', () => {
  expect(findCycles([file('a.ts', "import { a } from './a.js';\n")])).toHaveLength(1);
});

it('finds a cycle between scripts', () => {
  const sources = [
    { path: 'tools/a.mjs', text: "import { b } from './b.mjs';\n" },
    { path: 'tools/b.mjs', text: "import { a } from './a.mjs';\n" },
  ];
  expect(findCycles(sources)).toHaveLength(1);
});

it('counts no import of types alone, no diamond and no package', () => {
  const sources = [
    file('a.ts', "import { b } from './b.js';\nimport { c } from './c.js';\nimport { z } from 'zod';\n"),
    file('b.ts', "import { c } from './c.js';\nimport type { A } from './a.js';\n"),
    file('c.ts', "export type { A } from './a.js';\nconst text = 'from ./a.js';\n"),
  ];
  expect(findCycles(sources)).toEqual([]);
});

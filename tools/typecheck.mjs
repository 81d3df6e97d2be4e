// npm run typecheck: the whole workspace as one program.
import { runNode, tool } from './child.mjs';
import { readArguments } from './usage.mjs';

readArguments({
  usage: 'Usage: npm run typecheck\n\nChecks the types of all TypeScript in apps, libs and e2e. Writes nothing.',
});
const { code } = await runNode([tool('@typescript/native/bin/tsc'), '-p', 'tsconfig.json']);
process.exitCode = code;

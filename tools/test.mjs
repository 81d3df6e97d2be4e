// npm test: every spec of every project in one Jest run.
import { runNode, tool } from './child.mjs';
import { readArguments } from './usage.mjs';

const { rest } = readArguments({
  passThrough: true,
  usage: `
Usage: npm test [-- <jest arguments>]

Runs all specs in one process tree. Specs that need Redis start a redis-server of their own
(REDIS_SERVER names the binary; as root on Debian a missing one is installed).

  npm test -- sealed-state            specs whose path contains the words
  npm test -- --selectProjects router the specs of one project
  npm test -- --json --outputFile=f   also write the results to a file
`,
});
const { code } = await runNode(['--experimental-vm-modules', '--no-warnings', tool('jest/bin/jest.js'), ...rest]);
process.exitCode = code;

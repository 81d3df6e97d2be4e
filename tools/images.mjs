// npm run images: whether the images build, come out the same twice, and work as production would run them.
import { readArguments } from './usage.mjs';
import { runTypeScript } from './run-typescript.mjs';

readArguments({
  options: { json: { type: 'boolean', default: false } },
  usage: `
Usage: npm run images [-- --json]

Builds the image of every app with buildah over a Debian that mmdebstrap makes, with Node 24 and npm from their packages:
no registry of images is asked. Each image is built twice, from nothing, and must come out with the same digest. Then runc
starts each one without root, on a read-only file system, with a memory limit; the check that helm test runs goes through
two routers, two workers and the replay service. Archives for any registry are left in out/images. Takes five to nine
minutes on two cores.

Needs Linux and root; installs buildah, runc, mmdebstrap and redis-server from Debian where they are missing.

  --json   print {"images","starts","heaps","roundTrip","failed"} as the last line

Ends with 1 when something is not as it should be.
`,
});
await runTypeScript('e2e/images/run.ts');

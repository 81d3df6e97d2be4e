// Takes the pictures of the console in docs/images, from a running system with traffic.
import { readArguments } from './usage.mjs';
import { runTypeScript } from './run-typescript.mjs';

readArguments({
  passThrough: true,
  usage: `
Usage: node tools/console-pictures.mjs [--seconds <n>]

Starts a system with three workers, calls it for a good minute, or for the seconds given, and takes the pictures of its
console that docs/observability.md shows: docs/images/console-desktop.png, console-dark.png and console-phone.png.
Needs Chromium (Debian's package chromium, or the program that CHROMIUM names).
`,
});
await runTypeScript('e2e/console/pictures.ts');

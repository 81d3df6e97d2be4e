// Runs the workspace's TypeScript from source: node --import ./tools/ts-hook.mjs <file.ts>
// Libraries resolve through the @roundhouse/source export condition, SWC compiles with decorator metadata.
import { register } from 'node:module';

register('./ts-loader.mjs', import.meta.url);

// npm start: router, reference tool worker and replay service in this process.
import { readArguments } from './usage.mjs';
import { runTypeScript } from './run-typescript.mjs';

readArguments({
  usage: `
Usage: npm start

Starts the whole gateway in one process, with tools to try and no outside service.
Settings: docs/configuration.md (environment variables, or a YAML file named by ROUNDHOUSE_CONFIG_FILE).
SIGTERM or Ctrl-C lets calls in flight finish, then ends it.
`,
});
await runTypeScript('apps/standalone/src/main.ts');

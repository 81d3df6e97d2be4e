export { printConfigProblem } from './config-problem.js';
export { CONFIG_FILE_BYTES_MAX, CONFIG_FILE_ENV, readConfigText } from './config-file.js';
export { defineConfig, type ConfigDefinition, type ConfigSpec } from './define-config.js';
export type { ConfigField } from './config-fields.js';

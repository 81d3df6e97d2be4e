// What every script of ours understands: --help prints its usage and ends with 0, an unknown option with 2.
import { parseArgs } from 'node:util';

/** @returns {{ values: Record<string, unknown>, rest: string[] }} options by name, and what else was given */
export function readArguments({ usage, options = {}, passThrough = false, args = process.argv.slice(2) }) {
  if (args.some((arg) => arg === '--help' || arg === '-h')) {
    process.stdout.write(`${usage.trim()}\n`);
    process.exit(0);
  }
  if (passThrough) return { values: {}, rest: args };
  try {
    const { values } = parseArgs({ args, options, allowPositionals: false });
    return { values, rest: [] };
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${usage.trim()}\n`);
    process.exit(2);
  }
}

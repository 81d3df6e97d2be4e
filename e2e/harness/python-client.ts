/**
 * The official Python client (`mcp` 2.x), where there is a Python that has it: the one that `PYTHON` names, or python3.
 * The scenarios install nothing; without it they are not run, and say so.
 */
import { spawn, execFile } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Json } from './mcp-request.js';
import { NotPresent } from './scenario.js';

const run = promisify(execFile);
const CLIENT = fileURLToPath(new URL('../clients/python/call-tool.py', import.meta.url));
const ASK_VERSION = 'from importlib.metadata import version; print(version("mcp"))';
const CALL_WITHIN_MS = 30_000;

export interface PythonCall {
  readonly url: string;
  readonly principal: string;
  readonly tool: string;
  readonly arguments: Json;
  /** `legacy` as a client of 2025; absent: of 2026-07-28. */
  readonly mode?: 'legacy';
  /** What the person does with every question. */
  readonly action: string;
  /** Content of whoever accepts, by field. */
  readonly answers: Json;
  readonly roots: readonly string[];
  /** What its model says. */
  readonly sample: string;
}

export interface PythonOutcome {
  readonly text: string;
  /** Messages of what was asked, in order. */
  readonly asked: readonly string[];
}

let present: Promise<string> | undefined;

/** @throws NotPresent where there is no such Python */
export async function callWithPython(call: PythonCall): Promise<PythonOutcome> {
  const child = spawn(await pythonWithMcp(), [CLIENT], { stdio: ['pipe', 'pipe', 'pipe'], timeout: CALL_WITHIN_MS });
  let [out, complaints] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (complaints += chunk));
  child.stdin.end(JSON.stringify(call));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`the Python client ended with ${code}:\n${complaints}`);
  return JSON.parse(out) as PythonOutcome;
}

/** @throws NotPresent where there is no such Python */
export function pythonWithMcp(): Promise<string> {
  return (present ??= findPython());
}

async function findPython(): Promise<string> {
  const python = process.env['PYTHON'] ?? 'python3';
  const version = await run(python, ['-c', ASK_VERSION]).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
  if (version?.startsWith('2.') === true) return python;
  const why = version === undefined ? 'has no package mcp' : `has mcp ${version}`;
  throw new NotPresent(`${python} ${why}; set PYTHON to one with mcp 2.x`);
}

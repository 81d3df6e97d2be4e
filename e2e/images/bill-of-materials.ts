/** The list of what is in an image, written beside its archive by the script that a release would use. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../harness/workspace.js';
import { runProgram } from './command.js';

export interface BillOptions {
  readonly app: string;
  readonly digest: string;
  readonly file: string;
}

interface Bill {
  readonly components: readonly { readonly 'bom-ref': string }[];
}

/** Resolves with the paths that it names. */
export async function writeBillOfMaterials({ app, digest, file }: BillOptions): Promise<string[]> {
  const script = join(ROOT, 'tools/bill-of-materials.mjs');
  await runProgram(process.execPath, [script, '--app', app, '--digest', digest, '--out', file]);
  const { components } = JSON.parse(readFileSync(file, 'utf8')) as Bill;
  return components.map((component) => component['bom-ref']);
}

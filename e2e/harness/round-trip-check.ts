/** The check that helm test runs, as a process of its own against routers on loopback. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, programOf } from './workspace.js';

export interface RoundTripCheck {
  readonly url: string;
  /** MCP ports of routers. */
  readonly ports: readonly number[];
  /** Absent: only the refusal is checked. */
  readonly token?: string;
  /** Where the file with the token is put. */
  readonly folder: string;
}

export async function checkRoundTrip(options: RoundTripCheck): Promise<{ code: number | null; output: string }> {
  const { url, ports, token, folder } = options;
  const args = [`--url=${url}`, '--wait=1', ...ports.map((port) => `--router=127.0.0.1:${port}`)];
  if (token !== undefined) {
    const file = join(folder, 'round-trip.token');
    writeFileSync(file, token, { mode: 0o600 });
    args.push(`--token-file=${file}`);
  }
  const child = spawn(process.execPath, [...programOf('round-trip'), ...args], { cwd: ROOT });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

/**
 * Seals and opens a state of 2 KiB, over and over, as a process of its own, and prints the processor time of one pair in
 * microseconds.
 */
import { createHash } from 'node:crypto';
import { Keyset, SealingKey, StateSealer } from '../src/index.js';

const TEXT_BYTES = 2_048;
const WARM_UP_PAIRS = 50_000;
const PAIRS = 50_000;
const CONTEXT = ['', 'bench'];

const key = new SealingKey({
  kid: '00000000000000be',
  material: createHash('sha256').update('a key for the benchmark').digest(),
  createdAtMs: 0,
  activateAtMs: 0,
  retireAtMs: Infinity,
  destroyAtMs: Infinity,
  enabled: true,
});
const keyset = new Keyset([key]);
const sealer = new StateSealer({ keyset: () => keyset, audience: 'https://mcp.example/mcp', clock: Date.now });
const text = JSON.stringify({ asked: 'x'.repeat(TEXT_BYTES - 12) });

function pairs(count: number): void {
  for (let done = 0; done < count; done += 1) {
    const opened = sealer.open('request-state', CONTEXT, sealer.seal('request-state', CONTEXT, text));
    if (!opened.ok || opened.plaintext.length !== text.length) throw new Error('a state did not open');
  }
}

pairs(WARM_UP_PAIRS);
const before = process.cpuUsage();
pairs(PAIRS);
const { user, system } = process.cpuUsage(before);
process.stdout.write(`${(user + system) / PAIRS}\n`);

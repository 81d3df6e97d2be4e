/**
 * Takes the pictures of the console that the documentation shows, from a running system.
 * Usage: node tools/console-pictures.mjs [-- --seconds <n>]
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { startChromium } from '../harness/chromium.js';
import { ROOT } from '../harness/workspace.js';
import { BusySystem } from './busy-system.js';

/** So that the last minute is full. */
const SECONDS_DEFAULT = 64;

const PICTURES = [
  { name: 'console-desktop', width: 1200, height: 900, colorScheme: 'light' },
  { name: 'console-dark', width: 1200, height: 900, colorScheme: 'dark' },
  { name: 'console-phone', width: 360, height: 780, colorScheme: 'light' },
] as const;

process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));

const at = process.argv.indexOf('--seconds');
const seconds = at < 0 ? SECONDS_DEFAULT : Number(process.argv[at + 1]);
const folder = join(ROOT, 'docs/images');
mkdirSync(folder, { recursive: true });
const browser = await startChromium();
const system = await BusySystem.start('console-pictures');
try {
  await system.loseWorker();
  await system.settle();
  for (let second = 0; second < seconds; second += 1) await Promise.all([system.second(), sleep(1_000)]);
  await system.holdCalls();
  for (const picture of PICTURES) await Promise.all([take(browser, picture), system.second()]);
} finally {
  await browser.close();
  await system.stop();
}
process.exit(0);

async function take(on: Browser, { name, width, height, colorScheme }: (typeof PICTURES)[number]): Promise<void> {
  const page = await on.newPage({ viewport: { width, height }, deviceScaleFactor: 2, colorScheme });
  await page.goto(`http://127.0.0.1:${system.adminPort}/console`);
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  await page.close();
  process.stdout.write(`docs/images/${name}.png\n`);
}

/** A real browser without a window, for pages that people look at: Debian's Chromium, which loads nothing by itself. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import { NotPresent } from './scenario.js';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

const ARGS = [
  '--headless',
  // It shows pages of this repository alone, and a container has no user namespaces to sandbox it with.
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** With a new profile in a folder that goes with it. @throws NotPresent where there is no browser */
export async function startChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: findChromium(), args: ARGS });
}

function findChromium(): string {
  const { CHROMIUM = '', PATH = '' } = process.env;
  if (CHROMIUM !== '') return CHROMIUM;
  const places = PATH.split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)));
  const found = places.find((place) => isProgram(place));
  if (found === undefined)
    throw new NotPresent('there is no chromium on PATH: apt-get install chromium, or set CHROMIUM');
  return found;
}

function isProgram(place: string): boolean {
  try {
    accessSync(place, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

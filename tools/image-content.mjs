// What goes into the image of each app: compiled projects, and the packages of production that they need.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './child.mjs';
import { packagesOf } from './installed-packages.mjs';

/** What an image holds besides its own app. */
const BESIDES = {
  router: ['keys', 'round-trip'],
  replay: [],
  'tool-worker': [],
  standalone: ['router', 'replay', 'tool-worker'],
};
/** Compiles, which is over when an image is made. */
const BUILD_ONLY = ['@swc/core'];

export const IMAGES = Object.keys(BESIDES);

export const readJson = (path) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));

/** @returns {{ projects: string[], packages: string[] }} paths from the root of the workspace */
export function contentOf(app) {
  const libraries = readdirSync(join(ROOT, 'libs')).filter((name) => name !== 'testing');
  const projects = [
    ...[app, ...BESIDES[app]].map((name) => `apps/${name}`),
    ...libraries.map((name) => `libs/${name}`),
  ];
  const lock = readJson('package-lock.json');
  return { projects, packages: packagesOf(lock.packages, { without: BUILD_ONLY, projects }) };
}

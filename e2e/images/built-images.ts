/** Every image, built twice from nothing: two stores that share no layer have to come to the same digests. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../harness/workspace.js';
import { makeBaseContext } from './base-image.js';
import { ImageArchive } from './image-archive.js';
import { ImageStore } from './image-store.js';
import { removeWithMounts } from './mounts-below.js';
import { registryVolumes } from './registry-access.js';

export const APPS = ['router', 'replay', 'tool-worker', 'standalone'] as const;
export type ImageApp = (typeof APPS)[number];

export interface BuiltImage {
  readonly app: ImageApp;
  readonly archive: ImageArchive;
  /** Of the second build, if it differs. */
  readonly otherDigest: string | undefined;
  readonly buildMs: number;
}

export async function buildImages(out: string, work: string, print: (line: string) => void): Promise<BuiltImage[]> {
  const sourceDateEpoch = lastCommitTime();
  const base = await makeBaseContext(out, sourceDateEpoch);
  const settings = { volumes: await registryVolumes(join(work, 'npm')), sourceDateEpoch };
  const inStore = async (name: string, folder: string): Promise<Built[]> => {
    const store = await ImageStore.open(join(work, name), settings);
    print(`${name} with buildah on ${store.driver}`);
    try {
      await store.buildBase(base);
      return await buildAll(store, folder);
    } finally {
      await removeWithMounts(join(work, name));
    }
  };
  const first = await inStore('first build', out);
  const second = await inStore('second build', work);
  return first.map(({ app, archive, buildMs }, at) => {
    const digest = second[at]?.archive.digest;
    return { app, archive, buildMs, otherDigest: digest === archive.digest ? undefined : digest };
  });
}

type Built = Omit<BuiltImage, 'otherDigest'>;

async function buildAll(store: ImageStore, folder: string): Promise<Built[]> {
  const images: Built[] = [];
  for (const app of APPS) {
    const startedMs = performance.now();
    await store.buildApp(app);
    const buildMs = performance.now() - startedMs;
    const path = join(folder, `${app}.tar`);
    await store.save(app, path);
    images.push({ app, archive: await ImageArchive.read(path), buildMs });
  }
  return images;
}

/** As a release would have it; outside a clone, the time that the environment gives. */
function lastCommitTime(): string {
  const given = process.env['SOURCE_DATE_EPOCH'];
  if (given !== undefined) return given;
  return execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: ROOT, encoding: 'utf8' }).trim();
}

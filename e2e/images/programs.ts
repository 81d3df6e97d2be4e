/** What builds and runs images, from Debian: none of it is part of the workspace. */
import { findOnPath, installDebianPackage } from '@roundhouse/testing';

const PROGRAMS = ['mmdebstrap', 'buildah', 'runc'];

/** They are used as root, for a base file system has owners and a container has a user of its own. */
export async function ensurePrograms(): Promise<void> {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot) throw new Error('npm run images needs Linux and root: it makes file systems and containers');
  for (const name of PROGRAMS) {
    if (findOnPath(name, process.env) !== undefined) continue;
    const otherwise = 'Images can also be built with docker build: see deploy/docker/Dockerfile.';
    await installDebianPackage({ name, isThere: `command -v ${name}`, env: process.env, isRoot, otherwise });
  }
}

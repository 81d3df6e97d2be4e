/** Lets go of what a build mounted and an interrupted run left mounted: a folder with mounts in it cannot be removed. */
import { readFileSync, rmSync } from 'node:fs';
import { runProgram } from './command.js';

export async function removeWithMounts(folder: string): Promise<void> {
  // The innermost first.
  for (const place of mountsBelow(folder, readFileSync('/proc/self/mountinfo', 'utf8')).reverse())
    await runProgram('umount', [place]);
  rmSync(folder, { recursive: true, force: true });
}

/** In the order in which they were mounted. Spaces in paths are written \040 there. */
export function mountsBelow(folder: string, mountInfo: string): string[] {
  const places = mountInfo.split('\n').map((line) => line.split(' ')[4] ?? '');
  return places.map((place) => place.replaceAll('\\040', ' ')).filter((place) => place.startsWith(`${folder}/`));
}

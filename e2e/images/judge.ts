/** What is wrong with an image or a container that came up, in words. */
import type { BuiltImage } from './built-images.js';
import { readConfinement, readMemoryLimit, type Confinement } from './confinement.js';
import type { Container } from './container.js';
import type { UnpackedImages } from './unpacked-images.js';

const MIB = 1024 * 1024;

export function problemsOfImage({ app, archive, otherDigest }: BuiltImage, images: UnpackedImages): string[] {
  const development = images.developmentPackages(app);
  return [
    ...(otherDigest === undefined ? [] : [`${app}: built twice, ${archive.digest} and ${otherDigest}`]),
    ...(development.length === 0 ? [] : [`${app}: holds ${development.join(', ')}, which only development needs`]),
  ];
}

export interface ContainerFinding {
  readonly name: string;
  readonly startMs: number;
  readonly confinement: Confinement;
  readonly memoryLimit: number | undefined;
}

export function inspect(container: Container): ContainerFinding {
  const { name, startMs, pid } = container;
  return { name, startMs, confinement: readConfinement(pid), memoryLimit: readMemoryLimit(pid) };
}

export function problemsOfContainer({ name, confinement, memoryLimit }: ContainerFinding, memoryMiB: number): string[] {
  const { uid, hasCapabilities, canGainPrivileges, isRootReadOnly } = confinement;
  const wrong: readonly (readonly [boolean, string])[] = [
    [!(uid > 0), `runs as user ${uid}`],
    [hasCapabilities, 'has capabilities'],
    [canGainPrivileges, 'can gain privileges'],
    [!isRootReadOnly, 'can write to its root'],
    [memoryLimit !== memoryMiB * MIB, `has a memory limit of ${memoryLimit ?? 'nothing'} instead of ${memoryMiB} MiB`],
  ];
  return wrong.filter(([is]) => is).map(([, words]) => `${name}: ${words}`);
}

/** What the kernel holds a running container to, read from its process: not what it was asked to do. */
import { readFileSync } from 'node:fs';

export interface Confinement {
  readonly uid: number;
  readonly hasCapabilities: boolean;
  readonly canGainPrivileges: boolean;
  readonly isRootReadOnly: boolean;
  /** Resident now, and the most it ever was. */
  readonly residentBytes: number;
  readonly residentBytesMax: number;
}

export function readConfinement(pid: number): Confinement {
  return toConfinement(readFileSync(`/proc/${pid}/status`, 'utf8'), readFileSync(`/proc/${pid}/mountinfo`, 'utf8'));
}

/** Undefined: no limit. */
export function readMemoryLimit(pid: number): number | undefined {
  const lines = readFileSync(`/proc/${pid}/cgroup`, 'utf8').trim().split('\n');
  const file = memoryFileOf(lines);
  if (file === undefined) return undefined;
  const limit = Number(readFileSync(file, 'utf8').trim());
  // "max", or what the first version of control groups has for it.
  return Number.isSafeInteger(limit) ? limit : undefined;
}

/** The first version of control groups has a hierarchy for memory; the second one has one for all. */
export function memoryFileOf(lines: readonly string[]): string | undefined {
  const paths = lines.map((line) => /^\d+:([^:]*):(.*)$/.exec(line));
  const first = paths.find((match) => match?.[1]?.split(',').includes('memory'))?.[2];
  if (first !== undefined) return `/sys/fs/cgroup/memory${first}/memory.limit_in_bytes`;
  const second = paths.find((match) => match?.[1] === '')?.[2];
  return second === undefined ? undefined : `/sys/fs/cgroup${second}/memory.max`;
}

export function toConfinement(status: string, mountInfo: string): Confinement {
  const field = (name: string): string => new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(status)?.[1] ?? '';
  const root = mountInfo.split('\n').find((line) => line.split(' ')[4] === '/');
  return {
    uid: Number(field('Uid')),
    hasCapabilities: !/^0+$/.test(field('CapEff')),
    canGainPrivileges: field('NoNewPrivs') !== '1',
    isRootReadOnly: root?.split(' ')[5]?.split(',').includes('ro') ?? false,
    residentBytes: Number(field('VmRSS')) * 1024,
    residentBytesMax: Number(field('VmHWM')) * 1024,
  };
}

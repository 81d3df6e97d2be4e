import { describe, expect, it } from '@jest/globals';
import { memoryFileOf, toConfinement } from './confinement.js';

const STATUS = `Name:\tnode
Uid:\t65532\t65532\t65532\t65532
VmHWM:\t  120000 kB
VmRSS:\t  110000 kB
CapEff:\t0000000000000000
NoNewPrivs:\t1
`;
const MOUNTS = '80 79 0:40 /rootfs / ro,relatime - ext4 /dev/a rw\n81 80 0:41 / /proc rw - proc proc rw\n';

describe('the confinement of a process', () => {
  it('is read from what the kernel says', () => {
    expect(toConfinement(STATUS, MOUNTS)).toEqual({
      uid: 65_532,
      hasCapabilities: false,
      canGainPrivileges: false,
      isRootReadOnly: true,
      residentBytes: 110_000 * 1024,
      residentBytesMax: 120_000 * 1024,
    });
  });

  it.each([
    ['a capability', STATUS.replace(/0000$/m, '0400'), MOUNTS, { hasCapabilities: true }],
    [
      'privileges to be gained',
      STATUS.replace('NoNewPrivs:\t1', 'NoNewPrivs:\t0'),
      MOUNTS,
      { canGainPrivileges: true },
    ],
    ['a root that can be written to', STATUS, MOUNTS.replace(' ro,', ' rw,'), { isRootReadOnly: false }],
    ['nothing about its root', STATUS, '', { isRootReadOnly: false }],
    ['nothing about capabilities', STATUS.replace(/^CapEff.*$/m, ''), MOUNTS, { hasCapabilities: true }],
    ['nothing about privileges', STATUS.replace(/^NoNewPrivs.*$/m, ''), MOUNTS, { canGainPrivileges: true }],
  ])('is missed with %s', (_, status, mounts, expected) => {
    expect(toConfinement(status, mounts)).toMatchObject(expected);
  });
});

describe('the file with the memory limit', () => {
  it.each([
    [['5:cpu:/a', '4:memory:/b', '0::/c'], '/sys/fs/cgroup/memory/b/memory.limit_in_bytes'],
    [['4:cpuset,memory:/b'], '/sys/fs/cgroup/memory/b/memory.limit_in_bytes'],
    [['0::/c'], '/sys/fs/cgroup/c/memory.max'],
  ])('of %j is %s', (lines, file) => {
    expect(memoryFileOf(lines)).toBe(file);
  });

  it.each([[[]], [['5:cpu:/a']], [['nothing']]])('is nowhere in %j', (lines: string[]) => {
    expect(memoryFileOf(lines)).toBeUndefined();
  });
});

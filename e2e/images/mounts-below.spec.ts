import { describe, expect, it } from '@jest/globals';
import { mountsBelow } from './mounts-below.js';

const MOUNTS = `21 1 8:1 / / rw - ext4 /dev/a rw
30 21 0:20 / /srv/out/overlay rw - ext4 /dev/a rw
31 30 0:21 / /srv/out/overlay/1/merged rw - overlay overlay rw
32 21 0:22 / /srv/out-of-reach rw - tmpfs tmpfs rw
33 21 0:23 / /srv/out/with\\040space rw - tmpfs tmpfs rw
`;

describe('mounts below a folder', () => {
  it('are told in the order in which they were mounted', () => {
    expect(mountsBelow('/srv/out', MOUNTS)).toEqual([
      '/srv/out/overlay',
      '/srv/out/overlay/1/merged',
      '/srv/out/with space',
    ]);
  });

  it.each(['/srv/out/overlay/1/merged', '/srv/o', '/nowhere'])('are none below %s', (folder) => {
    expect(mountsBelow(folder, MOUNTS)).toEqual([]);
  });
});

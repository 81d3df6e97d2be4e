import { describe, expect, it } from '@jest/globals';
import { toRuntimeSpec } from './runtime-spec.js';

const IMAGE = {
  User: '65532:65532',
  Env: ['NODE_ENV=production'],
  Entrypoint: ['node'],
  Cmd: ['main.mjs'],
  WorkingDir: '/app',
};
const PLAN = { rootfs: '/images/router', image: IMAGE, memoryMiB: 256 };

describe('how a container is run', () => {
  it('is what its image says', () => {
    const { process } = toRuntimeSpec(PLAN) as { process: object };
    expect(process).toMatchObject({
      args: ['node', 'main.mjs'],
      env: ['NODE_ENV=production'],
      cwd: '/app',
      user: { uid: 65_532, gid: 65_532 },
    });
  });

  it('puts arguments in the place of those of the image, after what it always starts', () => {
    const spec = toRuntimeSpec({ ...PLAN, args: ['other.mjs'], env: { A: 'b' } });
    expect(spec).toMatchObject({ process: { args: ['node', 'other.mjs'], env: ['NODE_ENV=production', 'A=b'] } });
  });

  it('leaves it no capability, no privilege to gain, and nothing to write to', () => {
    const mounts = [{ from: '/a', to: '/etc/a' }];
    const spec = toRuntimeSpec({ ...PLAN, mounts }) as { mounts: { destination: string; options?: string[] }[] };
    expect(spec).toMatchObject({ root: { readonly: true }, process: { capabilities: {}, noNewPrivileges: true } });
    expect(spec.mounts.find(({ destination }) => destination === '/etc/a')?.options).toContain('ro');
  });

  it('gives it as much memory as it was told, and no swap', () => {
    const limit = 256 * 1024 * 1024;
    expect(toRuntimeSpec(PLAN)).toMatchObject({ linux: { resources: { memory: { limit, swap: limit } } } });
  });

  it.each(['', 'node', '0', '0:0', '65532', '65532:0', 'node:node', '1000:users'])(
    'is refused as user "%s"',
    (User) => {
      expect(() => toRuntimeSpec({ ...PLAN, image: { ...IMAGE, User } })).toThrow('which is no number but 0');
    },
  );
});

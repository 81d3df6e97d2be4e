/**
 * How a container is run, as runc reads it: what the image says, and what a cluster's strictest rules add: no root, no
 * capability, nothing writable, a memory limit. The network is the machine's own, so that ports on loopback reach it.
 */
import type { ImageConfig } from './image-archive.js';

export interface ContainerPlan {
  readonly rootfs: string;
  readonly image: ImageConfig;
  /** Instead of what the image starts by itself. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly memoryMiB: number;
  /** Folders of this machine, by the path in the container. */
  readonly mounts?: readonly { readonly from: string; readonly to: string; readonly isWritable?: boolean }[];
}

const MIB = 1024 * 1024;
/** Node has a dozen threads. */
const PIDS_MAX = 128;
const NAMESPACES = ['pid', 'ipc', 'uts', 'mount', 'cgroup'];
const HIDDEN = ['/proc/kcore', '/proc/keys', '/proc/latency_stats', '/proc/timer_list', '/proc/scsi', '/sys/firmware'];
const READ_ONLY = ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'];
const SAFE = ['nosuid', 'noexec', 'nodev'];

export function toRuntimeSpec({ rootfs, image, args, env = {}, memoryMiB, mounts = [] }: ContainerPlan): object {
  return {
    ociVersion: '1.0.2',
    root: { path: rootfs, readonly: true },
    hostname: 'roundhouse',
    process: {
      terminal: false,
      user: userOf(image),
      args: [...(image.Entrypoint ?? []), ...(args ?? image.Cmd ?? [])],
      env: [...(image.Env ?? []), ...Object.entries(env).map(([name, value]) => `${name}=${value}`)],
      cwd: image.WorkingDir ?? '/',
      capabilities: {},
      noNewPrivileges: true,
    },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      {
        destination: '/dev',
        type: 'tmpfs',
        source: 'tmpfs',
        options: ['nosuid', 'strictatime', 'mode=755', 'size=64k'],
      },
      { destination: '/sys', type: 'sysfs', source: 'sysfs', options: [...SAFE, 'ro'] },
      // Where Node reads its memory limit.
      { destination: '/sys/fs/cgroup', type: 'cgroup', source: 'cgroup', options: [...SAFE, 'relatime', 'ro'] },
      ...mounts.map(({ from, to, isWritable = false }) => ({
        destination: to,
        type: 'bind',
        source: from,
        options: ['bind', ...SAFE, isWritable ? 'rw' : 'ro'],
      })),
    ],
    linux: {
      namespaces: NAMESPACES.map((type) => ({ type })),
      resources: {
        devices: [{ allow: false, access: 'rwm' }],
        memory: { limit: memoryMiB * MIB, swap: memoryMiB * MIB },
        pids: { limit: PIDS_MAX },
      },
      maskedPaths: HIDDEN,
      readonlyPaths: READ_ONLY,
    },
  };
}

/** A number, for a cluster that forbids root cannot look a name up. */
function userOf({ User = '' }: ImageConfig): { readonly uid: number; readonly gid: number } {
  const [, uid, gid] = /^([1-9]\d*):([1-9]\d*)$/.exec(User) ?? [];
  if (uid === undefined || gid === undefined) throw new Error(`the image runs as "${User}", which is no number but 0`);
  return { uid: Number(uid), gid: Number(gid) };
}

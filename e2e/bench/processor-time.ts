/** What a process has used so far, as the kernel counts it: all its threads, user and system time. */
import { readFileSync } from 'node:fs';

/** USER_HZ of Linux: the unit of times in /proc, whatever the kernel's own tick. */
const TICK_US = 10_000;
/** Places of utime and stime after the command's closing parenthesis (proc_pid_stat(5), fields 14 and 15). */
const UTIME_AT = 11;
const STIME_AT = 12;

export function readCpuUs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[UTIME_AT]) + Number(fields[STIME_AT])) * TICK_US;
}

export function readRssKb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const found = /^VmRSS:\s+(\d+) kB$/m.exec(status);
  if (found === null) throw new Error(`process ${pid} has no resident memory`);
  return Number(found[1]);
}

/** Processes that share a role, such as the two routers that serve one flow. */
export type PidsByRole = Readonly<Record<string, readonly number[]>>;

export type CpuByRole = Readonly<Record<string, number>>;

/** Microseconds of each role for each unit of work; `work` tells how many units it did. */
export async function cpuUsPer<T extends { readonly count: number }>(
  pids: PidsByRole,
  work: () => Promise<T>,
): Promise<{ readonly done: T; readonly cpuUs: CpuByRole }> {
  const before = cpuOf(pids);
  const done = await work();
  const after = cpuOf(pids);
  const roles = Object.keys(pids);
  return {
    done,
    cpuUs: Object.fromEntries(roles.map((role) => [role, ((after[role] ?? 0) - (before[role] ?? 0)) / done.count])),
  };
}

function cpuOf(pids: PidsByRole): CpuByRole {
  const sum = (list: readonly number[]): number => list.reduce((total, pid) => total + readCpuUs(pid), 0);
  return Object.fromEntries(Object.entries(pids).map(([role, list]) => [role, sum(list)]));
}

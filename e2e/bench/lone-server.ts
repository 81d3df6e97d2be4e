/** One of the servers that the gateway is compared with or needs, as a process of its own. */
import { join } from 'node:path';
import { findFreePorts, isListening } from '../harness/free-ports.js';
import { ProcessSeat } from '../harness/process-seat.js';
import { OUT, ROOT } from '../harness/workspace.js';

export async function startLoneServer(name: 'bare-server' | 'sdk-server' | 'span-sink'): Promise<ProcessSeat> {
  const [port = 0] = await findFreePorts(1);
  const seat = new ProcessSeat(port, {
    name,
    args: ['--import', './tools/ts-hook.mjs', `e2e/bench/servers/${name}.ts`, String(port)],
    env: {},
    cwd: ROOT,
    logFile: join(OUT, 'bench', `${name}.log`),
    isReady: () => isListening(port),
  });
  await seat.start();
  return seat;
}

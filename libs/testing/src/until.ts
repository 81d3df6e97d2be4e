/** Waiting for what other processes and sockets bring about, without a sleep that is too short on a busy machine. */

/** Longer than anything takes that a test waits for without saying how long. */
const SOON_MS = 10_000;
const PAUSE_MS = 5;

/** Resolves once `holds` does. @throws Error after `withinMs` */
export async function until(holds: () => Promise<boolean> | boolean, withinMs = SOON_MS): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('did not come true in time');
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

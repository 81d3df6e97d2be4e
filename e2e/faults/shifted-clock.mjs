// Preloaded into one process of a fault run: its clock is wrong by as many milliseconds as a file says, read anew ten
// times a second. Only the calendar is shifted; timers and performance.now() count on as they do.
import { readFileSync } from 'node:fs';

const REREAD_MS = 100;
const file = process.env.ROUNDHOUSE_FAULTS_CLOCK_FILE;
const realNow = Date.now;
let offsetMs = 0;

function reread() {
  try {
    offsetMs = Number(readFileSync(file, 'utf8'));
  } catch {
    offsetMs = 0;
  }
}

reread();
setInterval(reread, REREAD_MS).unref();
Date.now = () => realNow() + offsetMs;
globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [target.now()] : args, newTarget),
});

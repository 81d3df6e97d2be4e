// npm run faults: what the gateway keeps when processes, networks, clocks and the store fail under it.
import { readArguments } from './usage.mjs';
import { runTypeScript } from './run-typescript.mjs';

readArguments({
  passThrough: true,
  usage: `
Usage: npm run faults [-- --minutes <n>] [--seed <n>] [--only <fault>] [--unsafe-no-fence] [--json]
       npm run faults -- --rotations [--minutes <n>] [--seed <n>] [--json]
       npm run faults -- --eras [--minutes <n>] [--seed <n>] [--json]

Breaks the running system under load, alone and in pairs of faults, and checks from the clients' history and the workers'
own count that no nonce ran twice, none accepted a second answer, and each was resolved or said to be unknown.
Without options: within two minutes, faults as they come, a run without the epoch fence that must be found out, and
rotations.

  --minutes <n>       so long, and at least 4,000 claims a minute
  --seed <n>          the plan of an earlier run: what strikes, when, and what clients send
  --only <fault>      nothing but this fault; repeatable (docs/faults.md lists them)
  --unsafe-no-fence   claims are not fenced by the store's epoch: with flushall, the run must fail
  --rotations         break nothing: rotate keys three times under flows of two rounds, each router learning of it after a
                      random delay, and refuse no valid state; 10 s, or --minutes
  --eras              50 clients of 2025-11-25 and 50 of 2026-07-28 call side by side while keys rotate and a router is
                      replaced, and each gets its own answers; 20 s, or --minutes
  --json              print the counts as the last line

ROUNDHOUSE_E2E_DIST=1 runs what npm run build made. The history lies in out/faults/<seed>/history.jsonl.
Ends with 1 when a check failed.
`,
});
await runTypeScript('e2e/faults/run.ts');

/**
 * A call whose executions can be counted from outside: each confirmed run is one line of a ledger on disk, written before
 * anything is answered, and answers with an id that no other run has. The worker itself never looks a run up: whoever
 * delivers a confirmation twice finds two lines.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Module, type DynamicModule } from '@nestjs/common';
import { z } from 'zod';
import { Call, Tool, form, oneOf } from '@roundhouse/worker-kit';
import { FileLedger, type Ledger } from '../ledger/ledger.js';

export const RUNS_LEDGER_FILE = 'runs.jsonl';

const LABEL_CHARS_MAX = 64;
const WAIT_MS_MAX = 60_000;
const RUNS = Symbol('ledger of runs');

const ConfirmRun = z.object({
  label: z.string().min(1).max(LABEL_CHARS_MAX).describe('What the run is called in the ledger'),
  ms: z.int().min(0).max(WAIT_MS_MAX).describe('How long the run takes, in milliseconds'),
});

@Injectable()
export class RecordedRunTool {
  constructor(@Inject(RUNS) private readonly runs: Ledger) {}

  @Tool({
    name: 'confirm_run',
    description: 'Asks which way to go, then runs: one line in the ledger, a pause, and the id of this run.',
    input: ConfirmRun,
    annotations: { destructiveHint: true, idempotentHint: false, openWorldHint: false },
    singleUse: true,
  })
  async confirmRun({ label, ms }: z.output<typeof ConfirmRun>, call: Call): Promise<string> {
    const answer = await call.ask('way', form('Which way?', { way: oneOf(['left', 'right']) }));
    if (answer.action !== 'accept') return `Not run (${answer.action}).`;
    const run = randomUUID();
    const { flowId, idempotencyKey } = call;
    const at = new Date().toISOString();
    await this.runs.append({ at, flowId, ...(idempotencyKey && { idempotencyKey }), label, run });
    // Not cut short by a cancellation: what has begun is done.
    await sleep(ms);
    return `Went ${answer.content.way} in run ${run}.`;
  }
}

@Module({})
export class RecordedRunModule {
  /** @param directory where replicas share the ledger */
  static inDirectory(directory: string): DynamicModule {
    const runs = new FileLedger(join(directory, RUNS_LEDGER_FILE));
    return { module: RecordedRunModule, providers: [{ provide: RUNS, useValue: runs }], exports: [RUNS] };
  }
}

/** What a worker counts by itself: how long each round of a call took here, and how many run. */
import { Injectable } from '@nestjs/common';
import { CALL_METHODS, type CallReply, type CallRequest } from '@roundhouse/contracts';
import {
  Histograms,
  NETWORK_TRANSPORT,
  OTHER_METHOD,
  Readings,
  TOOL_ERROR,
  WORKER_ERROR_LABELS,
  versionLabel,
  type Family,
} from '@roundhouse/telemetry';
import { WorkerDrain } from './worker-drain.js';

const NOTHING_WRONG = ['', ''] as const;

@Injectable()
export class WorkerMeasures {
  private readonly durations = new Histograms('mcp_server_operation_duration_seconds');

  constructor(private readonly drain: WorkerDrain) {}

  /** Of a call whose target this worker serves: what is labelled by its name is one of its own. */
  ended(
    request: CallRequest,
    how: { readonly reply: CallReply; readonly tookMs: number; readonly cancelled: boolean },
  ): void {
    const { method, target, revision } = request;
    const [errorType, code] = how.cancelled ? WORKER_ERROR_LABELS.cancelled : labelsOf(how.reply);
    const labels = [
      (CALL_METHODS as readonly string[]).includes(method) ? method : OTHER_METHOD,
      method === 'tools/call' ? target : '',
      method === 'prompts/get' ? target : '',
      errorType,
      code,
      versionLabel(revision),
      NETWORK_TRANSPORT,
    ] as const;
    this.durations.observe(labels, how.tookMs / 1_000);
  }

  get families(): readonly Family[] {
    return [this.durations, new Readings('roundhouse_worker_calls_inflight', () => [[[], this.drain.runningCalls]])];
  }
}

function labelsOf(reply: CallReply): readonly [string, string] {
  if (reply.kind === 'error') return WORKER_ERROR_LABELS[reply.code];
  return reply.kind === 'complete' && reply.isError === true ? [TOOL_ERROR, ''] : NOTHING_WRONG;
}

/**
 * Decides which spans are recorded (OBS-7): what the parent says, else what a round before this one was, else a lot. A
 * stranger's flag is no order: by lot and not by trace id, which a client could choose so that it always wins.
 */
import { TraceFlags, trace, type Context, type Link, type SpanContext } from '@opentelemetry/api';
import { SamplingDecision, type Sampler, type SamplingResult } from '@opentelemetry/sdk-trace-base';
import { isRecordedIn, isSampledLink } from '@roundhouse/telemetry';

/** What a parent in another process is worth: its word, its word for a share of the traces, nothing. */
export type RemoteSampled = 'trust' | 'ratio' | 'ignore';

export interface SamplingOptions {
  /** Share of the traces that are recorded, 0 to 1. */
  readonly ratio: number;
  readonly remoteSampled: RemoteSampled;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

const RECORD: SamplingResult = Object.freeze({ decision: SamplingDecision.RECORD_AND_SAMPLED });
const DROP: SamplingResult = Object.freeze({ decision: SamplingDecision.NOT_RECORD });

export class RoundSampler implements Sampler {
  constructor(private readonly options: SamplingOptions) {}

  /** The parameters are the SDK's; name, kind and attributes decide nothing. */
  shouldSample(context: Context, ...rest: [string, string, unknown, unknown, Link[]]): SamplingResult {
    if (isRecordedIn(context) || rest[4].some(isSampledLink)) return RECORD;
    return this.isChosen(trace.getSpanContext(context)) ? RECORD : DROP;
  }

  toString(): string {
    return `RoundSampler{${this.options.ratio}, ${this.options.remoteSampled}}`;
  }

  /** For a trace that begins in this process, with nobody before it to follow. */
  drawLot(): boolean {
    return this.options.random() < this.options.ratio;
  }

  private isChosen(parent: SpanContext | undefined): boolean {
    if (parent === undefined || !trace.isSpanContextValid(parent)) return this.drawLot();
    const isSampled = (parent.traceFlags & TraceFlags.SAMPLED) !== 0;
    if (parent.isRemote !== true || this.options.remoteSampled === 'trust') return isSampled;
    return this.options.remoteSampled === 'ratio' ? isSampled && this.drawLot() : this.drawLot();
  }
}

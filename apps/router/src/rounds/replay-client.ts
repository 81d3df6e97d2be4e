/**
 * The router's side of the replay service. Fails closed: whatever goes wrong becomes `replay_unavailable`. A claim may be
 * asked twice, because its owner token makes the second asking the same claim (REP-10).
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { z } from 'zod';
import {
  PATTERN,
  acknowledgementSchema,
  budgetAnswerSchema,
  claimAnswerSchema,
  epochsSchema,
  recallAnswerSchema,
  type Acknowledgement,
  type BudgetAnswer,
  type BudgetRequest,
  type ClaimAnswer,
  type ClaimRequest,
  type HoldRequest,
  type OnceRequest,
  type OutcomeRequest,
  type ReleaseRequest,
  type ReplayTrace,
  type SettleRequest,
} from '@roundhouse/contracts';
import { RoundhouseError, type Reason } from '@roundhouse/errors';
import { RpcRefusal, RpcTimeout } from '@roundhouse/service-kit';
import type { Reach } from '../dispatch/worker-group.js';
import { ReplayEndpoints } from './replay-endpoints.js';
import { underReplaySpan, type Traced } from './replay-span.js';

/** One store operation is given 250 ms by the replay service; two tries and the hop fit in a second. */
const OPERATION_TIMEOUT_MS = 1_000;
/** Somebody may wait for it. */
const BUDGET_TIMEOUT_MS = 300;
/** As long as the service may need to start again, half a minute in all; the lease of a claim is longer. */
const LATER_PAUSES_MS = [200, 400, 800, 1_600, 3_200, 6_400, 6_400, 6_400];
/** Claims that are given back again and again at once; beyond that each is tried once, so that an outage costs no memory. */
const GIVING_BACK_MAX = 1_000;
/** Characters of outcomes that wait to be stored; beyond that an outcome is lost with the service it was meant for. */
const UNSETTLED_CHARS_MAX = 4 * 1024 * 1024;
/** Added to the time a waiter asked for: the service answers by itself at the end of it. */
const WAIT_MARGIN_MS = 2_000;

export class ReplayClient {
  private readonly log = new Logger('replay');
  private readonly endpoints: ReplayEndpoints;
  private isAway = false;
  private isStopped = false;
  private givingBack = 0;
  private unsettledChars = 0;

  constructor(private readonly reach: Reach) {
    this.endpoints = new ReplayEndpoints(reach.dial);
  }

  /** As far as the last operation told. */
  get isAnswering(): boolean {
    return !this.isAway;
  }

  start(): void {
    this.reach.discovery.start((addresses) => this.endpoints.replace(addresses));
  }

  stop(): void {
    this.isStopped = true;
    this.reach.discovery.stop();
    this.endpoints.close();
  }

  async claim(request: ClaimRequest, traced?: Traced): Promise<ClaimAnswer> {
    try {
      return await underReplaySpan(PATTERN.claim, traced, (trace) =>
        this.twice({ pattern: PATTERN.claim, request: carrying(request, trace), schema: claimAnswerSchema }),
      );
    } catch (error) {
      void this.giveBack(request);
      throw error;
    }
  }

  /**
   * The claim may have been recorded and only its answer lost. This owner will never dispatch, so giving it back is safe,
   * and spares the next attempt a wait for a call that nobody runs. Tried until the service is there again, for a while.
   */
  private async giveBack({ claimId, owner }: ClaimRequest): Promise<void> {
    const pausesMs = this.givingBack < GIVING_BACK_MAX ? LATER_PAUSES_MS : [0];
    this.givingBack += 1;
    await this.untilAnswered(pausesMs, () => this.release({ claimId, owner }));
    this.givingBack -= 1;
  }

  /**
   * Once it has failed it is tried on beside, until `leaseEndsMs` by the clock of `performance.now`: so long twins wait for
   * this outcome and get it; after that they have been told that it is unknown.
   */
  async settle(request: SettleRequest, leaseEndsMs: number, traced?: Traced): Promise<boolean> {
    try {
      return await this.settleNow(request, traced);
    } catch (error) {
      if (isUnavailable(error)) void this.settleLater(request, leaseEndsMs);
      throw error;
    }
  }

  private settleNow(request: SettleRequest, traced?: Traced): Promise<boolean> {
    return this.acknowledged(PATTERN.settle, request, traced);
  }

  private async settleLater(request: SettleRequest, leaseEndsMs: number): Promise<void> {
    const chars = request.result.length;
    if (this.unsettledChars + chars > UNSETTLED_CHARS_MAX) return;
    this.unsettledChars += chars;
    await pause(LATER_PAUSES_MS[0], undefined, { ref: false });
    // Two tries take so long at most.
    const isOver = (): boolean => performance.now() + 2 * OPERATION_TIMEOUT_MS >= leaseEndsMs;
    await this.untilAnswered(LATER_PAUSES_MS, async () => isOver() || this.settleNow(request));
    this.unsettledChars -= chars;
  }

  private async untilAnswered(pausesMs: readonly number[], ask: () => Promise<unknown>): Promise<void> {
    for (const pauseMs of pausesMs) {
      const isAnswered = await ask().then(
        () => true,
        () => false,
      );
      if (isAnswered || this.isStopped) return;
      await pause(pauseMs, undefined, { ref: false });
    }
  }

  async release(request: ReleaseRequest, traced?: Traced): Promise<boolean> {
    return this.acknowledged(PATTERN.release, request, traced);
  }

  async outcome(request: OutcomeRequest, traced?: Traced): Promise<ClaimAnswer> {
    return underReplaySpan(PATTERN.outcome, traced, (trace) =>
      this.once({
        pattern: PATTERN.outcome,
        request: carrying(request, trace),
        schema: claimAnswerSchema,
        timeoutMs: request.waitMs + WAIT_MARGIN_MS,
      }),
    );
  }

  async epochs(): Promise<readonly string[]> {
    return (await this.twice({ pattern: PATTERN.epoch, request: {}, schema: epochsSchema })).epochs;
  }

  async hold(request: HoldRequest): Promise<void> {
    await this.twice({ pattern: PATTERN.hold, request, schema: acknowledgementSchema });
  }

  async recall(handle: string): Promise<string | undefined> {
    return (await this.twice({ pattern: PATTERN.recall, request: { handle }, schema: recallAnswerSchema })).text;
  }

  /** Asked twice when need be: the owner of a mark gets the same answer again. */
  async mark(request: OnceRequest): Promise<boolean> {
    return (await this.twice({ pattern: PATTERN.once, request, schema: acknowledgementSchema })).applied;
  }

  /** Asked once and not for long: a router that is not answered limits for itself. */
  async budget(request: BudgetRequest): Promise<BudgetAnswer> {
    return this.once({ pattern: PATTERN.budget, request, schema: budgetAnswerSchema, timeoutMs: BUDGET_TIMEOUT_MS });
  }

  private async acknowledged(pattern: string, request: object, traced: Traced | undefined): Promise<boolean> {
    const { applied } = await underReplaySpan<Acknowledgement>(pattern, traced, (trace) =>
      this.twice({ pattern, request: carrying(request, trace), schema: acknowledgementSchema }),
    );
    return applied;
  }

  private async twice<T>(operation: Operation<T>): Promise<T> {
    try {
      return await this.once(operation);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      return this.once(operation);
    }
  }

  private async once<T>(operation: Operation<T>): Promise<T> {
    const replica = this.endpoints.next();
    if (replica === undefined)
      throw new RoundhouseError('replay_unavailable', { reason: 'replay_unreachable', retryAfterS: 1 });
    try {
      const answer = await replica.client.ask(
        operation.pattern,
        operation.request,
        operation.timeoutMs ?? OPERATION_TIMEOUT_MS,
      );
      replica.answered();
      const parsed = operation.schema.parse(answer);
      this.report(undefined);
      return parsed;
    } catch (cause) {
      if (cause instanceof RpcTimeout) replica.wasSilent();
      // A refusal is an answer.
      else if (cause instanceof RpcRefusal) replica.answered();
      const error = toError(cause);
      this.report(error);
      throw error;
    }
  }

  /** One line a change, not one a call. */
  private report(error: RoundhouseError | undefined): void {
    if ((error !== undefined) === this.isAway) return;
    this.isAway = error !== undefined;
    if (error === undefined) this.log.log('the replay service answers again');
    else this.log.warn(`the replay service does not answer: ${error.reason}; calls that run once are refused`);
  }
}

/** What the service refused with, as far as it matters here; everything unclear counts as unavailable. */
function toError(cause: unknown): RoundhouseError {
  if (cause instanceof RpcTimeout) return unavailable('replay_timed_out', cause);
  if (!(cause instanceof RpcRefusal)) return unavailable('replay_unreachable', cause);
  const { code, reason } = (cause.detail ?? {}) as { code?: unknown; reason?: unknown };
  // On its way out; another one may be there.
  if (code === 'draining') return unavailable('replay_unreachable', cause);
  if (code === 'overloaded')
    return new RoundhouseError('overloaded', { reason: 'limit_reached', retryAfterS: 1, cause });
  if (code === 'invalid_request') return new RoundhouseError('internal', { reason: 'unexpected', cause });
  return unavailable(REPLAY_REASONS.find((known) => known === reason) ?? 'replay_store_failed', cause);
}

/** What belongs to no trace is sent as it is: V8 takes 3 µs to copy a claim with one member more. */
function carrying(request: object, trace: ReplayTrace | undefined): object {
  return trace === undefined ? request : { ...request, trace };
}

/** What the service may say of its store; anything else is of no use as a label. */
const REPLAY_REASONS: readonly Reason[] = [
  'replay_timed_out',
  'replay_store_unsafe',
  'replay_not_replicated',
  'replay_circuit_open',
  'limit_reached',
];

function isUnavailable(error: unknown): boolean {
  return RoundhouseError.from(error).code === 'replay_unavailable';
}

function unavailable(reason: Reason, cause: unknown): RoundhouseError {
  return new RoundhouseError('replay_unavailable', { reason, retryAfterS: 1, cause });
}

interface Operation<T> {
  readonly pattern: string;
  readonly request: object;
  readonly schema: z.ZodType<T>;
  readonly timeoutMs?: number;
}

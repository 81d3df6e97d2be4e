/**
 * Everything that is counted of a request, at its end and in one place: how long it took, what it cost a worker, how it
 * counts towards the objective, and why it was refused.
 */
import type { ErrorCode, RoundhouseError } from '@roundhouse/errors';
import { Counters, Histograms, NETWORK_TRANSPORT, versionLabel, type Family } from '@roundhouse/telemetry';
import type { Reply } from '../reply/reply.js';
import { clientErrorType, isToolError, serverErrorType, statusCodeOf } from './error-labels.js';
import type { FlowMeasures } from './flow-measures.js';
import { isGoneEndpoint, isGonePrompt, isGoneTool, type Live } from './live.js';
import type { Observed } from './observed.js';
import { methodLabel, promptLabel, toolLabel } from './operation-labels.js';
import { sliOutcomeOf } from './service-level.js';
import type { StateMeasures } from './state-measures.js';

/** Its time is that of the stream, which has a histogram of its own. */
const LISTEN = 'subscriptions/listen';

const SHED: ReadonlySet<ErrorCode> = new Set(['overloaded', 'rate_limited', 'subscription_limit', 'draining']);
const DENIED: ReadonlySet<ErrorCode> = new Set([
  'unauthenticated',
  'token_invalid',
  'proof_invalid',
  'scope_insufficient',
  'not_permitted',
  'authorization_malformed',
  'authorization_unavailable',
]);

export class ExchangeMeasures {
  private readonly server: Histograms<'mcp_server_operation_duration_seconds'>;
  private readonly client: Histograms<'mcp_client_operation_duration_seconds'>;
  private readonly unknown: Counters<'roundhouse_replay_outcome_unknown_total'>;
  private readonly added = new Histograms('roundhouse_added_latency_seconds');
  private readonly sli = new Counters('roundhouse_sli_requests_total').begin(['good'], ['bad'], ['excluded']);
  private readonly refusals = new Counters('roundhouse_refusals_total');
  private readonly shed = new Counters('roundhouse_shed_total');
  private readonly denied = new Counters('roundhouse_auth_denied_total');

  constructor(
    private readonly flows: FlowMeasures,
    private readonly states: StateMeasures,
    live: Live,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.server = new Histograms(
      'mcp_server_operation_duration_seconds',
      ([, tool, prompt]) => isGoneTool(live, tool) || isGonePrompt(live, prompt),
    );
    this.client = new Histograms(
      'mcp_client_operation_duration_seconds',
      ([, tool, prompt, , address]) =>
        isGoneTool(live, tool) || isGonePrompt(live, prompt) || isGoneEndpoint(live, address),
    );
    this.unknown = new Counters('roundhouse_replay_outcome_unknown_total', ([tool]) => isGoneTool(live, tool));
  }

  /** Of every request that was answered, or could not be any more. */
  ended(observed: Observed, { wasCutOff }: Pick<Reply, 'wasCutOff'>, error: RoundhouseError | undefined): void {
    const { method } = observed;
    if (error !== undefined) this.refused(observed, error);
    // A notification, a preflight, and whoever left before asking for anything.
    else if (method === undefined) return;
    this.sli.add([sliOutcomeOf({ error, wasCutOff })]);
    if (method === undefined) return;
    const tookMs = this.now() - observed.startedMs;
    if (method !== LISTEN) this.timed(observed, error, tookMs);
    this.flows.ended(observed, error, tookMs);
    this.states.ended(observed, error);
  }

  get families(): readonly Family[] {
    const { server, client, added, sli, refusals, shed, denied, unknown, flows, states } = this;
    return [server, client, added, sli, refusals, shed, denied, unknown, ...flows.families, ...states.families];
  }

  private timed(observed: Observed, error: RoundhouseError | undefined, tookMs: number): void {
    const { exchange, route, call, traceId } = observed;
    const method = methodLabel(observed.method as string);
    const [tool, prompt] = [toolLabel(route), promptLabel(route)];
    const version = versionLabel(exchange?.request.headers['mcp-protocol-version']);
    const errorType = serverErrorType(error, isToolError(call?.answered));
    this.server.observe(
      [method, tool, prompt, errorType, statusCodeOf(error), version, NETWORK_TRANSPORT],
      tookMs / 1_000,
      traceId,
    );
    const address = call?.endpointName;
    if (call === undefined || address === undefined) return;
    this.client.observe([method, tool, prompt, clientErrorType(call), address], call.elapsedMs / 1_000, traceId);
    this.added.observe([], Math.max(0, tookMs - call.elapsedMs) / 1_000, traceId);
  }

  private refused({ route, isStored }: Observed, { code, reason }: RoundhouseError): void {
    if (reason === 'client_gone') return;
    this.refusals.add([code, reason]);
    if (SHED.has(code)) this.shed.add([code]);
    if (DENIED.has(code)) this.denied.add([reason]);
    if (code === 'outcome_unknown' && !isStored) this.unknown.add([toolLabel(route)]);
  }
}

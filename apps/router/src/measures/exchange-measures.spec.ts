import { describe, expect, it } from '@jest/globals';
import { RoundhouseError } from '@roundhouse/errors';
import type { Route } from '../catalogue/route.js';
import type { WorkerCall } from '../dispatch/worker-call.js';
import { ExchangeMeasures } from './exchange-measures.js';
import type { FlowMeasures } from './flow-measures.js';
import { Observed } from './observed.js';
import type { StateMeasures } from './state-measures.js';

const quiet = { ended: () => undefined, families: [] } as unknown as FlowMeasures & StateMeasures;
const whole = { wasCutOff: false };

function measuring(): { readonly measures: ExchangeMeasures; readonly live: Set<string>; names(): string[] } {
  const live = new Set(['tool', 'prompt', 'host:1', 'host:2']);
  const has = (name: string): boolean => live.has(name);
  const measures = new ExchangeMeasures(quiet, quiet, { isTool: has, isPrompt: has, isEndpoint: has }, () => 1_500);
  const names = (): string[] =>
    measures.families.flatMap((family) =>
      Array.from(family.samples(), ({ suffix, labels, value }) => {
        const shown = Object.entries(labels).map(([name, label]) => `${name}=${label}`);
        return `${family.name}${suffix ?? ''} ${shown.join(' ')} ${value}`;
      }),
    );
  return { measures, live, names };
}

function call(changes: Partial<WorkerCall> = {}): WorkerCall {
  const answered = { kind: 'complete', body: '{}' };
  return { endpointName: 'host:1', elapsedMs: 400, answered, failure: undefined, ...changes } as unknown as WorkerCall;
}

function observed(changes: Partial<Observed>): Observed {
  return Object.assign(new Observed(1_000), { method: 'tools/call', ...changes });
}
const route = (kind: Route['kind'], publicName: string): Route => ({ kind, publicName }) as Route;

describe('the measures of an exchange', () => {
  it('hold its own time, the worker’s, and the difference', () => {
    const { measures, names } = measuring();
    measures.ended(observed({ route: route('tools', 'tool'), call: call() }), whole, undefined);
    expect(names().filter((line) => line.includes('_seconds_sum'))).toEqual([
      'mcp_server_operation_duration_seconds_sum mcp_method_name=tools/call gen_ai_tool_name=tool network_transport=tcp 0.5',
      'mcp_client_operation_duration_seconds_sum mcp_method_name=tools/call gen_ai_tool_name=tool server_address=host:1 0.4',
      'roundhouse_added_latency_seconds_sum  0.1',
    ]);
  });

  it('take nothing off where no worker began the call', () => {
    const { measures, names } = measuring();
    const failure = new RoundhouseError('worker_unavailable');
    measures.ended(observed({ call: call({ endpointName: undefined, answered: undefined, failure }) }), whole, failure);
    expect(names().filter((line) => /client_operation|added_latency/.test(line))).toEqual([]);
  });

  it.each([
    ['a tool', { route: route('tools', 'tool') }, 'tool'],
    ['a prompt', { route: route('prompts', 'prompt') }, 'prompt'],
    ['a worker', { call: call() }, 'host:1'],
  ])('are forgotten together with %s', (_what, changes, name) => {
    const { measures, live, names } = measuring();
    measures.ended(observed({ call: call({ endpointName: 'host:2' }) }), whole, undefined);
    measures.ended(observed(changes), whole, undefined);
    const about = (): string[] => names().filter((line) => line.includes(`=${name} `));
    expect(about()).not.toEqual([]);
    live.delete(name);
    expect(about()).toEqual([]);
    expect(names().some((line) => line.includes('=host:2 '))).toBe(true);
  });

  it('know an unknown outcome by its tool, and tell of it once', () => {
    const { measures, names } = measuring();
    const error = new RoundhouseError('outcome_unknown');
    measures.ended(observed({ route: route('tools', 'tool') }), whole, error);
    measures.ended(observed({ route: route('tools', 'tool'), isStored: true }), whole, error);
    expect(names().filter((line) => line.includes('outcome_unknown_total'))).toEqual([
      'roundhouse_replay_outcome_unknown_total gen_ai_tool_name=tool 1',
    ]);
  });

  it.each(['overloaded', 'rate_limited', 'subscription_limit', 'draining'] as const)('count %s as shed', (code) => {
    const { measures, names } = measuring();
    measures.ended(observed({}), whole, new RoundhouseError(code));
    expect(names()).toContain(`roundhouse_shed_total reason=${code} 1`);
  });

  it('count whoever was not let in by the reason, before anything of the request is known', () => {
    const { measures, names } = measuring();
    measures.ended(new Observed(0), whole, new RoundhouseError('token_invalid', { reason: 'token_expired' }));
    expect(names()).toContain('roundhouse_auth_denied_total reason=token_expired 1');
    expect(names().filter((line) => line.startsWith('mcp_'))).toEqual([]);
  });

  it('are none of a notification', () => {
    const { measures, names } = measuring();
    measures.ended(new Observed(0), whole, undefined);
    expect(names().filter((line) => !line.endsWith(' 0'))).toEqual([]);
  });
});

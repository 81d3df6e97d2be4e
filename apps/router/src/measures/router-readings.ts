/** Figures that stand somewhere in the router already. Read when Prometheus asks, so requests pay nothing for them. */
import { Readings, type Family, type Reading } from '@roundhouse/telemetry';
import type { OpenAudit } from '../audit/open-audit.js';
import type { CatalogueKeeper } from '../catalogue/catalogue-keeper.js';
import type { RouteKind } from '../catalogue/route.js';
import type { WorkerGroup } from '../dispatch/worker-group.js';
import type { InFlight } from '../intake/in-flight.js';
import type { KeysetKeeper } from '../keyset/keyset-keeper.js';
import type { OpenLimits } from '../limits/open-limits.js';
import type { KeepAlive } from '../reply/keep-alive.js';
import type { PolicyKeeper } from '../access/policy-keeper.js';
import type { ListenStreams } from '../subscriptions/listen-streams.js';

export interface ReadParts {
  readonly inFlight: InFlight;
  readonly keepAlive: KeepAlive;
  readonly streams: ListenStreams;
  readonly catalogue: CatalogueKeeper;
  readonly keyset: KeysetKeeper;
  readonly policy: PolicyKeeper;
  readonly audit: OpenAudit;
  readonly limits: OpenLimits;
}

export function routerReadings(parts: ReadParts): readonly Family[] {
  const { inFlight, policy, audit } = parts;
  const { tally } = parts.limits.flows;
  return [
    new Readings('roundhouse_inflight_requests', () => [[[], inFlight.size]]),
    new Readings('roundhouse_streams_active', () => readStreams(parts)),
    new Readings('roundhouse_flows_total', () => outcomes(tally.totals)),
    new Readings('roundhouse_flows_open', () => outcomes(tally.openByAge())),
    ...keysetReadings(parts.keyset),
    ...workerReadings(parts.catalogue),
    ...catalogueReadings(parts.catalogue),
    new Readings('roundhouse_policy_reloads_total', () => outcomes(policy.reloads)),
    new Readings('roundhouse_audit_records_total', () => outcomes(audit.stream?.lines ?? { written: 0, dropped: 0 })),
  ];
}

function readStreams({ streams, keepAlive }: ReadParts): Reading<'roundhouse_streams_active'>[] {
  const listen = streams.size;
  // A subscription is a watched reply as well, unless it ended this very moment.
  return [
    [['listen'], listen],
    [['call'], Math.max(0, keepAlive.countStreams() - listen)],
  ];
}

function keysetReadings(keyset: KeysetKeeper): readonly Family[] {
  const roles = ['primary', 'staged', 'previous', 'disabled', 'destroyed'] as const;
  return [
    new Readings('roundhouse_keyset_keys', () => {
      const { keys } = keyset.report();
      return roles.map((role) => [[role], keys.filter((key) => key.role === role).length] as const);
    }),
    new Readings('roundhouse_keyset_key_info', () => keyset.report().keys.map(({ kid, role }) => [[kid, role], 1])),
    new Readings('roundhouse_keyset_reloads_total', () => outcomes(keyset.reloads)),
    new Readings('roundhouse_keyset_primary_age_seconds', () => [[[], toSeconds(keyset.primaryAgeMs())]]),
  ];
}

function workerReadings(catalogue: CatalogueKeeper): readonly Family[] {
  const groups = catalogue.workerGroups;
  return [
    new Readings('roundhouse_worker_inflight', () =>
      groups.flatMap(({ id, replicas }) =>
        Array.from(replicas, ({ name, inFlight }) => [[id, name], inFlight] as const),
      ),
    ),
    new Readings('roundhouse_worker_limit', () =>
      groups.flatMap(({ id, replicas }) => Array.from(replicas, ({ name, limit }) => [[id, name], limit.max] as const)),
    ),
    new Readings('roundhouse_worker_endpoints', () => groups.flatMap(readStates)),
    new Readings('roundhouse_worker_ejections_total', () => groups.map(({ id, ejections }) => [[id], ejections])),
  ];
}

function readStates({ id, replicas }: WorkerGroup): Reading<'roundhouse_worker_endpoints'>[] {
  const counts = { ready: 0, ejected: 0, draining: 0, unreachable: 0 };
  const nowMs = performance.now();
  for (const { state, health } of replicas) {
    if (state === 'ready') counts[health.isAside(nowMs) ? 'ejected' : 'ready'] += 1;
    else counts[state === 'draining' ? 'draining' : 'unreachable'] += 1;
  }
  return Object.entries(counts).map(([state, count]) => [[id, state], count]);
}

function catalogueReadings(catalogue: CatalogueKeeper): readonly Family[] {
  const groups = catalogue.workerGroups;
  return [
    new Readings('roundhouse_catalogue_divergence', () => groups.map(({ id, diverges }) => [[id], diverges ? 1 : 0])),
    new Readings('roundhouse_catalogue_entries', () => groups.flatMap(({ id }) => readEntries(catalogue, id))),
    new Readings('roundhouse_catalogue_shadowed', () =>
      groups.map(({ id }) => [[id], catalogue.snapshot.leftOut.filter(({ group }) => group === id).length]),
    ),
  ];
}

function readEntries({ snapshot }: CatalogueKeeper, id: string): Reading<'roundhouse_catalogue_entries'>[] {
  return (Object.keys(snapshot.entries) as RouteKind[]).map((kind) => [
    [id, kind],
    snapshot.entries[kind].filter(({ route }) => route.group.id === id).length,
  ]);
}

function outcomes(counts: Readonly<Record<string, number>>): (readonly [readonly [string], number])[] {
  return Object.entries(counts).map(([outcome, count]) => [[outcome], count]);
}

function toSeconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1_000;
}

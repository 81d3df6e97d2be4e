/**
 * What the console tells about this router, as data: the page shows it, `/console.json` hands it out. Reads the parts of
 * the router and changes nothing; holds no secret, no argument and no name of a caller.
 */
import { hostname } from 'node:os';
import type { KeyRole } from '@roundhouse/sealed-state';
import type { Readiness } from '@roundhouse/service-kit';
import type { RouterParts } from '../app.module.js';
import type { LeftOut } from '../catalogue/snapshot.js';
import { hasEndpoints } from '../discovery/endpoint-sources.js';
import { FLOW_AGES, type FlowAge } from '../limits/flow-tally.js';
import { SERVER_INFO } from '../rounds/server-identity.js';
import { findConcerns, type Concern } from './concerns.js';
import { viewOfGroup, type GroupView } from './group-view.js';
import type { Refusal } from './refusal-ring.js';

export interface ConsoleView {
  /** RFC 3339 in UTC, when this was read. */
  readonly time: string;
  /** The machine or pod this router runs on. */
  readonly host: string;
  readonly version: string;
  readonly uptimeS: number;
  /** Why it takes no traffic; undefined when it does. */
  readonly notReady: string | undefined;
  readonly concerns: readonly Concern[];
  readonly traffic: TrafficView;
  readonly flows: FlowsView;
  readonly groups: readonly GroupView[];
  readonly leftOut: readonly LeftOut[];
  readonly tools: readonly ToolView[];
  readonly keys: KeysView;
  readonly replay: 'answers' | 'away' | 'not configured';
  /** Latest first. */
  readonly refusals: readonly Refusal[];
}

export interface TrafficView {
  /** Of each of the last sixty seconds, oldest first. */
  readonly requests: readonly number[];
  readonly refused: readonly number[];
  readonly failed: readonly number[];
  readonly inFlight: number;
  readonly inFlightMax: number;
  readonly streams: number;
  readonly streamsMax: number;
}

export interface FlowsView {
  /** Youngest first. By this router alone: below zero where flows ended here that began elsewhere. */
  readonly ages: readonly { readonly age: string; readonly count: number }[];
  /** Since the process began. */
  readonly opened: number;
  readonly finished: number;
  readonly failed: number;
}

export interface ToolView {
  readonly name: string;
  readonly group: string;
  readonly singleUse: boolean;
  readonly destructive: boolean;
}

export interface KeyView {
  readonly kid: string;
  readonly role: KeyRole;
  /** Seconds since it was activated; negative while it is staged. */
  readonly ageS: number;
}

export interface KeysView {
  readonly keys: readonly KeyView[];
  /** `error` while the file is bad and the keys before it stay in charge. */
  readonly outcome: 'ok' | 'error';
}

const AGE_WORDS: Readonly<Record<FlowAge, string>> = {
  '1m': 'under 1 min ago',
  '5m': '1 to 5 min ago',
  '10m': '5 to 10 min ago',
  '1h': 'longer ago',
};

export type ConsoleParts = Pick<
  RouterParts,
  'catalogue' | 'config' | 'inFlight' | 'keyset' | 'limits' | 'replay' | 'streams' | 'watch'
>;

export function readConsole(parts: ConsoleParts, readiness: Readiness): ConsoleView {
  const now = Date.now();
  const view = {
    time: new Date(now).toISOString(),
    host: hostname(),
    version: SERVER_INFO.version,
    uptimeS: Math.floor(process.uptime()),
    notReady: readiness(),
    traffic: readTraffic(parts),
    flows: readFlows(parts),
    groups: parts.catalogue.workerGroups.map((group) => viewOfGroup(group, performance.now())),
    leftOut: parts.catalogue.snapshot.leftOut,
    tools: readTools(parts),
    keys: readKeys(parts, now),
    replay: readReplay(parts),
    refusals: parts.watch.refusals.read(),
  };
  return { ...view, concerns: findConcerns(view) };
}

function readTraffic({ watch, inFlight, streams, config }: ConsoleParts): TrafficView {
  return {
    requests: watch.requests.read(),
    refused: watch.refusedRequests.read(),
    failed: watch.failedRequests.read(),
    ...{ inFlight: inFlight.size, inFlightMax: config.limits.callsMax },
    ...{ streams: streams.size, streamsMax: config.limits.streamsMax },
  };
}

function readFlows({ limits }: ConsoleParts): FlowsView {
  const { tally } = limits.flows;
  const open = tally.openByAge();
  const ages = Object.keys(FLOW_AGES) as FlowAge[];
  return { ages: ages.map((age) => ({ age: AGE_WORDS[age], count: open[age] })), ...tally.totals };
}

function readTools({ catalogue }: ConsoleParts): ToolView[] {
  return catalogue.snapshot.entries.tools.map(({ route }) => ({
    name: route.publicName,
    group: route.group.id,
    singleUse: route.singleUse,
    destructive: route.destructive,
  }));
}

function readKeys({ keyset }: ConsoleParts, nowMs: number): KeysView {
  const { keys, outcome } = keyset.report();
  const ageOf = (activateAt: string): number => Math.floor((nowMs - Date.parse(activateAt)) / 1_000);
  return { outcome, keys: keys.map(({ kid, role, activateAt }) => ({ kid, role, ageS: ageOf(activateAt) })) };
}

function readReplay({ config, replay }: ConsoleParts): ConsoleView['replay'] {
  if (!hasEndpoints(config.replay)) return 'not configured';
  return replay.isAnswering ? 'answers' : 'away';
}

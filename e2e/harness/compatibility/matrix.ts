/**
 * Which client is tried with which feature: docs/compatibility.md is this table, each cell a scenario of its own or a dash
 * with its reason.
 */

export const CLIENTS = {
  v1: 'TypeScript SDK 1.32, 2025-11-25',
  v2: 'TypeScript SDK 2.4, 2025-11-25',
  python: 'Python SDK 2.x, 2025-11-25',
  hand: 'hand-written client, 2025-11-25',
  'hand-0618': 'hand-written client, 2025-06-18',
  'hand-0326': 'hand-written client, 2025-03-26',
  'v2-modern': 'TypeScript SDK 2.4, 2026-07-28',
  'python-modern': 'Python SDK 2.x, 2026-07-28',
  'hand-modern': 'hand-written client, 2026-07-28',
} as const;

export const FEATURES = {
  tools: 'the same tools in the same order',
  forms: 'questions by form: accept, decline, cancel',
  urls: 'questions by url: accept, decline, cancel',
  samples: 'sampling and roots',
  away: 'a line that the tool closes, taken up elsewhere',
  cut: 'a line that is cut, taken up elsewhere',
  cancel: 'a call that its client gives up, on another router',
  lists: 'list changes',
  updates: 'updates of a followed resource',
  logs: 'log level',
  batch: 'batches',
  replaced: 'a router is replaced',
  end: 'a session ends by DELETE',
  expiry: 'a session expires',
} as const;

export type ClientId = keyof typeof CLIENTS;
export type FeatureId = keyof typeof FEATURES;

export const CLIENT_IDS = Object.keys(CLIENTS) as ClientId[];
export const FEATURE_IDS = Object.keys(FEATURES) as FeatureId[];

const MODERN = ['v2-modern', 'python-modern', 'hand-modern'] as const;
const BEFORE_RESUMPTION = ['hand-0618', 'hand-0326'] as const;

interface Dash {
  readonly features: readonly FeatureId[];
  readonly clients: readonly ClientId[];
  readonly why: string;
}

/** What a revision or a library does not have. */
export const DASHES: readonly Dash[] = [
  { features: ['forms'], clients: ['hand-0326'], why: '2025-03-26 has no elicitation.' },
  { features: ['urls'], clients: BEFORE_RESUMPTION, why: 'Questions by url came with 2025-11-25.' },
  {
    features: ['away', 'cut'],
    clients: BEFORE_RESUMPTION,
    why: 'A stream is taken up again by clients of 2025-11-25 alone; older ones are kept on their line.',
  },
  {
    features: ['away', 'cut'],
    clients: MODERN,
    why: '2026-07-28 has no streams to take up: a call whose line is lost is cancelled, and made again.',
  },
  {
    features: ['batch'],
    clients: ['v1', 'v2', 'python', 'hand', 'hand-0618', ...MODERN],
    why: 'Batches are of 2025-03-26, and no library sends them.',
  },
  { features: ['end', 'expiry'], clients: MODERN, why: '2026-07-28 has no sessions.' },
];

export interface Cell {
  readonly id: string;
  readonly feature: FeatureId;
  readonly client: ClientId;
}

export function dashOf(feature: FeatureId, client: ClientId): string | undefined {
  return DASHES.find(({ features, clients }) => features.includes(feature) && clients.includes(client))?.why;
}

export const CELLS: readonly Cell[] = FEATURE_IDS.flatMap((feature) =>
  CLIENT_IDS.filter((client) => dashOf(feature, client) === undefined).map((client) => ({
    ...{ feature, client },
    id: `${feature}/${client}`,
  })),
);

/**
 * The revisions before 2026-07-28 that are served by `initialize` and a session, and what each of them lacks. What a
 * revision can do is decided here and asked everywhere else.
 */

/** Newest first: what a client that names none of them is offered. */
export const LEGACY_REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;
export type LegacyRevision = (typeof LEGACY_REVISIONS)[number];

export interface LegacyFeatures {
  /** `flat`: no titled or multiple choices but by `enumNames`, no defaults but of booleans, no `mode`. */
  readonly forms: 'full' | 'flat' | 'none';
  /** By url, each with an `elicitationId`. */
  readonly urls: boolean;
  readonly samplingTools: boolean;
  /** `structuredContent` and `outputSchema`, of objects alone. */
  readonly structured: boolean;
  /** Display names, and links to resources among a result's content. */
  readonly titles: boolean;
  readonly icons: boolean;
  readonly batches: boolean;
  /** An event without data, by which a stream that was cut can be taken up again. */
  readonly resumption: boolean;
}

export const LEGACY_FEATURES: Readonly<Record<LegacyRevision, LegacyFeatures>> = {
  '2025-11-25': {
    ...{ forms: 'full', urls: true, samplingTools: true, structured: true, titles: true, icons: true },
    ...{ batches: false, resumption: true },
  },
  '2025-06-18': {
    ...{ forms: 'flat', urls: false, samplingTools: false, structured: true, titles: true, icons: false },
    ...{ batches: false, resumption: false },
  },
  '2025-03-26': {
    ...{ forms: 'none', urls: false, samplingTools: false, structured: false, titles: false, icons: false },
    ...{ batches: true, resumption: false },
  },
};

export function isLegacyRevision(value: unknown): value is LegacyRevision {
  return LEGACY_REVISIONS.some((revision) => revision === value);
}

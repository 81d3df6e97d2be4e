/** What tells where a service's endpoints are. Sources differ; what they promise is the same. */
import type { Address } from '@roundhouse/service-kit';

/** Calls back with the whole set whenever it is known anew. */
export type OnAddresses = (addresses: readonly Address[]) => void;

/** A source that fails says so and keeps the last known set: it never empties it by failing (DSC-2). */
export interface Discovery {
  start(onAddresses: OnAddresses): void;
  stop(): void;
  /** When the source last answered, by `performance.now()`; undefined before, and for addresses that never change. */
  readonly heardAtMs: number | undefined;
}

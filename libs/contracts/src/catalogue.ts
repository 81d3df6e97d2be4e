/**
 * `describe` and `watch`: what one worker process offers, and how it tells that this changes.
 * Entries travel as the JSON text that clients will see, so that nothing of a schema is lost on the way.
 */
import { z } from 'zod';

/** Entries one worker may offer of each kind. */
export const CATALOGUE_ENTRIES_MAX = 5_000;

const entryBase = z.object({
  /** The worker's own name (tools, prompts), URI (resources) or URI template. */
  name: z.string().min(1).max(2048),
  /** JSON text of the entry as it stands in a list result. */
  json: z.string().min(2).max(2_000_000),
  requiredScopes: z.array(z.string().max(256)).max(64).optional(),
  timeoutMs: z.int().min(1).max(600_000).optional(),
  /** Client capabilities without which the call cannot even start. */
  needs: z.record(z.string(), z.unknown()).optional(),
});

const toolEntry = entryBase.extend({
  /** A confirmed round runs at most once: the router claims its nonce first. */
  singleUse: z.boolean().optional(),
  /** `open`: asks carry no state and answers are taken without one. */
  answers: z.enum(['sealed', 'open']).optional(),
  /** With `singleUse`: what a closed response does to a run that was already claimed. */
  onDisconnect: z.enum(['finish', 'abort']).optional(),
});

const entriesOf = <T extends z.ZodType>(entry: T) => z.array(entry).max(CATALOGUE_ENTRIES_MAX);

export const catalogueSchema = z.object({
  worker: z.object({
    name: z.string().min(1).max(256),
    version: z.string().max(64),
    title: z.string().max(256).optional(),
  }),
  /** SHA-256 (base64url) over the entries; equal hashes mean interchangeable replicas. */
  hash: z.string().min(16).max(64),
  /** Calls that this process runs at once, for all routers together; not part of the hash. Absent: a router finds out. */
  callsMax: z.int().min(1).max(1_000_000).optional(),
  tools: entriesOf(toolEntry),
  prompts: entriesOf(entryBase),
  resources: entriesOf(entryBase),
  resourceTemplates: entriesOf(entryBase),
});
export type WorkerCatalogue = z.infer<typeof catalogueSchema>;
export type ToolEntry = z.infer<typeof toolEntry>;
export type CatalogueEntry = z.infer<typeof entryBase>;

export const LIST_KINDS = ['tools', 'prompts', 'resources'] as const;
export type ListKind = (typeof LIST_KINDS)[number];

export const watchItemSchema = z.discriminatedUnion('kind', [
  /** Sent first, and again after each change: re-read with `describe` when the hash differs. */
  z.object({ kind: z.literal('catalogue'), hash: z.string() }),
  /** A list changed in the eyes of the worker's author even if its entries did not. */
  z.object({ kind: z.literal('list_changed'), list: z.enum(LIST_KINDS) }),
  z.object({ kind: z.literal('resource_updated'), uri: z.string().min(1).max(2048) }),
  /** The worker finishes what it has and takes nothing new. */
  z.object({ kind: z.literal('draining') }),
]);
export type WatchItem = z.infer<typeof watchItemSchema>;

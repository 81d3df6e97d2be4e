/** Serves the four list methods from pages that were made before, for all callers who see the same. */
import type { Exchange } from '../intake/exchange.js';
import type { RouteKind } from './route.js';
import type { CatalogueSnapshot } from './snapshot.js';
import type { VisibleLists } from './visible-lists.js';

const KIND_OF = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
} as const satisfies Record<string, RouteKind>;

export type ListMethod = keyof typeof KIND_OF;

export interface Lists {
  readonly snapshot: CatalogueSnapshot;
  readonly visible: VisibleLists;
}

export function serveList(exchange: Exchange, method: ListMethod, { snapshot, visible }: Lists): void {
  const pages = visible.pages(KIND_OF[method], snapshot, exchange.access);
  exchange.reply.succeedPrepared(exchange.id, pages.page(exchange.params['cursor']));
}

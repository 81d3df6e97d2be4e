/** Serves the four list methods from pages that were made when the catalogue changed. */
import type { Exchange } from '../intake/exchange.js';
import type { RouteKind } from './route.js';
import type { CatalogueSnapshot } from './snapshot.js';

const KIND_OF = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
} as const satisfies Record<string, RouteKind>;

export type ListMethod = keyof typeof KIND_OF;

export function serveList(exchange: Exchange, method: ListMethod, snapshot: CatalogueSnapshot): void {
  exchange.reply.succeedPrepared(exchange.id, snapshot.pages[KIND_OF[method]].page(exchange.params['cursor']));
}

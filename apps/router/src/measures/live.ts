/** What is served now. Series about anything else are dropped, so that names that come and go do not add up. */
import type { CatalogueKeeper } from '../catalogue/catalogue-keeper.js';

export interface Live {
  isTool(name: string): boolean;
  isPrompt(name: string): boolean;
  isEndpoint(address: string): boolean;
}

/** An empty value is no name: it never goes. */
export function isGoneTool(live: Live, name = ''): boolean {
  return name !== '' && !live.isTool(name);
}

export function isGonePrompt(live: Live, name = ''): boolean {
  return name !== '' && !live.isPrompt(name);
}

export function isGoneEndpoint(live: Live, address = ''): boolean {
  return address !== '' && !live.isEndpoint(address);
}

export function liveIn(catalogue: CatalogueKeeper): Live {
  return {
    isTool: (name) => catalogue.snapshot.tool(name) !== undefined,
    isPrompt: (name) => catalogue.snapshot.prompt(name) !== undefined,
    isEndpoint: (address) => catalogue.workerGroups.some((group) => group.endpoint(address) !== undefined),
  };
}

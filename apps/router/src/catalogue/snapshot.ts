/**
 * The merged catalogue at one moment: immutable, swapped whole. Where two groups claim one public name, the one named
 * first in the configuration serves it; the other's entry is left out and reported, never switched silently.
 */
import type { CatalogueEntry, ToolEntry, WorkerCatalogue } from '@roundhouse/contracts';
import {
  checkPromptDefinition,
  checkResourceDefinition,
  checkResourceTemplateDefinition,
  checkToolDefinition,
  resourceTemplateMatcher,
  scanParamHeaders,
  type ParamHeader,
} from '@roundhouse/protocol';
import type { WorkerGroup } from '../dispatch/worker-group.js';
import { ListPages, type ListPagesOptions } from './list-pages.js';
import type { Route, RouteKind } from './route.js';

export interface LeftOut {
  readonly group: string;
  readonly kind: RouteKind;
  readonly name: string;
  readonly why: string;
}

interface TemplateRoute {
  readonly route: Route;
  readonly matches: (uri: string) => boolean;
}

const CHECKS: Record<RouteKind, (definition: unknown) => string | undefined> = {
  tools: checkToolDefinition,
  prompts: checkPromptDefinition,
  resources: checkResourceDefinition,
  resourceTemplates: checkResourceTemplateDefinition,
};

/** Kinds whose names take the group's prefix; URIs are left as they are. */
const PREFIXED: ReadonlySet<RouteKind> = new Set(['tools', 'prompts']);

export class CatalogueSnapshot {
  readonly leftOut: readonly LeftOut[];
  /** What is listed to whoever may call everything. */
  readonly pages: Readonly<Record<RouteKind, ListPages>>;
  readonly entries: Readonly<Record<RouteKind, readonly ListedEntry[]>>;
  private readonly routes: Readonly<Record<RouteKind, ReadonlyMap<string, Route>>>;
  private readonly templates: readonly TemplateRoute[];

  constructor(groups: readonly WorkerGroup[], options: ListPagesOptions) {
    const leftOut: LeftOut[] = [];
    const merged = {
      tools: merge('tools', groups, leftOut),
      prompts: merge('prompts', groups, leftOut),
      resources: merge('resources', groups, leftOut),
      resourceTemplates: merge('resourceTemplates', groups, leftOut),
    };
    this.leftOut = leftOut;
    this.routes = mapKinds((kind) => merged[kind].routes);
    this.entries = mapKinds((kind) => merged[kind].entries);
    this.pages = mapKinds((kind) => listOf(kind, merged[kind].entries, options));
    this.templates = [...this.routes.resourceTemplates.values()].map((route) => ({
      route,
      matches: resourceTemplateMatcher(route.ownName),
    }));
  }

  tool(name: unknown): Route | undefined {
    return typeof name === 'string' ? this.routes.tools.get(name) : undefined;
  }

  prompt(name: unknown): Route | undefined {
    return typeof name === 'string' ? this.routes.prompts.get(name) : undefined;
  }

  /** A concrete resource first, then the first template that matches. */
  resource(uri: unknown): Route | undefined {
    if (typeof uri !== 'string') return undefined;
    return this.routes.resources.get(uri) ?? this.templates.find(({ matches }) => matches(uri))?.route;
  }

  /** The template with exactly this text, for completion. */
  template(uriTemplate: unknown): Route | undefined {
    return typeof uriTemplate === 'string' ? this.routes.resourceTemplates.get(uriTemplate) : undefined;
  }
}

export interface ListedEntry {
  readonly route: Route;
  /** As it stands in a list. */
  readonly json: string;
}

interface MergedKind {
  readonly routes: ReadonlyMap<string, Route>;
  readonly entries: readonly ListedEntry[];
}

function merge(kind: RouteKind, groups: readonly WorkerGroup[], leftOut: LeftOut[]): MergedKind {
  const routes = new Map<string, Route>();
  const entries: ListedEntry[] = [];
  for (const group of groups) {
    for (const entry of group.catalogue?.[kind] ?? []) {
      const made = toRoute({ kind, group, entry });
      const why =
        typeof made === 'string'
          ? made
          : routes.has(made.route.publicName)
            ? 'another group serves this name'
            : undefined;
      if (why !== undefined) leftOut.push({ group: group.id, kind, name: entry.name, why });
      else if (typeof made !== 'string') {
        routes.set(made.route.publicName, made.route);
        entries.push(made);
      }
    }
  }
  return { routes, entries };
}

/** The pages of one list. */
export function listOf(kind: RouteKind, entries: readonly ListedEntry[], options: ListPagesOptions): ListPages {
  return new ListPages(
    kind,
    entries.map(({ json }) => json),
    options,
  );
}

interface Candidate {
  readonly kind: RouteKind;
  readonly group: WorkerGroup;
  readonly entry: CatalogueEntry;
}

/** The route and the list entry, or why the entry cannot be served. */
function toRoute(candidate: Candidate): ListedEntry | string {
  const { kind, group, entry } = candidate;
  const definition = parseDefinition(entry.json);
  if (definition === undefined) return 'its definition is not a JSON object';
  const prefixed = PREFIXED.has(kind) && group.prefix !== '';
  if (prefixed) definition['name'] = `${group.prefix}${entry.name}`;
  const problem = CHECKS[kind](definition);
  if (problem !== undefined) return problem;
  const publicName = String(
    definition[kind === 'resources' ? 'uri' : kind === 'resourceTemplates' ? 'uriTemplate' : 'name'],
  );
  if (publicName !== (prefixed ? `${group.prefix}${entry.name}` : entry.name))
    return 'its definition names something else';
  const tool: Partial<ToolEntry> = kind === 'tools' ? entry : {};
  const route: Route = {
    group,
    kind,
    publicName,
    ownName: entry.name,
    needs: entry.needs,
    paramHeaders: paramHeadersOf(kind, definition),
    timeoutMs: entry.timeoutMs,
    requiredScopes: entry.requiredScopes ?? [],
    destructive: kind === 'tools' && destroys(definition['annotations']),
    singleUse: tool.singleUse === true,
    rerunAllowed: kind === 'tools' && mayRunTwice(definition['annotations']),
    openAnswers: tool.answers === 'open',
    abortOnDisconnect: tool.onDisconnect === 'abort',
    asker: group.catalogue?.worker.title,
  };
  return { route, json: prefixed ? JSON.stringify(definition) : entry.json };
}

/** Hints of a tool that may be wrong about itself; they decide only about a run that is lost already. */
function mayRunTwice(annotations: unknown): boolean {
  const { readOnlyHint, idempotentHint } = (annotations ?? {}) as Record<string, unknown>;
  return readOnlyHint === true || idempotentHint === true;
}

/** Only what is said: by the protocol a tool without annotations may destroy as well, and nothing could be called then. */
function destroys(annotations: unknown): boolean {
  return ((annotations ?? {}) as Record<string, unknown>)['destructiveHint'] === true;
}

function paramHeadersOf(kind: RouteKind, definition: Record<string, unknown>): readonly ParamHeader[] {
  const scan = kind === 'tools' ? scanParamHeaders(definition['inputSchema']) : undefined;
  return scan?.ok === true ? scan.headers : [];
}

function parseDefinition(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    // The caller reports the entry as left out; the parser's words would add nothing for an operator.
    return undefined;
  }
}

function mapKinds<T>(make: (kind: RouteKind) => T): Record<RouteKind, T> {
  return {
    tools: make('tools'),
    prompts: make('prompts'),
    resources: make('resources'),
    resourceTemplates: make('resourceTemplates'),
  };
}

/** Whether a worker's catalogue still has an entry: asked while replicas of a group differ. */
export function catalogueOffers(catalogue: WorkerCatalogue, route: Route): boolean {
  return catalogue[route.kind].some((entry) => entry.name === route.ownName);
}

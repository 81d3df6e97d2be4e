/**
 * Lists as their callers may see them. Made once for all who see the same, kept as long as catalogue and policy stay as
 * they are; whoever sees everything gets the list that the snapshot has anyway.
 */
import { Logger } from '@nestjs/common';
import { Selections, type Policy, type Selection } from '@roundhouse/auth';
import type { Access } from '../access/access.js';
import type { CallGate } from '../access/call-gate.js';
import type { ListPages, ListPagesOptions } from './list-pages.js';
import type { RouteKind } from './route.js';
import { listOf, type CatalogueSnapshot } from './snapshot.js';

interface View {
  readonly selections: Selections;
  /** Forgotten together with the selection, of which there are so many at most. */
  readonly pages: WeakMap<Selection, ListPages>;
}

type Views = Partial<Record<RouteKind, View>>;

export class VisibleLists {
  private readonly log = new Logger('catalogue');
  private readonly views = new WeakMap<Policy, WeakMap<CatalogueSnapshot, Views>>();

  constructor(
    private readonly gate: Pick<CallGate, 'policy' | 'termsOf'>,
    private readonly options: ListPagesOptions,
  ) {}

  pages(kind: RouteKind, snapshot: CatalogueSnapshot, access: Access): ListPages {
    const { policy } = this.gate;
    if (policy === undefined) return snapshot.pages[kind];
    const { selections, pages } = this.view(policy, snapshot, kind);
    const selection = selections.of(access);
    const entries = snapshot.entries[kind];
    if (selection.length === entries.length) return snapshot.pages[kind];
    const known = pages.get(selection);
    if (known !== undefined) return known;
    const chosen = selection.flatMap((at) => entries[at] ?? []);
    const made = listOf(kind, chosen, this.options);
    pages.set(selection, made);
    this.log.debug(`made a list of ${chosen.length} ${kind}`);
    return made;
  }

  private view(policy: Policy, snapshot: CatalogueSnapshot, kind: RouteKind): View {
    const ofPolicy = this.views.get(policy) ?? new WeakMap<CatalogueSnapshot, Views>();
    this.views.set(policy, ofPolicy);
    const ofSnapshot = ofPolicy.get(snapshot) ?? {};
    ofPolicy.set(snapshot, ofSnapshot);
    const terms = (): Selections =>
      new Selections(
        policy,
        snapshot.entries[kind].map(({ route }) => this.gate.termsOf(policy, route)),
      );
    return (ofSnapshot[kind] ??= { selections: terms(), pages: new WeakMap() });
  }
}

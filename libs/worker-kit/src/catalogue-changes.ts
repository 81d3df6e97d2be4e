/**
 * How a tool author says that something changed. Every router that watches this worker hears it and tells its clients.
 */
import { Injectable } from '@nestjs/common';
import { type Observable, Subject } from 'rxjs';
import type { ListKind, WatchItem } from '@roundhouse/contracts';

@Injectable()
export class CatalogueChanges {
  private readonly items = new Subject<WatchItem>();

  /** A list changed in the eyes of its author, even if its entries did not. */
  changed(list: ListKind): void {
    this.items.next({ kind: 'list_changed', list });
  }

  /** What is behind this address changed: clients that listen for it may read it again. */
  updated(uri: string): void {
    this.items.next({ kind: 'resource_updated', uri });
  }

  draining(): void {
    this.items.next({ kind: 'draining' });
  }

  asObservable(): Observable<WatchItem> {
    return this.items.asObservable();
  }
}

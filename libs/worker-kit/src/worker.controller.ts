/**
 * The rpc of a worker: `describe`, `watch`, `call` and the `cancel` event. Its only peer is the router, which is trusted
 * to have checked the caller.
 */
import { Controller } from '@nestjs/common';
import { Ctx, EventPattern, MessagePattern, Payload, TcpContext } from '@nestjs/microservices';
import { Observable, merge, of, takeUntil } from 'rxjs';
import {
  PATTERN,
  cancelSchema,
  type CallItem,
  type CallRequest,
  type WatchItem,
  type WorkerCatalogue,
} from '@roundhouse/contracts';
import { CallRunner } from './call-runner.js';
import { CatalogueChanges } from './catalogue-changes.js';
import { Connections } from './connections.js';
import { Registry } from './registry.js';
import { WorkerDrain } from './worker-drain.js';

@Controller()
export class WorkerController {
  private readonly connections = new Connections();

  constructor(
    private readonly registry: Registry,
    private readonly runner: CallRunner,
    private readonly changes: CatalogueChanges,
    private readonly drain: WorkerDrain,
  ) {
    drain.whenBegun(() => changes.draining());
  }

  @MessagePattern(PATTERN.describe)
  describe(): WorkerCatalogue {
    return this.registry.catalogue;
  }

  @MessagePattern(PATTERN.watch)
  watch(@Ctx() context: TcpContext): Observable<WatchItem> {
    const first: WatchItem[] = [{ kind: 'catalogue', hash: this.registry.catalogue.hash }];
    if (this.drain.isDraining) first.push({ kind: 'draining' });
    const { closed } = this.connections.of(context.getSocketRef());
    return merge(of(...first), this.changes.asObservable()).pipe(takeUntil(closed));
  }

  @MessagePattern(PATTERN.call)
  call(@Payload() request: CallRequest, @Ctx() context: TcpContext): Observable<CallItem> {
    return this.runner.call(request, this.connections.of(context.getSocketRef()));
  }

  @EventPattern(PATTERN.cancel)
  cancel(@Payload() event: unknown, @Ctx() context: unknown): void {
    const parsed = cancelSchema.safeParse(event);
    if (parsed.success) this.connections.of((context as TcpContext).getSocketRef()).cancel(parsed.data.callId);
  }
}

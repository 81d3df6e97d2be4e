/**
 * A worker whose every reply a test decides, behind the real rpc: for what a well-behaved worker never does (nonsense,
 * silence, sudden death). Counts what reached it.
 */
import { Controller, Inject, Module, type DynamicModule } from '@nestjs/common';
import { Ctx, EventPattern, MessagePattern, Payload, TcpContext } from '@nestjs/microservices';
import { PATTERN, type CallRequest, type Cancel, type WatchItem, type WorkerCatalogue } from '@roundhouse/contracts';
import { startMicroservice, type RunningService } from '@roundhouse/service-kit';
import { ReplaySubject, Subject, merge, type Observable } from 'rxjs';

/** Items may be anything at all: that is the point. */
export type Script = (request: CallRequest, connection: TcpContext) => Observable<unknown>;

export interface ScriptedEntry {
  readonly definition?: Record<string, unknown>;
  readonly entry?: Record<string, unknown>;
  readonly script?: Script;
}

export class ScriptedWorker {
  readonly calls: CallRequest[] = [];
  readonly cancelled: string[] = [];
  /** A router took it into service: it watches. */
  described = false;
  readonly changes = new Subject<WatchItem>();
  readonly onCancel = new ReplaySubject<string>(64);
  catalogue: WorkerCatalogue;
  private running: RunningService | undefined;

  constructor(
    private readonly tools: Readonly<Record<string, ScriptedEntry>>,
    options: { hash?: string; title?: string; other?: Partial<WorkerCatalogue> } = {},
  ) {
    this.catalogue = {
      worker: { name: 'scripted', version: '1.0.0', title: options.title },
      hash: options.hash ?? 'scripted-catalogue-hash',
      tools: Object.entries(tools).map(([name, { definition, entry }]) => ({
        name,
        json: JSON.stringify({ name, description: name, inputSchema: { type: 'object' }, ...definition }),
        ...entry,
      })),
      prompts: [],
      resources: [],
      resourceTemplates: [],
      ...options.other,
    };
  }

  async start(port = 0): Promise<string> {
    const module: DynamicModule = {
      module: ScriptedModule,
      controllers: [ScriptedController],
      providers: [{ provide: ScriptedWorker, useValue: this }],
    };
    this.running = await startMicroservice({
      name: 'scripted',
      module,
      listen: { host: '127.0.0.1', port },
      logLevel: 'silent',
    });
    return `127.0.0.1:${this.running.address.port}`;
  }

  async stop(): Promise<void> {
    await this.running?.close();
    this.running = undefined;
  }

  run(request: CallRequest, connection: TcpContext): Observable<unknown> {
    this.calls.push(request);
    const script = this.tools[request.target]?.script;
    if (script === undefined) throw new Error(`no script for ${request.target}`);
    return script(request, connection);
  }
}

@Controller()
class ScriptedController {
  constructor(@Inject(ScriptedWorker) private readonly worker: ScriptedWorker) {}

  @MessagePattern(PATTERN.describe)
  describe(): WorkerCatalogue {
    return this.worker.catalogue;
  }

  @MessagePattern(PATTERN.watch)
  watch(): Observable<WatchItem> {
    this.worker.described = true;
    const first = new ReplaySubject<WatchItem>(1);
    first.next({ kind: 'catalogue', hash: this.worker.catalogue.hash });
    return merge(first, this.worker.changes);
  }

  @MessagePattern(PATTERN.call)
  call(@Payload() request: CallRequest, @Ctx() connection: TcpContext): Observable<unknown> {
    return this.worker.run(request, connection);
  }

  @EventPattern(PATTERN.cancel)
  cancel(@Payload() { callId }: Cancel): void {
    this.worker.cancelled.push(callId);
    this.worker.onCancel.next(callId);
  }
}

@Module({})
class ScriptedModule {}

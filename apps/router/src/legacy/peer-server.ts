/** The rpc by which other routers reach this one. Reads sealed messages and hands them on; whatever else comes is not taken. */
import { Controller, Inject, Module, type DynamicModule } from '@nestjs/common';
import { Ctx, MessagePattern, Payload, RpcException, TcpContext } from '@nestjs/microservices';
import { PATTERN, routerMessageSchema, type ResumedEvent, type Told } from '@roundhouse/contracts';
import { startMicroservice, type RunningService, type ServiceOptions } from '@roundhouse/service-kit';
import { Observable, Subject, takeUntil } from 'rxjs';
import type { Follower, Journals } from './journals.js';
import type { RouterMessages, RouterTold } from './router-messages.js';

export class PeerInbox {
  /** Clients that read at another router, by the name it gave them. */
  private readonly readers = new Map<string, Follower>();

  constructor(
    private readonly messages: RouterMessages,
    private readonly journals: Journals,
    /** Whether anybody here wanted to know. */
    private readonly take: (told: RouterTold) => boolean,
  ) {}

  receive(message: unknown): boolean {
    const told = this.read(message);
    if (told?.kind === 'left') return this.left(told.reader);
    return told !== undefined && this.take(told);
  }

  /** Until the stream has no more, its client left, or the connection to the other router is `gone`. */
  resume(message: unknown, gone: Observable<unknown>): Observable<ResumedEvent> {
    const told = this.read(message);
    const events = new Observable<ResumedEvent>((subscriber) => {
      const follower: Follower = {
        event: (id, data, isLast) => {
          subscriber.next({ id, data });
          if (isLast) subscriber.complete();
        },
        prime: (id, retryMs) => subscriber.next({ id, data: '', retryMs }),
        end: () => subscriber.complete(),
      };
      if (told?.kind !== 'resume' || !this.journals.follow(told, follower))
        return subscriber.error(new RpcException({ code: 'stream_refused' }));
      const { name, reader = '' } = told;
      if (!subscriber.closed) this.readers.set(reader, follower);
      return () => {
        this.readers.delete(reader);
        this.journals.unfollow(name, follower);
      };
    });
    return events.pipe(takeUntil(gone));
  }

  /** What comes from now on waits for whoever takes the stream up next. */
  private left(reader: string): boolean {
    const follower = this.readers.get(reader);
    follower?.end();
    return follower !== undefined;
  }

  private read(message: unknown): RouterTold | undefined {
    const parsed = routerMessageSchema.safeParse(message);
    return parsed.success ? this.messages.open(parsed.data.sealed) : undefined;
  }
}

type Socket = ReturnType<TcpContext['getSocketRef']>;

@Controller()
class PeerController {
  private readonly closings = new WeakMap<Socket, Subject<void>>();

  constructor(@Inject(PeerInbox) private readonly inbox: PeerInbox) {}

  @MessagePattern(PATTERN.tell)
  tell(@Payload() message: unknown): Told {
    return { taken: this.inbox.receive(message) };
  }

  @MessagePattern(PATTERN.resume)
  resume(@Payload() message: unknown, @Ctx() context: TcpContext): Observable<ResumedEvent> {
    return this.inbox.resume(message, this.closingOf(context.getSocketRef()));
  }

  /** One listener a connection, however many streams it carries. */
  private closingOf(socket: Socket): Observable<void> {
    const known = this.closings.get(socket);
    if (known !== undefined) return known;
    const closing = new Subject<void>();
    this.closings.set(socket, closing);
    socket.on('close', () => closing.next());
    return closing;
  }
}

@Module({})
class PeerModule {}

export async function startPeerServer(
  inbox: PeerInbox,
  options: Pick<ServiceOptions, 'listen' | 'tls' | 'logLevel'>,
): Promise<RunningService> {
  const module: DynamicModule = {
    module: PeerModule,
    controllers: [PeerController],
    providers: [{ provide: PeerInbox, useValue: inbox }],
  };
  return startMicroservice({ ...options, name: 'router', module });
}

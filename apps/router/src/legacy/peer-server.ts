/** The rpc by which other routers reach this one. Reads sealed messages and hands them on; whatever else comes is not taken. */
import { Controller, Inject, Module, type DynamicModule } from '@nestjs/common';
import { MessagePattern, Payload, RpcException } from '@nestjs/microservices';
import { PATTERN, routerMessageSchema, type ResumedEvent, type Told } from '@roundhouse/contracts';
import { startMicroservice, type RunningService, type ServiceOptions } from '@roundhouse/service-kit';
import { Observable } from 'rxjs';
import type { Journals } from './journals.js';
import type { RouterMessages, RouterTold } from './router-messages.js';

export class PeerInbox {
  constructor(
    private readonly messages: RouterMessages,
    private readonly journals: Journals,
    /** Whether anybody here wanted to know. */
    private readonly take: (told: RouterTold) => boolean,
  ) {}

  receive(message: unknown): boolean {
    const told = this.read(message);
    return told !== undefined && this.take(told);
  }

  resume(message: unknown): Observable<ResumedEvent> {
    const told = this.read(message);
    return new Observable((subscriber) => {
      const isTaken =
        told?.kind === 'resume' &&
        this.journals.follow(told, {
          event: (id, data, isLast) => {
            subscriber.next({ id, data });
            if (isLast) subscriber.complete();
          },
          replaced: () => subscriber.complete(),
        });
      if (!isTaken) subscriber.error(new RpcException({ code: 'stream_refused' }));
    });
  }

  private read(message: unknown): RouterTold | undefined {
    const parsed = routerMessageSchema.safeParse(message);
    return parsed.success ? this.messages.open(parsed.data.sealed) : undefined;
  }
}

@Controller()
class PeerController {
  constructor(@Inject(PeerInbox) private readonly inbox: PeerInbox) {}

  @MessagePattern(PATTERN.tell)
  tell(@Payload() message: unknown): Told {
    return { taken: this.inbox.receive(message) };
  }

  @MessagePattern(PATTERN.resume)
  resume(@Payload() message: unknown): Observable<ResumedEvent> {
    return this.inbox.resume(message);
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

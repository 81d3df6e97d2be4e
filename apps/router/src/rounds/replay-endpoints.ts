/**
 * The replicas of the replay service: which is asked next. All of them are kept connected, so that every router shares its
 * questions out among all, and the second try of an operation reaches another replica than the first. One that is away is
 * passed over, and connected again beside the questions, a try at a time.
 */
import { formatAddress, type Address, type RpcClient } from '@roundhouse/service-kit';
import type { Dial } from '../dispatch/dial.js';

/** Between two tries to connect to a replica that is away. */
const RECONNECT_PAUSE_MS = 500;

interface Replica {
  readonly name: string;
  readonly client: RpcClient;
  nextTryMs: number;
}

export interface ReplayEndpointsOptions {
  readonly reconnectPauseMs?: number;
}

export class ReplayEndpoints {
  private replicas: readonly Replica[] = [];
  private turn = 0;
  private readonly pauseMs: number;

  constructor(
    private readonly dial: Dial,
    { reconnectPauseMs = RECONNECT_PAUSE_MS }: ReplayEndpointsOptions = {},
  ) {
    this.pauseMs = reconnectPauseMs;
  }

  get connectedCount(): number {
    return this.replicas.filter(({ client }) => client.isConnected).length;
  }

  /** What discovery names now; connections to those it named before stay. */
  replace(addresses: readonly Address[]): void {
    const known = new Map(this.replicas.map((replica) => [replica.name, replica]));
    const named = new Map(addresses.map((address) => [formatAddress(address), address]));
    for (const { name, client } of this.replicas) if (!named.has(name)) client.close();
    this.replicas = [...named].map(
      ([name, address]) => known.get(name) ?? { name, client: this.dial(address), nextTryMs: 0 },
    );
    for (const replica of this.replicas) this.connect(replica);
  }

  /** The next one that is connected; where none is, the next one at all; undefined where discovery names none. */
  next(): RpcClient | undefined {
    for (let asked = 0; asked < this.replicas.length; asked += 1) {
      const replica = this.turnTo();
      if (replica === undefined || replica.client.isConnected) return replica?.client;
      this.connect(replica);
    }
    return this.turnTo()?.client;
  }

  close(): void {
    this.replace([]);
  }

  private turnTo(): Replica | undefined {
    this.turn = (this.turn + 1) % Math.max(1, this.replicas.length);
    return this.replicas[this.turn];
  }

  private connect(replica: Replica): void {
    const nowMs = performance.now();
    if (replica.client.isConnected || nowMs < replica.nextTryMs) return;
    replica.nextTryMs = nowMs + this.pauseMs;
    // That it is away is heard by whoever asks it.
    replica.client.ready().catch(() => undefined);
  }
}

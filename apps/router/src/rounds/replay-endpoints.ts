/**
 * The replicas of the replay service: which is asked next. All of them are kept connected, so that every router shares its
 * questions out among all, and the second try of an operation reaches another replica than the first. One that is away is
 * passed over, and connected again beside the questions; so is one that was silent, for a while.
 */
import { formatAddress, type Address } from '@roundhouse/service-kit';
import type { Dial } from '../dispatch/dial.js';
import { ReplayReplica, type ReplicaOptions } from './replay-replica.js';

export class ReplayEndpoints {
  private byName: ReadonlyMap<string, ReplayReplica> = new Map();
  private replicas: readonly ReplayReplica[] = [];
  private turn = 0;

  constructor(
    private readonly dial: Dial,
    private readonly options: ReplicaOptions = {},
  ) {}

  get connectedCount(): number {
    return this.replicas.filter(({ isConnected }) => isConnected).length;
  }

  /** What discovery names now; connections to those it named before stay. */
  replace(addresses: readonly Address[]): void {
    const before = this.byName;
    const named = new Map(addresses.map((address) => [formatAddress(address), address]));
    for (const [name, { client }] of before) if (!named.has(name)) client.close();
    this.byName = new Map(
      [...named].map(([name, address]) => [
        name,
        before.get(name) ?? new ReplayReplica(this.dial(address), this.options),
      ]),
    );
    this.replicas = [...this.byName.values()];
    for (const replica of this.replicas) replica.connect();
  }

  /** The next one that may be asked; where none may, the next that is connected, or the next at all; undefined without any. */
  next(): ReplayReplica | undefined {
    const ready = this.nextThat((replica) => {
      if (!replica.isConnected) replica.connect();
      return replica.isConnected && replica.mayBeAsked();
    });
    return ready ?? this.nextThat(({ isConnected }) => isConnected) ?? this.nextThat(() => true);
  }

  close(): void {
    this.replace([]);
  }

  private nextThat(holds: (replica: ReplayReplica) => boolean): ReplayReplica | undefined {
    const { replicas } = this;
    for (let ahead = 1; ahead <= replicas.length; ahead += 1) {
      const at = (this.turn + ahead) % replicas.length;
      const replica = replicas[at];
      if (replica === undefined || !holds(replica)) continue;
      this.turn = at;
      return replica;
    }
    return undefined;
  }
}

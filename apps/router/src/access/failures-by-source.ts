/**
 * How often authorization may fail for one source. A token bucket for each IPv4 address and each IPv6 network of 64 bits,
 * in a table of fixed size: with more sources than it holds, those that failed least are forgotten, and nobody is refused
 * for that. Of this process alone: a flood that spreads over routers is let through once by each.
 */
import { randomBytes } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';

export const SOURCES_MAX = 4_096;
/** Places that one source may have, so that few crowd each other out. */
const WAYS = 8;
const SETS = SOURCES_MAX / WAYS;

export interface FailureTerms {
  readonly perMinute: number;
  readonly burst: number;
}

export interface FailuresOptions extends FailureTerms {
  /** Milliseconds; a clock that never steps back. */
  readonly now: () => number;
}

export class FailuresBySource {
  /** Of each place: who, as 64 bits, and how many failures count, as of when. */
  private readonly high = new Uint32Array(SOURCES_MAX);
  private readonly low = new Uint32Array(SOURCES_MAX);
  private readonly failures = new Float64Array(SOURCES_MAX);
  private readonly atMs = new Float64Array(SOURCES_MAX);
  private readonly seed = randomBytes(4).readUInt32LE();
  private readonly source = new Uint32Array(2);

  constructor(private readonly options: FailuresOptions) {}

  /** Zero when it may fail once more, or how long to wait, in milliseconds. What is no IP address is one source. */
  waitMs(address: string): number {
    const place = this.find(address);
    return place === undefined ? 0 : this.waitAt(place);
  }

  /** It failed. Tells as `waitMs` did before; what is refused for that does not count again. */
  note(address: string): number {
    const place = this.find(address) ?? this.take();
    const waitMs = this.waitAt(place);
    if (waitMs > 0) return waitMs;
    this.failures[place] = this.countAt(place) + 1;
    this.atMs[place] = this.options.now();
    return 0;
  }

  private waitAt(place: number): number {
    const { burst, perMinute } = this.options;
    const over = this.countAt(place) + 1 - burst;
    return over <= 0 ? 0 : (over / perMinute) * 60_000;
  }

  /** Fades at the rate that is allowed. */
  private countAt(place: number): number {
    const passedMs = this.options.now() - (this.atMs[place] as number);
    return Math.max(0, (this.failures[place] as number) - (passedMs * this.options.perMinute) / 60_000);
  }

  private find(address: string): number | undefined {
    readSource(address, this.source);
    const [high, low] = this.source as unknown as [number, number];
    const first = this.setOf(high, low) * WAYS;
    for (let place = first; place < first + WAYS; place += 1)
      if (this.high[place] === high && this.low[place] === low && this.failures[place] !== 0) return place;
    return undefined;
  }

  /** A place for the source that was looked for: free, or of who failed least. */
  private take(): number {
    const [high, low] = this.source as unknown as [number, number];
    const first = this.setOf(high, low) * WAYS;
    let least = first;
    for (let place = first + 1; place < first + WAYS; place += 1)
      if (this.countAt(place) < this.countAt(least)) least = place;
    this.high[least] = high;
    this.low[least] = low;
    this.failures[least] = 0;
    return least;
  }

  /** Seeded, so that nobody can choose addresses that crowd out another's. */
  private setOf(high: number, low: number): number {
    let hash = Math.imul(high ^ this.seed, 0x9e3779b1);
    hash = Math.imul((hash ^ (hash >>> 15)) + low, 0x85ebca77);
    hash = Math.imul(hash ^ (hash >>> 13) ^ this.seed, 0xc2b2ae3d);
    return ((hash ^ (hash >>> 16)) >>> 0) % SETS;
  }
}

/** An IPv4 address is its 32 bits, an IPv6 address its first 64: whoever has one has the network. */
function readSource(address: string, into: Uint32Array): void {
  into.fill(0);
  if (isIPv4(address)) into[1] = address.split('.').reduce((bits, part) => bits * 256 + Number(part), 0);
  else if (isIPv6(address)) readNetwork(address, into);
}

function readNetwork(address: string, into: Uint32Array): void {
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  // The last part may be an IPv4 address, which is two.
  const rightFrom = 8 - right.length - (right.at(-1)?.includes('.') ? 1 : 0);
  const partAt = (at: number): number =>
    parseInt(left[at] ?? (at >= rightFrom ? right[at - rightFrom] : '') ?? '', 16) || 0;
  into[0] = partAt(0) * 0x10000 + partAt(1);
  into[1] = partAt(2) * 0x10000 + partAt(3);
}

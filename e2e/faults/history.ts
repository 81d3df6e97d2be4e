/**
 * What clients sent and got, and when something was broken on purpose, as lines of a file and in memory. Holds no state
 * string and no answer's text: a body is its digest.
 */
import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs';
import { once } from 'node:events';
import { dirname } from 'node:path';

/** What the client told the tool; each is a fingerprint of its own. */
export const WAYS = ['left', 'right', 'decline'] as const;
export type Way = (typeof WAYS)[number];

/**
 * `later`: send it again (503, or a round without questions) · `lost`: no answer arrived · `unknown`: the router says
 * that it cannot tell whether it ran · `failed`: an error that nothing of this explains.
 */
export type AnswerClass = 'success' | 'refused' | 'unknown' | 'later' | 'lost' | 'failed';

/** One state that a client got, and with it one nonce. Moments are milliseconds since the start of the run. */
export interface Minted {
  readonly kind: 'minted';
  readonly nonce: string;
  readonly router: string;
  readonly sentMs: number;
  readonly endedMs: number;
}

/** A nonce presented once. */
export interface Presented {
  readonly kind: 'presented';
  readonly nonce: string;
  readonly way: Way;
  readonly router: string;
  readonly sentMs: number;
  readonly endedMs: number;
  readonly answer: AnswerClass;
  /** Digest of a success's result. */
  readonly body?: string;
  /** Why it was lost, or the public text of an error. */
  readonly note?: string;
}

/** Something broken on purpose, until it was whole again. */
export interface FaultWindow {
  readonly kind: 'fault';
  readonly fault: string;
  readonly victim: string;
  readonly startedMs: number;
  readonly endedMs: number;
}

export type HistoryLine = Minted | Presented | FaultWindow;

export class History {
  readonly minted: Minted[] = [];
  readonly presented: Presented[] = [];
  readonly faults: FaultWindow[] = [];
  private readonly startedAtMs = performance.now();
  private readonly lines: WriteStream;

  constructor(readonly file: string) {
    mkdirSync(dirname(file), { recursive: true });
    this.lines = createWriteStream(file);
  }

  nowMs(): number {
    return Math.round((performance.now() - this.startedAtMs) * 10) / 10;
  }

  add(line: HistoryLine): void {
    if (line.kind === 'minted') this.minted.push(line);
    else if (line.kind === 'presented') this.presented.push(line);
    else this.faults.push(line);
    this.lines.write(`${JSON.stringify(line)}\n`);
  }

  async close(): Promise<void> {
    this.lines.end();
    await once(this.lines, 'close');
  }
}

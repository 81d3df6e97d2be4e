/** Watches the router's resident memory over many calls: a slope that stays is a leak. */
import type { ProcessSeat } from '../harness/process-seat.js';
import { probe } from './probe.js';
import { readRssKb } from './processor-time.js';
import { ECHO_TOOL } from './requests.js';
import { slopeOf, type Point } from './statistics.js';
import { putLoad } from './wrk.js';

/** Until then the heap finds its size and code is compiled. */
const WARM_UP_CALLS = 20_000;
/** Long enough for some thousand calls, short enough for many readings. */
const BURST_S = 1;

export interface RouterMemory {
  readonly slopeKbPer1000: number;
  readonly firstKb: number;
  readonly lastKb: number;
  readonly calls: number;
  readonly readings: number;
}

export async function measureRouterMemory(router: ProcessSeat, calls: number): Promise<RouterMemory> {
  const replyBytes = await probe(router.port, ECHO_TOOL);
  const burst = async (): Promise<number> => {
    const { count } = await putLoad({ port: router.port, request: ECHO_TOOL.request, replyBytes, seconds: BURST_S });
    return count;
  };
  for (let done = 0; done < WARM_UP_CALLS;) done += await burst();
  const readings: Point[] = [{ x: 0, y: readRssKb(router.process.pid) }];
  for (let done = 0; done < calls;) {
    done += await burst();
    readings.push({ x: done / 1_000, y: readRssKb(router.process.pid) });
  }
  const [first, last] = [readings[0], readings.at(-1)];
  return {
    slopeKbPer1000: slopeOf(readings),
    firstKb: first?.y ?? 0,
    lastKb: last?.y ?? 0,
    calls: Math.round((last?.x ?? 0) * 1_000),
    readings: readings.length,
  };
}

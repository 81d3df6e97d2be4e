/** Figures and times as people read them. */

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const DAY_S = 24 * HOUR_S;

/** `4 min 12 s`, `3 h 5 min`, `12 d 4 h`: two units at most. */
export function duration(seconds: number): string {
  const s = Math.max(0, Math.floor(seconds));
  if (s < MINUTE_S) return `${s} s`;
  if (s < HOUR_S) return two(s, [MINUTE_S, 'min'], [1, 's']);
  if (s < DAY_S) return two(s, [HOUR_S, 'h'], [MINUTE_S, 'min']);
  return two(s, [DAY_S, 'd'], [HOUR_S, 'h']);
}

function two(s: number, [large, largeName]: [number, string], [small, smallName]: [number, string]): string {
  const rest = Math.floor((s % large) / small);
  return `${Math.floor(s / large)} ${largeName}${rest === 0 ? '' : ` ${rest} ${smallName}`}`;
}

/** `1 tool`, `3 tools`. */
export function counted(count: number, one: string, many: string = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Per second, as exactly as it is steady: `0`, `0.05`, `3.2`, `140`. */
export function perSecond(rate: number): string {
  if (rate === 0) return '0';
  if (rate < 0.1) return rate.toFixed(2);
  return rate < 10 ? rate.toFixed(1) : String(Math.round(rate));
}

/** Time of day in UTC. */
export function timeOfDay(rfc3339: string): string {
  return rfc3339.slice(11, 19);
}

/** `9 ms`, `118 ms`, `2.3 s`. */
export function latency(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

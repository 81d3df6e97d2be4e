// Pieces of PromQL that every dashboard repeats: whose series, how fast, and which quantile.

/** Series of the chosen routers. Workers export some of the same metrics; their job is another one. */
export const ROUTERS = 'job=~"$job", instance=~"$instance"';
export const WORKERS = 'job=~"$worker_job"';
export const REPLAYS = 'job=~"$replay_job"';

const by = (labels) => (labels === '' ? '' : ` by (${labels})`);

/** Sum of what counters gained in a second. */
export function rate(metric, { where = ROUTERS, labels = '' } = {}) {
  return `sum${by(labels)} (rate(${metric}{${where}}[$__rate_interval]))`;
}

/**
 * What counters gained in the time that is shown; nothing counted is 0, not "no data". A series that began meanwhile
 * gained all that it has: increase would not see its first value, which for what is rare is the only one.
 */
export function gained(metric, { where = ROUTERS, labels = '' } = {}) {
  const series = `${metric}{${where}}`;
  const gain = `(${series} unless ${series} offset $__range) or increase(${series}[$__range])`;
  const total = `sum${by(labels)} (${gain})`;
  return labels === '' ? `${total} or vector(0)` : total;
}

export function sum(metric, { where = ROUTERS, labels = '' } = {}) {
  return `sum${by(labels)} (${metric}{${where}})`;
}

export function max(metric, { where = ROUTERS, labels = '' } = {}) {
  return `max${by(labels)} (${metric}{${where}})`;
}

export function quantile(share, metric, { where = ROUTERS, labels = '' } = {}) {
  const groups = labels === '' ? 'le' : `le, ${labels}`;
  return `histogram_quantile(${share}, sum by (${groups}) (rate(${metric}_bucket{${where}}[$__rate_interval])))`;
}

/** Of all that the counter counted, the part that `which` selects; 0 when nothing of it was counted. */
export function share(metric, which, { where = ROUTERS, labels = '' } = {}) {
  const part = rate(metric, { where: `${where}, ${which}`, labels });
  const whole = rate(metric, { where, labels });
  return `(${part} or 0 * ${whole}) / ${whole}`;
}

/** The last minute in figures, each with a picture of it. */
import type { TrafficView } from './console-view.js';
import { html, type Html } from './html.js';
import { perSecond } from './words.js';

/** Height of a picture in its own units, whatever size it is shown at. */
const HEIGHT = 24;

export function trafficSection(traffic: TrafficView): Html {
  const { requests, refused, failed, inFlight, inFlightMax, streams, streamsMax } = traffic;
  return html`<section id="traffic" aria-labelledby="traffic-title" data-live>
    <h2 id="traffic-title">Last minute</h2>
    <div class="figures">
      ${rate('Requests', requests, 'plain')} ${rate('Refused', refused, 'warn')} ${rate('Failed', failed, 'bad')}
      ${level('Calls in flight', inFlight, inFlightMax)} ${level('Listen streams', streams, streamsMax)}
    </div>
  </section>`;
}

function rate(name: string, counts: readonly number[], tone: string): Html {
  const whole = counts.slice(0, -1);
  const total = whole.reduce((sum, count) => sum + count, 0);
  const peak = Math.max(...whole);
  return html`<div class="figure">
    <h3>${name}</h3>
    <p class="value">${perSecond(total / whole.length)}<span class="unit"> /s</span></p>
    <svg
      class="spark ${total === 0 ? 'quiet' : tone}"
      viewBox="0 0 ${whole.length} ${HEIGHT}"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d="${columns(whole, peak)}" />
    </svg>
    <p class="aside">${total === 0 ? 'none' : `${total} in all, peak ${peak}`}</p>
  </div>`;
}

function level(name: string, value: number, max: number): Html {
  const share = Math.min(1, value / max) * 100;
  return html`<div class="figure">
    <h3>${name}</h3>
    <p class="value">${value}</p>
    <svg class="share" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect class="rail" width="100" height="4" />
      <rect width="${share.toFixed(2)}" height="4" />
    </svg>
    <p class="aside">of ${max.toLocaleString('en')} at most</p>
  </div>`;
}

/** A column a second. A second with anything in it is seen, however high the others are. */
function columns(counts: readonly number[], peak: number): string {
  const heightOf = (count: number): number => (count === 0 ? 0.6 : Math.max(2, (count / peak) * HEIGHT));
  return counts.map((count, at) => `M${at} ${HEIGHT}v-${heightOf(count).toFixed(2)}h.72V${HEIGHT}z`).join('');
}

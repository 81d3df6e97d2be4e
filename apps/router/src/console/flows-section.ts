/** Flows that wait for an answer, by how long ago they began. */
import type { FlowsView } from './console-view.js';
import { html, type Html } from './html.js';

export function flowsSection({ ages, opened, finished, failed }: FlowsView): Html {
  const most = Math.max(1, ...ages.map(({ count }) => count));
  const isQuiet = ages.every(({ count }) => count === 0);
  return html`<section id="flows" aria-labelledby="flows-title" data-live>
    <h2 id="flows-title">Open flows</h2>
    ${isQuiet ? html`<p class="empty">No flow waits for an answer.</p>` : tableOf(ages, most)}
    <p class="aside">Since the start: ${opened} opened, ${finished} finished, ${failed} failed.</p>
    <p class="aside">
      Counted by this router alone. A flow may end on another one than it began on, so a count may be below zero; only
      the sum over all routers is the number of open flows.
    </p>
  </section>`;
}

function tableOf(ages: FlowsView['ages'], most: number): Html {
  return html`<table class="bars">
    <caption class="unseen">
      Open flows by age
    </caption>
    <thead>
      <tr>
        <th scope="col">Began</th>
        <th scope="col" class="number">Flows</th>
        <th scope="col" class="bar"><span class="unseen">As a bar</span></th>
      </tr>
    </thead>
    <tbody>
      ${ages.map(
        ({ age, count }) =>
          html`<tr>
            <th scope="row">${age}</th>
            <td class="number">${count}</td>
            <td class="bar" aria-hidden="true">
              <svg viewBox="0 0 100 8" preserveAspectRatio="none">
                <rect width="${((Math.max(0, count) / most) * 100).toFixed(1)}" height="8" />
              </svg>
            </td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

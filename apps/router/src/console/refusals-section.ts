/** The last refusals by their private reason. */
import { glyph } from './glyph.js';
import { breakable } from './breakable.js';
import { html, type Html } from './html.js';
import { REFUSALS_KEPT, type Refusal } from './refusal-ring.js';
import { counted, timeOfDay } from './words.js';

/** So many are seen at once; the others open on demand. */
const SHOWN = 12;

export function refusalsSection(refusals: readonly Refusal[]): Html {
  return html`<section id="refusals" aria-labelledby="refusals-title" data-live>
    <h2 id="refusals-title">Last refusals</h2>
    ${refusals.length === 0 ? html`<p class="empty">Nothing was refused since this router started.</p>` : listOf(refusals)}
  </section>`;
}

function listOf(refusals: readonly Refusal[]): Html {
  const older = refusals.slice(SHOWN);
  return html`${tableOf(refusals.slice(0, SHOWN), 'The last refusals')}
    ${
      older.length > 0 &&
      html`<details id="older-refusals">
        <summary>${counted(older.length, 'earlier one', 'earlier ones')}</summary>
        ${tableOf(older, 'Earlier refusals')}
      </details>`
    }
    <p class="aside">The last ${REFUSALS_KEPT} are kept. Who was refused and what they sent is not.</p>`;
}

function tableOf(refusals: readonly Refusal[], caption: string): Html {
  return html`<table class="refusals">
    <caption class="unseen">
      ${caption}, latest first
    </caption>
    <thead>
      <tr>
        <th scope="col">Time, UTC</th>
        <th scope="col">Reason</th>
        <th scope="col">Request</th>
      </tr>
    </thead>
    <tbody>
      ${refusals.map(rowOf)}
    </tbody>
  </table>`;
}

function rowOf({ time, code, reason, blame, method, name }: Refusal): Html {
  const tone = blame === 'client' ? 'idle' : 'bad';
  // Where the code says all there is to say, it stands for both.
  const told = reason === 'as_coded' ? code : reason;
  return html`<tr>
    <td class="when"><time datetime="${time}">${timeOfDay(time)}</time></td>
    <th scope="row">
      <span class="reason ${tone}">${glyph(tone)}<code>${breakable(told)}</code></span
      >${told !== code && html`<span class="aside"><code>${breakable(code)}</code></span>`}
    </th>
    <td>
      ${method === undefined ? html`<span class="aside">not read that far</span>` : html`<code>${breakable(method)}</code>${name !== undefined && html`<span class="aside"><code>${breakable(name)}</code></span>`}`}
    </td>
  </tr>`;
}

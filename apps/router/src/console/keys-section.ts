/** The sealing keys by role and age. Ids alone: there is no way from here to the material. */
import type { KeysView, KeyView } from './console-view.js';
import { glyph, type Tone } from './glyph.js';
import { html, type Html } from './html.js';
import { duration } from './words.js';

const ROLES: Readonly<Record<KeyView['role'], { readonly tone: Tone; readonly word: string }>> = {
  primary: { tone: 'ok', word: 'Seals' },
  staged: { tone: 'idle', word: 'Staged' },
  previous: { tone: 'idle', word: 'Opens only' },
  disabled: { tone: 'bad', word: 'Disabled' },
  destroyed: { tone: 'idle', word: 'Destroyed' },
};

export function keysSection({ keys, outcome }: KeysView): Html {
  return html`<section id="keys" aria-labelledby="keys-title" data-live>
    <h2 id="keys-title">Sealing keys</h2>
    ${outcome === 'error' && html`<p class="notice warn">${glyph('warn')}The file is bad; these keys stay in charge.</p>`}
    ${keys.length === 0 ? html`<p class="empty">There is no key.</p>` : tableOf(keys)}
  </section>`;
}

function tableOf(keys: readonly KeyView[]): Html {
  return html`<table>
    <caption class="unseen">
      Sealing keys
    </caption>
    <thead>
      <tr>
        <th scope="col">Key</th>
        <th scope="col">Role</th>
        <th scope="col" class="number">Age</th>
      </tr>
    </thead>
    <tbody>
      ${keys.map(rowOf)}
    </tbody>
  </table>`;
}

function rowOf({ kid, role, ageS }: KeyView): Html {
  const { tone, word } = ROLES[role];
  return html`<tr>
    <th scope="row" class="address">${kid}</th>
    <td class="${tone} status">${glyph(tone)}${word}</td>
    <td class="number">${ageS < 0 ? `in ${duration(-ageS)}` : duration(ageS)}</td>
  </tr>`;
}

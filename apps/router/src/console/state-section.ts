/** Whether this router takes traffic, and what an operator should look at: the answer to why anybody opens the page. */
import type { Concern } from './concerns.js';
import type { ConsoleView } from './console-view.js';
import { html, type Html } from './html.js';
import { glyph } from './glyph.js';

export function stateSection({ notReady, concerns, groups }: ConsoleView): Html {
  const tone = notReady !== undefined ? 'bad' : concerns.length > 0 ? 'warn' : 'ok';
  return html`<section
    id="state"
    class="state ${tone}"
    aria-labelledby="state-title"
    data-live
    data-say="${say(notReady, concerns)}"
  >
    <h2 id="state-title">
      ${glyph(notReady === undefined ? 'ok' : 'bad')}${notReady === undefined ? 'Ready' : 'Not ready'}
    </h2>
    <p class="lead">${lead(notReady, groups.length)}</p>
    ${concerns.length === 0 ? html`<p class="calm">Nothing needs attention.</p>` : listOf(concerns)}
  </section>`;
}

function lead(notReady: string | undefined, groups: number): string {
  if (notReady === 'draining') return 'It was asked to stop: it finishes what it has and takes nothing new.';
  if (notReady !== undefined) return `It takes no traffic: ${notReady}.`;
  return groups === 0 ? 'It takes traffic, but no worker group is configured.' : 'It takes traffic.';
}

function listOf(concerns: readonly Concern[]): Html {
  return html`<ul class="concerns" aria-label="Needs attention">
    ${concerns.map(({ level, text }) => html`<li class="${level}">${glyph(level)}${text}</li>`)}
  </ul>`;
}

/** What a screen reader is told when it becomes different. */
function say(notReady: string | undefined, concerns: readonly Concern[]): string {
  const state = notReady === undefined ? 'Ready.' : `Not ready: ${notReady}.`;
  return [state, ...concerns.map(({ text }) => text)].join(' ');
}

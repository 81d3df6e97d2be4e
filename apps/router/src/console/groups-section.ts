/** The worker groups and each of their replicas. */
import { glyph, type Tone } from './glyph.js';
import type { GroupView, WorkerState, WorkerView } from './group-view.js';
import { html, type Html } from './html.js';
import { breakable } from './breakable.js';
import { counted, latency } from './words.js';

/** Enough to tell two apart, as with commits. */
const HASH_CHARS = 8;

const STATES: Readonly<Record<WorkerState, { readonly tone: Tone; readonly word: string }>> = {
  ready: { tone: 'ok', word: 'Ready' },
  'set aside': { tone: 'warn', word: 'Set aside' },
  draining: { tone: 'idle', word: 'Draining' },
  'not connected': { tone: 'bad', word: 'Not connected' },
};

export function groupsSection(groups: readonly GroupView[]): Html {
  return html`<section id="groups" aria-labelledby="groups-title" data-live>
    <h2 id="groups-title">Workers</h2>
    ${groups.length === 0 ? html`<p class="empty">No worker group is configured. Name some in <code>router.workers</code>.</p>` : groups.map(groupOf)}
  </section>`;
}

function groupOf(group: GroupView): Html {
  const { id, worker, workers, catalogueHash, diverges } = group;
  return html`<article class="group">
    <h3>${id}</h3>
    <p class="aside">
      ${worker === undefined ? 'Has not described itself yet.' : html`${worker.name} ${worker.version} · ${offers(group)}`}
    </p>
    <p class="aside">
      ${catalogueHash !== undefined && html`Catalogue <code title="${catalogueHash}">${short(catalogueHash)}</code>`}${prefixOf(group)}
    </p>
    ${diverges && html`<p class="notice warn">${glyph('warn')}Its workers offer different catalogues, as during an update. A flow goes on where it began.</p>`}
    ${workers.length === 0 ? html`<p class="empty">No replica is known yet.</p>` : tableOf(group)}
  </article>`;
}

function prefixOf({ prefix }: GroupView): Html | false {
  return prefix !== '' && html` · names begin with <code>${prefix}</code>`;
}

function offers({ offers: { tools, prompts, resources, resourceTemplates } }: GroupView): string {
  const parts = [
    [tools, 'tool'],
    [prompts, 'prompt'],
    [resources, 'resource'],
    [resourceTemplates, 'template'],
  ] as const;
  const some = parts.filter(([count]) => count > 0);
  return some.length === 0 ? 'offers nothing' : some.map(([count, one]) => counted(count, one)).join(', ');
}

function tableOf({ id, workers, diverges }: GroupView): Html {
  return html`<table class="workers">
    <caption class="unseen">
      Workers of group ${id}
    </caption>
    <thead>
      <tr>
        <th scope="col">Worker</th>
        <th scope="col">State</th>
        <th scope="col" class="number">In flight</th>
        <th scope="col" class="number">Peak</th>
      </tr>
    </thead>
    <tbody>
      ${workers.map((worker) => rowOf(worker, diverges))}
    </tbody>
  </table>`;
}

function rowOf({ address, state, inFlight, latencyMs, catalogueHash }: WorkerView, diverges: boolean): Html {
  const { tone, word } = STATES[state];
  return html`<tr>
    <th scope="row" class="address">
      ${breakable(address)}${diverges && catalogueHash !== undefined && html`<span class="aside">${short(catalogueHash)}</span>`}
    </th>
    <td class="${tone} status">${glyph(tone)}${word}</td>
    <td class="number">${inFlight}</td>
    <td class="number">${state === 'ready' ? latency(latencyMs) : html`<span class="aside">–</span>`}</td>
  </tr>`;
}

function short(hash: string): string {
  return hash.slice(0, HASH_CHARS);
}

/** What can be called here, and what was left out because somebody else has its name or it is not fit to be served. */
import type { RouteKind } from '../catalogue/route.js';
import type { LeftOut } from '../catalogue/snapshot.js';
import type { ConsoleView, ToolView } from './console-view.js';
import { html, type Html } from './html.js';
import { breakable } from './breakable.js';
import { counted } from './words.js';

const KINDS: Readonly<Record<RouteKind, string>> = {
  tools: 'Tool',
  prompts: 'Prompt',
  resources: 'Resource',
  resourceTemplates: 'Template',
};

export function namesSection({ tools, leftOut }: ConsoleView): Html {
  return html`<section id="names" aria-labelledby="names-title" data-live>
    <h2 id="names-title">Catalogue</h2>
    ${leftOut.length === 0 ? html`<p class="calm">No name is claimed twice, and none is left out.</p>` : leftOutTable(leftOut)}
    ${
      tools.length === 0
        ? html`<p class="empty">No tool can be called.</p>`
        : html`<details id="tools">
            <summary>${counted(tools.length, 'tool')}</summary>
            ${toolTable(tools)}
          </details>`
    }
  </section>`;
}

function leftOutTable(leftOut: readonly LeftOut[]): Html {
  return html`<table class="names">
    <caption>
      ${counted(leftOut.length, 'name is', 'names are')} left out
    </caption>
    <thead>
      <tr>
        <th scope="col">Name</th>
        <th scope="col">Of group, and why</th>
      </tr>
    </thead>
    <tbody>
      ${leftOut.map(
        ({ kind, name, group, why }) =>
          html`<tr>
            <th scope="row"><span class="name">${breakable(name)}</span><span class="aside">${KINDS[kind]}</span></th>
            <td>${group}<span class="aside">${why}</span></td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function toolTable(tools: readonly ToolView[]): Html {
  return html`<table class="names">
    <caption class="unseen">
      Tools that can be called
    </caption>
    <thead>
      <tr>
        <th scope="col">Tool</th>
        <th scope="col">Group</th>
        <th scope="col">Says of itself</th>
      </tr>
    </thead>
    <tbody>
      ${tools.map(
        (tool) =>
          html`<tr>
            <th scope="row"><span class="name">${breakable(tool.name)}</span></th>
            <td>${tool.group}</td>
            <td>${traits(tool)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function traits({ singleUse, destructive }: ToolView): Html | string {
  const said = [singleUse && 'runs once', destructive && 'destroys'].filter((each) => each !== false);
  return said.length === 0 ? html`<span class="aside">–</span>` : said.join(', ');
}

/**
 * The console as one HTML page: complete without a script, which only keeps it fresh. Nothing is loaded from anywhere,
 * and the policy that goes with it lets nothing else run or be loaded.
 */
import { createHash } from 'node:crypto';
import type { ConsoleView } from './console-view.js';
import { flowsSection } from './flows-section.js';
import { groupsSection } from './groups-section.js';
import { Html, html } from './html.js';
import { keysSection } from './keys-section.js';
import { namesSection } from './names-section.js';
import { PAGE_SCRIPT } from './page-script.js';
import { PAGE_STYLE } from './page-style.js';
import { refusalsSection } from './refusals-section.js';
import { stateSection } from './state-section.js';
import { trafficSection } from './traffic-section.js';
import { duration, timeOfDay } from './words.js';

/** Without a script the page asks for itself anew. */
const RELOAD_S = 10;

export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src '${hashOf(PAGE_STYLE)}'`,
  `script-src '${hashOf(PAGE_SCRIPT)}'`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Byte for byte what the hashes are of: a template would be laid out anew by whoever formats this file. */
const STYLE = Html.verbatim(`<style>${PAGE_STYLE}</style>`);
const SCRIPT = Html.verbatim(`<script>${PAGE_SCRIPT}</script>`);

export function renderPage(view: ConsoleView): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${view.notReady === undefined ? 'Ready' : 'Not ready'} · ${view.host} · Roundhouse</title>
        <noscript><meta http-equiv="refresh" content="${RELOAD_S}" /></noscript>
        ${STYLE}
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        ${banner(view)}
        <main id="main">
          ${stateSection(view)} ${trafficSection(view.traffic)}
          <div class="columns">
            ${groupsSection(view.groups)}
            <div class="side">${flowsSection(view.flows)} ${keysSection(view.keys)}</div>
          </div>
          ${refusalsSection(view.refusals)} ${namesSection(view)}
        </main>
        <p id="said" class="unseen" role="status"></p>
        ${SCRIPT}
      </body>
    </html> `.toString();
}

function banner({ host, version, uptimeS, time }: ConsoleView): Html {
  return html`<header class="banner">
    <p class="brand">${Html.verbatim(MARK)}<span>Roundhouse</span></p>
    <h1>Router <span class="host">${host}</span></h1>
    <dl id="about" data-live>
      <div>
        <dt>Version</dt>
        <dd>${version}</dd>
      </div>
      <div>
        <dt>Up</dt>
        <dd>${duration(uptimeS)}</dd>
      </div>
      <div>
        <dt>As of</dt>
        <dd><time datetime="${time}">${timeOfDay(time)}</time> UTC</dd>
      </div>
    </dl>
    <button type="button" id="pause" hidden>Pause</button>
  </header>`;
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** A roundhouse from above: the turntable and its tracks. */
const MARK = `<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><g fill="none" stroke="currentColor" stroke-width="2.5" stroke-linecap="round"><circle cx="16" cy="19" r="5"/><path d="M11.5 19h9M8 19H2.500M24 19h5.500M10.300 13.300 6.500 9.500M21.700 13.300l3.800-3.800M16 11V5.500"/></g></svg>`;

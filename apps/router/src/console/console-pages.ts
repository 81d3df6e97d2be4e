/** The console's paths on the admin port: the page, and the same as JSON. */
import { AdminReply, type AdminPages, type Readiness } from '@roundhouse/service-kit';
import { readConsole, type ConsoleParts } from './console-view.js';
import { CONTENT_SECURITY_POLICY, renderPage } from './page.js';

const HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

export function consolePages(parts: ConsoleParts, readiness: Readiness): AdminPages {
  const page = (): AdminReply =>
    new AdminReply({
      type: 'text/html; charset=utf-8',
      body: renderPage(readConsole(parts, readiness)),
      headers: HEADERS,
    });
  return { '/': page, '/console': page, '/console.json': () => readConsole(parts, readiness) };
}

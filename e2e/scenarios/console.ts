/** The operator's page as a browser shows it: in place, on a phone, without a script, and nowhere that clients can reach. */
import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { startChromium } from '../harness/chromium.js';
import { Cluster } from '../harness/cluster.js';
import { ask } from '../harness/flow.js';
import { sendMcp, type McpCall } from '../harness/mcp-request.js';
import { sendRaw } from '../harness/raw-client.js';
import { Note } from '../harness/reference-tools.js';
import { scenario, scenariosIn, type Turn } from '../harness/scenario.js';
import { until } from '../harness/until.js';

/** The page asks every two seconds. */
const FRESH_WITHIN_MS = 10_000;
const PHONE = { width: 360, height: 740 };
const DESKTOP = { width: 1200, height: 900 };
const MARK = 'MARK_console_77f2';
/** A tool that nobody serves: whoever calls it is told its name again, as nothing else that they said. */
const NOBODYS = 'NAME_console_51d0';

const echo: McpCall = {
  method: 'tools/call',
  principal: MARK,
  params: { name: 'echo', arguments: { message: MARK } },
};

export const scenarios = scenariosIn('console', () => Cluster.start({ name: 'e2e/console' }), [
  scenario('the console is on the operator’s port alone', ['OBS-14'], async ({ world }) => {
    for (const path of ['/', '/console', '/console.json']) {
      const [admin, mcp] = [adminPort(world), world.routers[0]?.port ?? 0];
      assert.equal((await sendRaw({ port: admin, method: 'GET', path })).status, 200);
      const { status, text } = await sendRaw({ port: mcp, method: 'GET', path });
      assert.deepEqual([status, text], [404, '{"statusCode":404,"message":"Not Found"}']);
    }
  }),

  scenario('it shows what goes on and nothing that callers said', ['OBS-12', 'OBS-14'], async ({ world }) => {
    const port = world.routers[0]?.port ?? 0;
    await sendMcp(port, echo);
    await ask(port, new Note(world, MARK, MARK).call);
    await sendMcp(port, { ...echo, params: { name: NOBODYS, arguments: { [MARK]: MARK } } });
    await sendMcp(port, { ...echo, params: { ...echo.params, requestState: MARK, inputResponses: { [MARK]: MARK } } });
    const pages = await Promise.all(
      ['/console', '/console.json'].map((path) => sendRaw({ port: adminPort(world), method: 'GET', path })),
    );
    for (const { text } of pages) {
      const whole = text.replaceAll('<wbr />', '');
      for (const reason of ['state_malformed', 'unknown_tool']) assert.ok(whole.includes(reason), reason);
      for (const said of [MARK, NOBODYS]) assert.ok(!whole.includes(said), 'what a caller said');
    }
  }),

  scenario('it fits a phone and a desk in light and dark, and breaks no rule of its own', ['OBS-14'], async (turn) => {
    const browser = await browserFor(turn);
    for (const viewport of [PHONE, DESKTOP]) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const { page, complaints } = await open(browser, turn, { viewport, colorScheme });
        await page.locator('#tools > summary').click();
        await page.waitForTimeout(2_500);
        const width = await page.evaluate('document.documentElement.scrollWidth');
        assert.ok(Number(width) <= viewport.width, `${width} px on ${viewport.width}`);
        assert.deepEqual(complaints, []);
        await page.close();
      }
    }
  }),

  scenario(
    'it is kept fresh in place: what was opened stays open, and what is new is said',
    ['OBS-14'],
    async (turn) => {
      const { page } = await open(await browserFor(turn), turn, { viewport: DESKTOP });
      await page.locator('#tools > summary').click();
      const [worker] = turn.world.workers;
      turn.defer(async () => {
        if (worker?.process.hasEnded === true) await worker.start();
        await turn.world.awaitConnected();
      });
      assert.equal(await page.locator('#said').textContent(), '');
      await worker?.process.kill();
      const said = async () =>
        /1 of 2 workers of group reference is not connected/.test((await page.locator('#said').textContent()) ?? '');
      await until(said, { what: 'that a worker is gone', withinMs: FRESH_WITHIN_MS });
      assert.match((await page.locator('#groups').textContent()) ?? '', /Not connected/);
      assert.equal(await page.locator('#tools').getAttribute('open'), '');
      await page.locator('#pause').click();
      assert.equal(await page.locator('#pause').textContent(), 'Go on');
    },
  ),

  scenario('it is whole without a script', ['OBS-14'], async (turn) => {
    const { page } = await open(await browserFor(turn), turn, { viewport: DESKTOP, javaScriptEnabled: false });
    const text = (await page.locator('body').textContent()) ?? '';
    for (const each of ['Ready', 'Last minute', 'Workers', 'Open flows', 'Sealing keys', 'Last refusals', 'Catalogue'])
      assert.ok(text.includes(each), each);
    assert.equal(await page.locator('#pause').isVisible(), false);
  }),

  scenario('nothing else can run in it or be loaded by it', ['OBS-14'], async (turn) => {
    const { page } = await open(await browserFor(turn), turn, { viewport: DESKTOP });
    const ran = `(() => {
      const script = document.createElement('script');
      script.textContent = 'window.ran = true';
      document.body.append(script);
      document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.ran = true">');
      return new Promise((resolve) => setTimeout(() => resolve(window.ran === true), 300));
    })()`;
    assert.equal(await page.evaluate(ran), false);
    const elsewhere = `fetch('http://127.0.0.1:${turn.world.port}/').then(() => 'loaded', () => 'refused')`;
    assert.equal(await page.evaluate(elsewhere), 'refused');
  }),
]);

function adminPort(world: Cluster): number {
  return world.routers[0]?.adminPort ?? 0;
}

async function browserFor({ defer }: Turn<Cluster>): Promise<Browser> {
  const browser = await startChromium();
  defer(() => browser.close());
  return browser;
}

type Look = NonNullable<Parameters<Browser['newPage']>[0]>;

/** With what the browser found wrong with it. */
async function open(
  browser: Browser,
  { world }: Turn<Cluster>,
  look: Look,
): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser.newPage(look);
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`http://127.0.0.1:${adminPort(world)}/console`);
  return { page, complaints };
}

/** How the page looks: system fonts, one accent, states by word, shape and colour; from 320 px up, in light and dark. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --page: #f3f4f1; --card: #fff; --ink: #18211d; --soft: #56625c; --line: #dde1dc; --rule: #eaedea;
  --accent: #14685a; --ok: #14683f; --warn: #8a4b00; --bad: #b0241b;
  --ok-wash: #e6f3ea; --warn-wash: #fcf0dc; --bad-wash: #fbe7e4; --rail: #e3e7e3;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0f1412; --card: #171d1a; --ink: #e4eae6; --soft: #9aa8a0; --line: #2a322e; --rule: #222925;
    --accent: #62c7b2; --ok: #72cf9b; --warn: #eeb45f; --bad: #ff8f84;
    --ok-wash: #14281d; --warn-wash: #2c2211; --bad-wash: #331917; --rail: #29312d;
  }
}
* { box-sizing: border-box; margin: 0; }
body {
  background: var(--page); color: var(--ink); padding: 0 16px 48px;
  font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif;
  font-variant-numeric: tabular-nums; -webkit-text-size-adjust: 100%;
}
.banner, main { max-width: 1120px; margin: 0 auto; }
code, .address, .name, .host { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .8667em; overflow-wrap: anywhere; }
h1, h2, h3 { font-weight: 600; line-height: 1.25; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: 16px; top: -60px; background: var(--card); color: var(--accent); padding: 10px 14px; border-radius: 0 0 8px 8px; }
.skip:focus { top: 0; z-index: 1; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }

.banner { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 20px; padding: 18px 0 16px; }
.brand { display: flex; align-items: center; gap: 8px; font-weight: 650; letter-spacing: -.01em; color: var(--accent); font-size: 17px; }
.mark { width: 26px; height: 26px; }
h1 { font-size: 15px; font-weight: 400; color: var(--soft); margin-right: auto; }
h1 .host { color: var(--ink); }
dl { display: flex; flex-wrap: wrap; gap: 2px 18px; font-size: 13px; }
dl div { display: flex; gap: 5px; }
dt { color: var(--soft); }
button { font: inherit; font-size: 13px; color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: 7px; padding: 5px 12px; min-height: 32px; cursor: pointer; }
button:hover { border-color: var(--soft); }

section { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 18px 20px; margin-bottom: 16px; }
section > h2 { font-size: 16px; margin-bottom: 10px; letter-spacing: -.005em; }
.glyph { width: .72em; height: .72em; fill: currentColor; margin-right: .5em; flex: none; }
.ok { color: var(--ok); } .warn { color: var(--warn); } .bad { color: var(--bad); } .idle { color: var(--soft); }
.aside { color: var(--soft); font-size: 13px; }
.empty, .calm { color: var(--soft); }
.stale main { opacity: .55; }

.state { color: var(--ink); display: grid; grid-template-columns: auto 1fr; gap: 2px 28px; align-items: center; }
.state.ok { background: var(--ok-wash); border-color: transparent; }
.state.warn { background: var(--card); }
.state.bad { background: var(--bad-wash); border-color: transparent; }
.state > h2 .glyph { width: .56em; height: .56em; margin-right: .36em; vertical-align: .06em; }
.state > h2 { font-size: 26px; margin: 0; letter-spacing: -.02em; color: var(--ok); grid-row: 1; }
.state.bad > h2 { color: var(--bad); }
.state .lead { grid-row: 2; grid-column: 1; }
.state .calm { grid-row: 1 / 3; grid-column: 2; justify-self: end; }
.concerns { grid-row: 1 / 3; grid-column: 2; list-style: none; padding: 0 0 0 28px; border-left: 1px solid var(--line); display: grid; gap: 5px; }
.concerns li { display: flex; align-items: baseline; }
.state.ok .calm { color: var(--ok); }

.figures { display: grid; grid-template-columns: repeat(5, 1fr); }
.figure { padding: 0 18px; border-left: 1px solid var(--rule); min-width: 0; display: flex; flex-direction: column; }
.figure:first-child { padding-left: 0; border-left: 0; }
.figure:last-child { padding-right: 0; }
.figure h3 { font-size: 13px; font-weight: 400; color: var(--soft); }
.value { font-size: 28px; line-height: 1.2; font-weight: 600; letter-spacing: -.02em; margin: 2px 0 8px; }
.unit { font-size: 14px; font-weight: 400; color: var(--soft); letter-spacing: 0; }
.spark { width: 100%; height: 28px; display: block; fill: var(--accent); }
.spark.warn { fill: var(--warn); } .spark.bad { fill: var(--bad); } .spark.quiet { fill: var(--rail); }
.share { width: 100%; height: 4px; display: block; fill: var(--accent); margin: 24px 0 0; border-radius: 2px; }
.share .rail { fill: var(--rail); }
.figure .aside { margin-top: 6px; font-size: 12.5px; line-height: 1.35; }

.columns { display: grid; grid-template-columns: minmax(0, 1.55fr) minmax(0, 1fr); gap: 16px; align-items: start; }
.group + .group { margin-top: 20px; padding-top: 18px; border-top: 1px solid var(--line); }
.group h3 { font-size: 15px; margin-bottom: 3px; }
.group > .aside { line-height: 1.5; }
.workers { table-layout: fixed; }
.workers thead th:nth-child(2) { width: 27%; }
.workers thead th:nth-child(n + 3) { width: 17%; }
.address { white-space: nowrap; }
.notice { display: flex; align-items: baseline; font-size: 13.5px; border-radius: 7px; padding: 7px 11px; margin: 8px 0 2px; }
.notice.warn { background: var(--warn-wash); }

table { width: 100%; border-collapse: collapse; margin-top: 8px; }
caption { text-align: left; font-size: 13px; color: var(--soft); padding-bottom: 2px; }
caption.unseen { position: absolute; }
th, td { text-align: left; font-weight: 400; vertical-align: baseline; padding: 7px 14px 7px 0; border-top: 1px solid var(--rule); }
thead th { font-size: 12.5px; color: var(--soft); border-top: 0; padding-top: 2px; padding-bottom: 5px; white-space: nowrap; }
th:last-child, td:last-child { padding-right: 0; }
.number { text-align: right; white-space: nowrap; }
.status { white-space: nowrap; }
th .aside, td .aside { font-size: 12.5px; }
th > .aside, td > .aside:not(:only-child), .names td > .aside { display: block; }
.reason { display: flex; align-items: baseline; }
.reason code { color: var(--ink); font-size: .9em; }
th .reason + .aside { padding-left: 1.16em; }
.refusals { table-layout: fixed; }
.refusals thead th:first-child { width: 7.6em; }
.when { color: var(--soft); white-space: nowrap; }
.refusals thead th:nth-child(3) { width: 40%; }
.names { table-layout: fixed; }
.names thead th:first-child { width: 45%; }
.refusals + .aside, details + .aside, .bars + .aside, .empty + .aside { margin-top: 10px; }
.aside + .aside { margin-top: 4px; }
.bars .number { width: 4em; }
.bars th[scope=row] { white-space: nowrap; width: 1%; }
.bar { width: 55%; padding-left: 4px; }
.bar svg { display: block; width: 100%; height: 10px; fill: var(--accent); }
details { margin-top: 10px; }
summary { cursor: pointer; color: var(--accent); padding: 6px 0; font-size: 14px; }
summary:hover { text-decoration: underline; }

@media (max-width: 860px) {
  .columns { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .figures { grid-template-columns: repeat(6, 1fr); row-gap: 18px; }
  .figure { grid-column: span 2; }
  .figure:nth-child(4) { padding-left: 0; border-left: 0; }
  .figure:nth-child(n + 4) { grid-column: span 3; }
  .share { margin-top: 0; }
}
@media (max-width: 560px) {
  body { padding: 0 10px 32px; }
  section { padding: 15px 14px; border-radius: 10px; margin-bottom: 10px; }
  .banner { padding: 14px 4px 12px; gap: 4px 14px; }
  h1 { flex-basis: 100%; order: 1; }
  .banner .brand { margin-right: auto; }
  dl { order: 2; }
  .state { grid-template-columns: 1fr; gap: 4px; }
  .state > *, .state .lead, .state .calm, .concerns { grid-row: auto; grid-column: 1; justify-self: start; }
  .concerns { border-left: 0; border-top: 1px solid var(--line); padding: 10px 0 0; margin-top: 8px; justify-self: stretch; }
  .figures { grid-template-columns: repeat(2, 1fr); }
  .figure, .figure:nth-child(n + 4) { grid-column: span 1; padding: 0 0 0 14px; }
  .figure:nth-child(odd) { padding-left: 0; border-left: 0; }
  .figure:nth-child(4) { padding-left: 14px; border-left: 1px solid var(--rule); }
  .figure:nth-child(1) { grid-column: 1 / -1; }
  .figure:nth-child(2) { padding-left: 0; border-left: 0; }
  .figure:nth-child(3) { padding-left: 14px; border-left: 1px solid var(--rule); }
  .figure:nth-child(4) { padding-left: 0; border-left: 0; }
  .figure:nth-child(5) { padding-left: 14px; border-left: 1px solid var(--rule); }
  th, td { padding-right: 9px; }
  .status { white-space: normal; }
  .workers thead th { white-space: normal; vertical-align: bottom; }
  .workers thead th:nth-child(2) { width: 30%; }
  .workers .address { font-size: 12px; white-space: normal; overflow-wrap: normal; }
  .refusals thead th:first-child { width: 5.5em; white-space: normal; vertical-align: bottom; }
  .when { font-size: 13.5px; }
  .refusals thead th:nth-child(3) { width: 32%; }
  .refusals code { font-size: 12px; }
}
@media (prefers-contrast: more) { :root { --soft: var(--ink); --line: var(--soft); } }
@media print { body { background: none; } section { break-inside: avoid; } button { display: none; } }
`;

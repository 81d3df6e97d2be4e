// npm run demo: one tool call that stops to ask and goes on, round by round.
import { readArguments } from './usage.mjs';
import { runTypeScript } from './run-typescript.mjs';

readArguments({
  passThrough: true,
  usage: `
Usage: npm run demo [-- tool | login] [-- --json]

Starts two routers and two workers, calls a tool that asks, answers each question on another replica and tells which
process served which round. At a terminal you answer, decline or cancel; otherwise a script accepts.

  notes_delete             one of several notes (without a tool: this one)
  draft_delete             one yes
  bank_transfer            three questions, each after the one before
  bank_transfer_form       the same in one form
  deploy_service           asks because production would change; decline is offered staging
  purchase                 one of three offers, and extras
  refactor_plan            roots, a form, the model of the client, and a file to be written
  connect_report_service   a page to be opened; accept is not yet completion

  login                    from 401 to a call with a token: metadata, a login with PKCE, and another one for the scope
                           that was missing; against an authorization server of its own

  --json   print the outcome as one JSON object, as the last line
`,
});
await runTypeScript('e2e/demo/run.ts');

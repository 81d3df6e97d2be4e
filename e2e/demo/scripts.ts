/** The call that each demo makes, and the answers of whoever is there when nobody is. */
import type { Content } from './person.js';

export interface Script {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Answers that cannot be guessed from the form, by the name of their field. */
  readonly known: Content;
}

const TRANSFER = { fromAccount: 'checking', toAccount: 'landlord', amount: 250 };

/** Asked for by its own name; the call comes after the login. */
export const LOGIN: Script = {
  tool: 'draft_delete',
  args: { draft: 'welcome' },
  known: {
    first_login: ['mcp:read'],
    step_up: ['mcp:read', 'mcp:call'],
    for_the_tool: ['mcp:read', 'mcp:call', 'mcp:write'],
  },
};

export const SCRIPTS: readonly Script[] = [
  { tool: 'notes_delete', args: { workspaceUri: 'file:///srv/notes', title: 'Meeting notes' }, known: {} },
  { tool: 'draft_delete', args: { draft: 'welcome' }, known: {} },
  { tool: 'bank_transfer', args: TRANSFER, known: { last_four: '4711' } },
  { tool: 'bank_transfer_form', args: TRANSFER, known: { last_four: '4711' } },
  { tool: 'deploy_service', args: { service: 'timetable', version: '1.2' }, known: { environment: 'production' } },
  { tool: 'purchase', args: { search: 'lantern', budget: 100 }, known: { extras: ['oil', 'wicks'] } },
  { tool: 'refactor_plan', args: { samples: 1 }, known: { style: 'quiet', files: 2, dry_run: false } },
  { tool: 'connect_report_service', args: { report: 'delays' }, known: {} },
];

/**
 * Every reference tool that asks, as a person uses it who accepts, declines or cancels whatever is asked: the call, the
 * answers by field, and how it must end. Both official clients play the same cases; what a case uses up is theirs alone.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from './mcp-request.js';
import { Note, type Folder } from './reference-tools.js';

export const ASKING_TOOLS = [
  'draft_delete',
  'bank_transfer',
  'bank_transfer_form',
  'deploy_service',
  'purchase',
  'notes_delete',
  'refactor_plan',
  'connect_report_service',
] as const;

export const ACTIONS = ['accept', 'decline', 'cancel'] as const;
export type Action = (typeof ACTIONS)[number];

export interface ToolCase {
  readonly tool: string;
  readonly args: Json;
  /** Answers of whoever accepts, by field. */
  readonly answers: Json;
  /** What the result says, by what the person does. */
  readonly says: Readonly<Record<Action, RegExp>>;
  readonly rounds: Readonly<Record<Action, number>>;
}

/** Who plays: each has drafts, amounts and releases of its own. */
export interface Player {
  readonly draft: string;
  readonly cents: number;
  readonly release: string;
}

const LAMPS = 'file:///srv/projects/lamps';
/** What the client names when it is asked for roots. */
export const CASE_ROOTS: readonly string[] = ['file:///home/somebody', LAMPS];

const TRANSFER = {
  accept: /EUR were transferred/,
  decline: /Nothing was transferred/,
  cancel: /Nothing was transferred/,
};
const TWO_ROUNDS = { accept: 2, decline: 2, cancel: 2 };

export function toolCases(cluster: Folder, player: Player): readonly ToolCase[] {
  return [...formCases(cluster, player), ...otherCases(cluster)];
}

/** Asked in forms alone. */
function formCases(cluster: Folder, { draft, cents, release }: Player): readonly ToolCase[] {
  const note = new Note(cluster, `Note of ${draft}`);
  const transfer = { fromAccount: 'checking', toAccount: 'landlord', amount: cents / 100 };
  const transferAnswers = { confirm: true, last_four: '4711', method: 'card' };
  return [
    {
      tool: 'draft_delete',
      args: { draft },
      answers: { confirm: true },
      says: { accept: /The draft was deleted/, decline: /Nothing.*decline/, cancel: /Nothing.*cancel/ },
      rounds: TWO_ROUNDS,
    },
    {
      tool: 'bank_transfer',
      args: transfer,
      answers: transferAnswers,
      says: TRANSFER,
      rounds: { ...TWO_ROUNDS, accept: 4 },
    },
    { tool: 'bank_transfer_form', args: transfer, answers: transferAnswers, says: TRANSFER, rounds: TWO_ROUNDS },
    {
      tool: 'deploy_service',
      args: { service: 'departures', version: release },
      answers: { environment: 'production', confirm: true },
      says: { accept: /deployed to production/, decline: /staging instead as well/, cancel: /can still be answered/ },
      // A decline leads to the offer of staging, which is declined too.
      rounds: { ...TWO_ROUNDS, decline: 3 },
    },
    {
      tool: 'purchase',
      args: { search: 'lantern', budget: 200 },
      answers: { offer: 'lantern-hand', extras: ['oil', 'wicks'] },
      says: {
        accept: /Ordered Hand lantern.*42\.00/,
        decline: /declined. Nothing/,
        cancel: /without an answer. Nothing/,
      },
      rounds: TWO_ROUNDS,
    },
    {
      tool: 'notes_delete',
      args: { workspaceUri: 'file:///srv/notes', title: note.title },
      answers: { note_id: note.id, confirm: true },
      says: { accept: /The note was deleted/, decline: /declined. Nothing/, cancel: /without an answer. Nothing/ },
      rounds: TWO_ROUNDS,
    },
  ];
}

/** Asked by roots and samples too, or by url. */
function otherCases(cluster: Folder): readonly ToolCase[] {
  writeProject(cluster);
  return [
    {
      tool: 'refactor_plan',
      args: { samples: 1 },
      answers: { style: 'quiet', files: 2, dry_run: false, planner: 'model', confirm: true },
      says: {
        accept:
          /by the model of the client\)\nSay it shorter\.[\s\S]*at most 1 samples a call[\s\S]*was written to file/,
        decline: /declined. Nothing was planned/,
        cancel: /without an answer. Nothing was planned/,
      },
      // Roots, options, the sample, the write.
      rounds: { accept: 5, decline: 3, cancel: 3 },
    },
    {
      tool: 'connect_report_service',
      args: { report: 'delays' },
      answers: {},
      says: { accept: /is connected/, decline: /declined. Nothing was connected/, cancel: /can still be answered/ },
      // Accepted at once and finished later, so asked a second time.
      rounds: { ...TWO_ROUNDS, accept: 3 },
    },
  ];
}

/** What the model of the client says about any file. */
export const CASE_SAMPLE = {
  role: 'assistant',
  model: 'a-model',
  content: { type: 'text', text: 'Say it shorter.' },
} as const;

/** Those answers that a form has fields for. */
export function contentFor(
  fields: readonly string[],
  answers: Json,
): Record<string, string | number | boolean | string[]> {
  return Object.fromEntries(fields.map((field) => [field, answers[field] as string]));
}

export function writeProject({ folder }: Folder): void {
  const project = join(folder, 'projects', 'srv', 'projects', 'lamps');
  mkdirSync(project, { recursive: true });
  writeFileSync(
    join(project, 'lamp.ts'),
    'export function light(lamp: string) {\n  return lamp; // later TODO oil\n}\n',
  );
  writeFileSync(join(project, 'wick.py'), 'def trim(wick):\n    return wick\n');
}

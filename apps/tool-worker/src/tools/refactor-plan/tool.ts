/**
 * Plans a refactoring, file by file. Only reads; with the dry run switched off it writes the plan, and nothing else,
 * into one new file of the scope, after a second confirmation. Samples are asked for all at once and never because of
 * one another, and what no model plans, local rules do: the result says which.
 */
import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Call, Tool, boolean, form, integer, oneOf, structured, text, type ToolResult } from '@roundhouse/worker-kit';
import type { Workspace } from '../../workspace/workspace-access.js';
import { STYLES, digestOf, inspect, type Inspection, type Style } from './inspection.js';
import { askModel, type ModelOptions } from './model-plan.js';
import { planFile, toText, type FilePlan } from './plan.js';
import { ProjectFiles, type CreateOutcome } from './project-files.js';
import { ScopeFinder } from './scope.js';

/** Plans of more files are not read. */
const FILES_MAX = 8;
const FILES_DEFAULT = 3;
/** Somebody pays for each. */
export const SAMPLES_MAX = 5;
/** Of the plan in the last question; the file has all of it. */
const SHOWN_CHARS_MAX = 2_000;

const RefactorPlan = z.object({
  directory: z
    .string()
    .max(2_048)
    .optional()
    .describe('file:// URI of what to look at; absent: the roots of the client'),
  samples: z.int().min(0).max(SAMPLES_MAX).default(SAMPLES_MAX).describe('How often the model may be asked at most'),
});
type RefactorPlan = z.output<typeof RefactorPlan>;

const FilePlans = z.object({
  plans: z.array(
    z.object({ path: z.string(), by: z.enum(['model', 'rules']), because: z.string().optional(), steps: z.string() }),
  ),
  written: z.string().optional(),
});

const STYLE_CHOICES = (Object.keys(STYLES) as Style[]).map((value) => ({ value, title: STYLES[value] }));

const WRITING: Readonly<Record<CreateOutcome, string>> = {
  written: 'The plan was written to',
  exists: 'Nothing was written, as there already is',
  gone: 'Nothing was written, as the scope is gone:',
};

interface Options extends ModelOptions {
  readonly files: number;
  readonly dry_run: boolean;
}

@Injectable()
export class RefactorPlanTool {
  constructor(
    private readonly scopes: ScopeFinder,
    private readonly files: ProjectFiles,
  ) {}

  @Tool({
    name: 'refactor_plan',
    title: 'Plan a refactoring',
    description:
      'Looks at source files of a directory or of the roots of the client, asks for style, number of files and dry run, and plans each file with the model of the client or by local rules.',
    input: RefactorPlan,
    output: FilePlans,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    singleUse: true,
  })
  async plan({ directory, samples }: RefactorPlan, call: Call): Promise<ToolResult> {
    const scope = await this.scopes.find(directory, call);
    const found = await call.step('files', () => this.count(scope));
    if (found === 0) return toResult([], 'No source files were found. Nothing was planned.');
    const mayAsk = await call.step('may_ask_model', () => samples > 0 && call.can('sampling'));
    const options = await call.ask('options', toQuestion(found, mayAsk));
    if (options.action === 'decline') return toResult([], 'Planning was declined. Nothing was planned.');
    if (options.action === 'cancel') return toResult([], 'The form was closed without an answer. Nothing was planned.');
    const inspected = await call.step('inspected', () => this.inspectAll(scope, options.content));
    if (inspected.length === 0) return toResult([], 'The source files are gone. Nothing was planned.');
    const planning = await askModel(inspected, {
      options: options.content,
      samplesMax: samples,
      mayAsk,
      call,
    });
    const plans = inspected.map((each) => planFile(each, planning));
    const changed = await call.step('changed', () => this.changedSince(scope, inspected));
    const plan = [toText(plans), ...changed.map((path) => `${path} has changed since it was looked at.`)].join('\n\n');
    if (options.content.dry_run) return toResult(plans, `${plan}\n\nThis was a dry run: nothing was written.`);
    return this.write({ workspace: scope[0] as Workspace, plans, plan }, call);
  }

  private async count(scope: readonly Workspace[]): Promise<number> {
    const lists = await Promise.all(scope.map((workspace) => this.files.list(workspace)));
    return lists.flat().length;
  }

  private async inspectAll(scope: readonly Workspace[], { style, files }: Options): Promise<Inspection[]> {
    const inspected: Inspection[] = [];
    for (const workspace of scope) {
      for (const file of await this.files.list(workspace)) {
        const content = inspected.length < files ? await this.files.read(workspace, file) : undefined;
        if (content !== undefined) inspected.push(inspect(pathOf(workspace, file), content, style));
      }
    }
    return inspected;
  }

  private async changedSince(scope: readonly Workspace[], inspected: readonly Inspection[]): Promise<string[]> {
    const changed: string[] = [];
    for (const { path, digest } of inspected) {
      const workspace = scope.find((each) => path.startsWith(pathOf(each, '')));
      const content = workspace && (await this.files.read(workspace, path.slice(pathOf(workspace, '').length)));
      if (content === undefined || digestOf(content) !== digest) changed.push(path);
    }
    return changed;
  }

  private async write(
    {
      workspace,
      plans,
      plan,
    }: { readonly workspace: Workspace; readonly plans: readonly FilePlan[]; readonly plan: string },
    call: Call,
  ): Promise<ToolResult> {
    const name = `refactor-plan-${createHash('sha256').update(call.flowId).digest('hex').slice(0, 12)}.md`;
    const place = `file:///${[...workspace.path, name].join('/')}`;
    const question = `Write this plan to the new file ${place}? Nothing else is changed.\n\n${plan.slice(0, SHOWN_CHARS_MAX)}`;
    const answer = await call.ask(
      'write',
      form(question, { confirm: boolean({ title: 'Write the file', default: false }) }),
    );
    if (answer.action !== 'accept') return toResult(plans, `${plan}\n\nNothing was written (${answer.action}).`);
    if (!answer.content.confirm) return toResult(plans, `${plan}\n\nNothing was written: it was not confirmed.`);
    call.signal.throwIfAborted();
    const outcome = await this.files.create(workspace, name, `${plan}\n`);
    return toResult(plans, `${plan}\n\n${WRITING[outcome]} ${place}`, outcome === 'written' ? place : undefined);
  }
}

function toQuestion(found: number, mayAskModel: boolean) {
  const filesMax = Math.min(found, FILES_MAX);
  const planner = oneOf(
    [
      { value: 'model', title: 'The model of your client' },
      { value: 'rules', title: 'Local rules' },
    ],
    { title: 'Who plans', default: 'model' },
  );
  const fields = {
    style: oneOf(STYLE_CHOICES, { title: 'Style', default: 'small' }),
    files: integer({
      title: 'Number of files',
      minimum: 1,
      maximum: filesMax,
      default: Math.min(filesMax, FILES_DEFAULT),
    }),
    dry_run: boolean({ title: 'Dry run: write nothing', default: true }),
  };
  return form<typeof fields & { readonly planner?: typeof planner }>(
    `How shall the refactoring of ${found} source files be planned?`,
    mayAskModel ? { ...fields, planner } : fields,
  );
}

/** Of a file, from the root of all projects down: two roots may end in the same name. */
function pathOf({ path }: Workspace, file: string): string {
  return [...path, file].join('/');
}

function toResult(plans: readonly FilePlan[], said: string, written?: string): ToolResult {
  return structured({ plans, ...(written !== undefined && { written }) }, [text(said)]);
}

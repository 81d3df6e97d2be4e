/** A plan for several files: who planned each, and how it reads. */
import type { Inspection } from './inspection.js';
import { readModelPlan, type Planning } from './model-plan.js';

export interface FilePlan {
  readonly path: string;
  readonly by: 'model' | 'rules';
  /** Why not by the model, where it was not. */
  readonly because?: string;
  readonly steps: string;
}

export function planFile({ path, findings }: Inspection, { answers, notAsked }: Planning): FilePlan {
  const answer = answers.get(path);
  const said = answer === undefined ? undefined : readModelPlan(answer);
  if (said !== undefined) return { path, by: 'model', steps: said };
  const steps = findings.join('\n') || 'Nothing to do by these rules.';
  return { path, by: 'rules', because: answer === undefined ? notAsked : 'the model gave no plan', steps };
}

export function toText(plans: readonly FilePlan[]): string {
  return plans
    .map(({ path, by, because, steps }) => {
      const who = by === 'model' ? 'by the model of the client' : `by local rules: ${because ?? ''}`;
      return `${path} (${who})\n${steps}`;
    })
    .join('\n\n');
}

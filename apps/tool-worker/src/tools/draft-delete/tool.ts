/** Deletes one draft after a yes: the smallest tool that asks, in twenty lines. */
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Call, Tool, boolean, form } from '@roundhouse/worker-kit';
import { Drafts } from './drafts.js';

const DraftDelete = z.object({ draft: z.string().max(64).describe('Id of the draft') });

@Injectable()
export class DraftDeleteTool {
  constructor(private readonly drafts: Drafts) {}

  @Tool({
    name: 'draft_delete',
    description: 'Deletes a draft once a person has confirmed it.',
    input: DraftDelete,
    annotations: { destructiveHint: true, openWorldHint: false },
    singleUse: true,
  })
  async delete({ draft: id }: z.output<typeof DraftDelete>, call: Call): Promise<string> {
    const draft = await this.drafts.find(id, call);
    if (draft === undefined) return 'There is no such draft. Nothing was deleted.';
    const answer = await call.ask('confirm', form(`Delete the draft “${draft.title}”?`, { confirm: boolean() }));
    if (answer.action !== 'accept') return `Nothing was deleted (${answer.action}).`;
    if (!answer.content.confirm) return 'Nothing was deleted: it was not confirmed.';
    return (await this.drafts.delete(draft, call)) ? 'The draft was deleted.' : 'The draft is already gone.';
  }
}

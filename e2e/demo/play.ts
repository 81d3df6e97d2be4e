/** One call from its first round to its result, and the last round once more, told as it happens. */
import type { Cluster } from '../harness/cluster.js';
import { connectOfficialClient, textOf } from '../harness/official-client.js';
import { Note } from '../harness/reference-tools.js';
import { awaitRounds, flowIdOfTool, type RoundSeen } from '../harness/rounds-seen.js';
import { LastRetry } from './last-retry.js';
import type { Narrator } from './narrator.js';
import type { Content, Person } from './person.js';

/** A person may think. */
const CALL_WITHIN_MS = 3_600_000;

export interface Script {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Answers that cannot be guessed from the form, by the name of their field. */
  readonly known: Content;
}

export const SCRIPTS: readonly Script[] = [
  { tool: 'notes_delete', args: { workspaceUri: 'file:///srv/notes', title: 'Meeting notes' }, known: {} },
  {
    tool: 'bank_transfer',
    args: { fromAccount: 'checking', toAccount: 'landlord', amount: 250 },
    known: { last_four: '4711' },
  },
];

export interface Outcome {
  readonly tool: string;
  readonly rounds: readonly Pick<RoundSeen, 'round' | 'routerPid' | 'workerAddress'>[];
  readonly result: string;
  /** What the last request got when it was sent again. */
  readonly again: string | undefined;
}

export class Play {
  private readonly told: RoundSeen[] = [];

  constructor(
    private readonly cluster: Cluster,
    private readonly narrator: Narrator,
    private readonly person: Person,
  ) {}

  async run({ tool, args }: Script): Promise<Outcome> {
    for (const day of ['Monday', 'Friday']) new Note(this.cluster, `Meeting notes of ${day}`);
    const last = new LastRetry();
    const client = await this.connect(tool, last);
    this.narrator.call(tool, args);
    const result = textOf(await client.callTool({ name: tool, arguments: args }, { timeout: CALL_WITHIN_MS }));
    await this.tellNext(tool);
    this.narrator.result(result);
    this.narrator.again();
    const again = await last.sendAgain();
    await this.tellNext(tool);
    this.narrator.result(again ?? 'nothing was sent twice');
    await client.close();
    const rounds = this.told.map(({ round, routerPid, workerAddress }) => ({ round, routerPid, workerAddress }));
    return { tool, rounds, result, again };
  }

  private connect(tool: string, { fetch }: LastRetry): ReturnType<typeof connectOfficialClient> {
    return connectOfficialClient({
      url: this.cluster.front.url,
      principal: 'alice',
      fetch,
      answer: async (question) => {
        await this.tellNext(tool);
        this.narrator.question(question);
        const answer = await this.person.answer(question);
        this.narrator.answer(answer);
        return answer;
      },
    });
  }

  /** A span is written when its round has ended, a moment after the client has the reply. */
  private async tellNext(tool: string): Promise<void> {
    const flowId = await flowIdOfTool(this.cluster, tool);
    const rounds = await awaitRounds(this.cluster, flowId, this.told.length + 1);
    const next = rounds[this.told.length];
    if (next === undefined) return;
    this.narrator.round(next, this.told);
    this.told.push(next);
  }
}

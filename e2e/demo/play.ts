/** One call from its first round to its result, and the last round once more, told as it happens. */
import type { Cluster } from '../harness/cluster.js';
import { connectOfficialClient, textOf } from '../harness/official-client.js';
import { Note } from '../harness/reference-tools.js';
import { awaitRounds, flowIdOfTool, type RoundSeen } from '../harness/rounds-seen.js';
import { CASE_ROOTS, writeProject } from '../harness/tool-cases.js';
import { LastRetry } from './last-retry.js';
import type { Narrator } from './narrator.js';
import type { Person } from './person.js';
import type { Script } from './scripts.js';

/** A person may think. */
export const CALL_WITHIN_MS = 3_600_000;
/** Whoever plays is this one. */
export const PRINCIPAL = 'alice';

export interface Outcome {
  readonly tool: string;
  readonly rounds: readonly Pick<RoundSeen, 'round' | 'routerPid' | 'workerAddress'>[];
  readonly result: string;
  /** What the last request got when it was sent again. */
  readonly again: string | undefined;
}

export class Play {
  private readonly told: RoundSeen[] = [];
  private readonly requests = new LastRetry();
  /** One question at a time, also where a client is asked several in one round. */
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly cluster: Cluster,
    private readonly narrator: Narrator,
    private readonly person: Person,
  ) {}

  async run({ tool, args }: Script): Promise<Outcome> {
    for (const day of ['Monday', 'Friday']) new Note(this.cluster, `Meeting notes of ${day}`);
    writeProject(this.cluster);
    const client = await this.connect(tool);
    this.narrator.call(tool, args);
    const call = client.callTool({ name: tool, arguments: args }, { timeout: CALL_WITHIN_MS });
    const result = await call.then(textOf, (error: Error) => `The client gave up: ${error.message}`);
    await this.tellUntilNow(tool);
    this.narrator.result(result);
    this.narrator.again();
    const again = await this.requests.sendAgain();
    await this.tellUntilNow(tool);
    this.narrator.result(again ?? 'nothing was sent twice');
    await client.close();
    const rounds = this.told.map(({ round, routerPid, workerAddress }) => ({ round, routerPid, workerAddress }));
    return { tool, rounds, result, again };
  }

  private connect(tool: string): ReturnType<typeof connectOfficialClient> {
    return connectOfficialClient({
      url: this.cluster.front.url,
      principal: PRINCIPAL,
      fetch: this.requests.fetch,
      roots: CASE_ROOTS,
      answer: (question) =>
        this.inTurn(tool, async () => {
          this.narrator.question(question);
          return this.narrator.answered(await this.person.answer(question));
        }),
      open: (question) =>
        this.inTurn(tool, async () => {
          this.narrator.address(question);
          return this.narrator.answered(await this.person.open(question));
        }),
      sample: (params) =>
        this.inTurn(tool, async () => {
          this.narrator.sample(params);
          return this.narrator.sampled(await this.person.sample());
        }),
    });
  }

  private inTurn<T>(tool: string, ask: () => Promise<T>): Promise<T> {
    const asked = this.turn.then(async () => {
      await this.tellUntilNow(tool);
      return ask();
    });
    this.turn = asked.catch(() => undefined);
    return asked;
  }

  /** A span is written when its round has ended, a moment after the client has the reply. */
  private async tellUntilNow(tool: string): Promise<void> {
    const { sent } = this.requests;
    if (this.told.length >= sent) return;
    const rounds = await awaitRounds(this.cluster, await flowIdOfTool(this.cluster, tool), sent);
    for (const next of rounds.slice(this.told.length, sent)) {
      this.narrator.round(next, this.told);
      this.told.push(next);
    }
  }
}

/** Tells what happens, a few lines a round: who served it, what the trace says, what was asked and answered. */
import type {
  CreateMessageResult,
  ElicitRequestFormParams,
  ElicitRequestURLParams,
  ElicitResult,
} from '@modelcontextprotocol/client';
import type { Cluster } from '../harness/cluster.js';
import type { SampleParams } from '../harness/official-client.js';
import type { RoundSeen } from '../harness/rounds-seen.js';
import { optionsOf } from './person.js';

const CODE = { bold: 1, dim: 2, green: 32, cyan: 36 } as const;
/** As many characters of an id as a person compares. */
const ID_SHOWN_CHARS = 8;

type Seat = Cluster['seats'][number];

export class Narrator {
  constructor(
    private readonly cluster: Cluster,
    private readonly write: (line: string) => void,
    private readonly hasColour: boolean,
  ) {}

  processes(): void {
    for (const { name, port, process: running } of this.cluster.seats) {
      this.aside(`${name.padEnd(10)} pid ${running.pid}, port ${port}`);
    }
    this.aside('A round robin without keep-alive stands before the routers; each of them reaches one of the workers.');
  }

  call(tool: string, args: object): void {
    this.write(`\n${this.paint('bold', tool)} ${JSON.stringify(args)}`);
  }

  round(seen: RoundSeen, earlier: readonly RoundSeen[]): void {
    const router = this.cluster.routers.find(({ process: running }) => running.pid === seen.routerPid);
    const worker = this.cluster.workerAt(seen.workerAddress);
    const source = worker === undefined ? 'the stored result, no worker' : placeOf(worker);
    this.write(`\n${this.paint('cyan', `Round ${seen.round}`)}  ${placeOf(router)} → ${source}`);
    this.aside(`trace ${short(seen.span.traceId)} span ${short(seen.span.spanId)}`);
    for (const link of seen.span.links) {
      const target = earlier.find(({ span }) => span.spanId === link.spanId);
      const kind = String(link.attributes['roundhouse.link.kind']).replace('mrtr.', '').replaceAll('_', ' ');
      const where = `trace ${short(link.traceId)} span ${short(link.spanId)}`;
      this.aside(`links to ${where}, which is ${target === undefined ? 'unknown' : `round ${target.round}`} (${kind})`);
    }
  }

  /** One step between a client and whoever it asks. */
  exchange(step: string, facts: readonly string[]): void {
    this.write(`\n${this.paint('cyan', step)}`);
    for (const fact of facts) this.aside(fact);
  }

  question({ message, requestedSchema }: ElicitRequestFormParams): void {
    this.write(`  question: ${indented(message)}`);
    for (const [name, field] of Object.entries(requestedSchema.properties)) {
      const options = optionsOf(field).map(({ title }) => title);
      this.aside(`  ${name}: ${options.length > 0 ? options.join(' | ') : field.type}`);
    }
  }

  address({ message, url }: ElicitRequestURLParams): void {
    this.write(`  question: ${message}`);
    this.write(`  address:  ${url}`);
  }

  sample({ messages }: SampleParams): void {
    this.write('  for the model:');
    for (const { content } of messages) {
      const blocks = Array.isArray(content) ? content : [content];
      for (const block of blocks) this.aside(block.type === 'text' ? block.text.replace(/^/gm, '  ') : block.type);
    }
  }

  answered(answer: ElicitResult): ElicitResult {
    const { action, content } = answer;
    this.write(`  answer:   ${action}${content === undefined ? '' : ` ${JSON.stringify(content)}`}`);
    return answer;
  }

  sampled(answer: CreateMessageResult): CreateMessageResult {
    this.write(`  the model: ${JSON.stringify(answer.content)}`);
    return answer;
  }

  result(text: string): void {
    this.write(`  ${this.paint('green', indented(text))}`);
  }

  again(): void {
    this.write('\nThe last request once more, as after a lost reply, under a new id:');
  }

  private aside(line: string): void {
    this.write(this.paint('dim', `  ${line}`));
  }

  private paint(colour: keyof typeof CODE, text: string): string {
    return this.hasColour ? `\u001b[${CODE[colour]}m${text}\u001b[0m` : text;
  }
}

function indented(text: string): string {
  return text.replaceAll('\n', '\n  ');
}

function placeOf(seat: Seat | undefined): string {
  return seat === undefined ? 'nobody we know' : `${seat.name} (pid ${seat.process.pid}, port ${seat.port})`;
}

function short(id: string): string {
  return id.slice(0, ID_SHOWN_CHARS);
}

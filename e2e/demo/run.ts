/**
 * A call that asks, played by the official client against two routers and two workers, round by round.
 * Usage: npm run demo [-- notes_delete | bank_transfer] [-- --json]. At a terminal you answer; otherwise a script does.
 */
import { Cluster } from '../harness/cluster.js';
import { Narrator } from './narrator.js';
import { PersonAtTerminal, ScriptedPerson } from './person.js';
import { Play, SCRIPTS, type Script } from './play.js';

const args = process.argv.slice(2);
const isJson = args.includes('--json');
const isTerminal = process.stdin.isTTY && process.stdout.isTTY && !isJson;
const script = SCRIPTS.find(({ tool }) => args.includes(tool)) ?? (SCRIPTS[0] as Script);
process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const hasColour = process.stdout.isTTY && process.env['NO_COLOR'] === undefined;
const person = isTerminal ? new PersonAtTerminal() : new ScriptedPerson(script.known);

const cluster = await Cluster.start({ name: 'demo', wiring: 'paired' });
try {
  const narrator = new Narrator(cluster, print, hasColour);
  narrator.processes();
  const outcome = await new Play(cluster, narrator, person).run(script);
  if (isJson) print(JSON.stringify(outcome));
} finally {
  person.leave();
  await cluster.stop();
}
process.exit();

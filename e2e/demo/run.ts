/**
 * A call that asks, played by the official client against two routers and two workers, round by round.
 * Usage: npm run demo [-- tool] [-- --json]. At a terminal you answer; otherwise a script does.
 */
import { AskingWorld } from '../harness/asking-world.js';
import { Narrator } from './narrator.js';
import { PersonAtTerminal, ScriptedPerson } from './person.js';
import { PRINCIPAL, Play } from './play.js';
import { SCRIPTS, type Script } from './scripts.js';

const args = process.argv.slice(2);
const isJson = args.includes('--json');
const isTerminal = process.stdin.isTTY && process.stdout.isTTY && !isJson;
const wanted = args.find((arg) => !arg.startsWith('--'));
const script = wanted === undefined ? (SCRIPTS[0] as Script) : SCRIPTS.find(({ tool }) => tool === wanted);
if (script === undefined) {
  process.stderr.write(`There is no demo of ${wanted}. There are: ${SCRIPTS.map(({ tool }) => tool).join(', ')}\n`);
  process.exit(2);
}
process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const hasColour = process.stdout.isTTY && process.env['NO_COLOR'] === undefined;
const person = isTerminal ? new PersonAtTerminal(PRINCIPAL) : new ScriptedPerson(PRINCIPAL, script.known);

const world = await AskingWorld.start('demo');
try {
  const narrator = new Narrator(world.cluster, print, hasColour);
  narrator.processes();
  const outcome = await new Play(world.cluster, narrator, person).run(script);
  if (isJson) print(JSON.stringify(outcome));
} finally {
  person.leave();
  await world.stop();
}
process.exit();

/**
 * A call that asks, played by the official client against two routers and two workers, round by round; or its login.
 * Usage: npm run demo [-- tool | login] [-- --json]. At a terminal you answer; otherwise a script does.
 */
import { AskingWorld } from '../harness/asking-world.js';
import { AuthorizedWorld } from '../harness/authorized-world.js';
import { secretWatch } from '../harness/secret-watch.js';
import { LoginPlay } from './login.js';
import { Narrator } from './narrator.js';
import { PersonAtTerminal, ScriptedPerson } from './person.js';
import { PRINCIPAL, Play } from './play.js';
import { LOGIN, SCRIPTS, type Script } from './scripts.js';

const args = process.argv.slice(2);
const isJson = args.includes('--json');
const isTerminal = process.stdin.isTTY && process.stdout.isTTY && !isJson;
const wanted = args.find((arg) => !arg.startsWith('--'));
const script = findScript();
if (script === undefined) {
  process.stderr.write(
    `There is no demo of ${wanted}. There are: ${SCRIPTS.map(({ tool }) => tool).join(', ')}, login\n`,
  );
  process.exit(2);
}
process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const hasColour = process.stdout.isTTY && process.env['NO_COLOR'] === undefined;
const person = isTerminal ? new PersonAtTerminal(PRINCIPAL) : new ScriptedPerson(PRINCIPAL, script.known);

secretWatch.begin();
const world = script === LOGIN ? await AuthorizedWorld.start('demo') : await AskingWorld.start('demo');
try {
  const narrator = new Narrator(world.cluster, print, hasColour);
  narrator.processes();
  const play =
    world instanceof AuthorizedWorld
      ? new LoginPlay(world, narrator, person)
      : new Play(world.cluster, narrator, person);
  const outcome = await play.run(script);
  if (isJson) print(JSON.stringify(outcome));
} finally {
  person.leave();
  await world.stop();
}
const leaks = secretWatch.leaks();
for (const leak of leaks) process.stderr.write(`${leak}\n`);
process.exit(leaks.length === 0 ? 0 : 1);

function findScript(): Script | undefined {
  if (wanted === 'login') return LOGIN;
  return wanted === undefined ? SCRIPTS[0] : SCRIPTS.find(({ tool }) => tool === wanted);
}

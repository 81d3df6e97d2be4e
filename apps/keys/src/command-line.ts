/** What the operator typed, as one typed command, or a refusal that says what is wrong with it. Knows no rule of rotation. */
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { PROPAGATION_MS, STATE_LIFE_MS_DEFAULT } from '@roundhouse/sealed-state';
import { EXIT, Refusal } from './refusal.js';

export const USAGE = `Usage: roundhouse-keys <command> --file <keyset.json> [options]
       roundhouse-keys <command> --secret <name> [--secret-key <key>] [options]

In a pod, --secret works on a Secret of the pod's namespace, with the token of its service account.

  add              a new key, staged: every router opens with it, none seals with it before its time
                   --activate-in <time>  when it seals, from now; 10m, which is the least
                   --create              make the file or Secret, with one key that seals at once
                   --if-absent           with --create: one that is there is left as it is, and that is fine
  promote          the staged key seals now
                   --force               even before every router can know it
  disable <kid>    the key opens nothing from now on; if it sealed, another takes over at once
  prune [<kid>]    remove keys that open nothing any more
  status           the keys, and which routers know them
                   --json                for machines

add, promote and status ask the routers; add and promote refuse while one lacks a key:
  --router <host:port>       admin port of a router; repeatable
  --routers-dns <name:port>  every address of this name is a router
  --allow-unreachable        go on without those that cannot be asked

add, promote and disable plan when old keys go:
  --state-life <time>        longest life of a sealed state, as the routers are set; 10m

Times are written 90s, 10m, 2h or 1d. Exit codes: 0 done, 1 the keyset cannot be used, 2 wrong usage,
3 refused by a rule of rotation, 4 another run is changing the keyset. Unless it is 0 nothing was changed.
`;

export interface Asking {
  readonly routers: readonly string[];
  readonly routersDns: string | undefined;
  readonly allowUnreachable: boolean;
}

/** Where the keyset is: a file, or a key of a Secret in the pod's namespace. */
export type Home = { readonly file: string } | { readonly secret: string; readonly key: string };

interface AtHome {
  readonly home: Home;
}
interface Planned extends AtHome {
  readonly stateLifeMs: number;
}
interface Addition {
  readonly activateInMs: number;
  readonly create: boolean;
  /** With `create`: a keyset that is there already is no reason to fail. */
  readonly ifAbsent: boolean;
}

export type Command =
  | { readonly name: 'help' }
  | (Planned & Asking & Addition & { readonly name: 'add' })
  | (Planned & Asking & { readonly name: 'promote'; readonly force: boolean })
  | (Planned & { readonly name: 'disable'; readonly kid: string })
  | (Planned & { readonly name: 'prune'; readonly kid: string | undefined })
  | (AtHome & Asking & { readonly name: 'status'; readonly json: boolean });

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  file: { type: 'string' },
  secret: { type: 'string' },
  'secret-key': { type: 'string' },
  'activate-in': { type: 'string' },
  create: { type: 'boolean' },
  'if-absent': { type: 'boolean' },
  force: { type: 'boolean' },
  json: { type: 'boolean' },
  router: { type: 'string', multiple: true },
  'routers-dns': { type: 'string' },
  'allow-unreachable': { type: 'boolean' },
  'state-life': { type: 'string' },
} as const satisfies ParseArgsConfig['options'];
type Option = keyof typeof OPTIONS;

const ASKING: readonly Option[] = ['router', 'routers-dns', 'allow-unreachable'];
const PLACE: readonly Option[] = ['file', 'secret', 'secret-key'];
/** What each command takes, besides where the keyset is. */
const TAKEN: Readonly<Record<Exclude<Command['name'], 'help'>, readonly Option[]>> = {
  add: ['activate-in', 'create', 'if-absent', 'state-life', ...ASKING],
  promote: ['force', 'state-life', ...ASKING],
  disable: ['state-life'],
  prune: [],
  status: ['json', ...ASKING],
};

const ADDRESS = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]{1,253}):\d{1,5}$/;
/** Routers asked in one run; a deployment has a few. */
const ROUTERS_MAX = 256;
/** What Kubernetes takes as the name of a Secret, and as a key in one. */
const SECRET_NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;
const SECRET_KEY = /^[A-Za-z0-9._-]{1,253}$/;
const SECRET_KEY_DEFAULT = 'keyset.json';
const DURATION = /^(\d{1,6})([smhd])$/;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** @throws Refusal with exit code 2 */
export function parseCommand(args: readonly string[]): Command {
  const { values, positionals } = parsed(args);
  if (values.help === true) return { name: 'help' };
  const [name, kid, ...rest] = positionals;
  if (!isName(name)) throw wrong(name === undefined ? 'a command is missing' : `there is no command ${name}`);
  if (rest.length > 0 || (kid !== undefined && name !== 'disable' && name !== 'prune')) throw wrong('too many words');
  const stray = (Object.keys(values) as Option[]).find((key) => !PLACE.includes(key) && !TAKEN[name].includes(key));
  if (stray !== undefined) throw wrong(`${name} takes no --${stray}`);
  const home = homeOf(values);
  const planned = { home, stateLifeMs: duration(values, 'state-life', STATE_LIFE_MS_DEFAULT) };
  switch (name) {
    case 'add':
      return { name, ...planned, ...asking(values), ...addition(values) };
    case 'promote':
      return { name, ...planned, ...asking(values), force: values.force === true };
    case 'disable':
      if (kid === undefined) throw wrong('disable which key? its kid is missing');
      return { name, ...planned, kid };
    case 'prune':
      return { name, ...planned, kid };
    case 'status':
      return { name, home, ...asking(values), json: values.json === true };
  }
}

type Values = ReturnType<typeof parsed>['values'];

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw wrong((error as Error).message);
  }
}

function homeOf({ file, secret, 'secret-key': key }: Values): Home {
  if (file !== undefined && secret !== undefined) throw wrong('either --file or --secret');
  if (file !== undefined && key !== undefined) throw wrong('--secret-key belongs to --secret');
  if (file !== undefined) return { file };
  if (secret === undefined) throw wrong('--file or --secret is missing');
  if (!SECRET_NAME.test(secret)) throw wrong('--secret is not the name of a Secret');
  if (key !== undefined && !SECRET_KEY.test(key)) throw wrong('--secret-key is not the key of a Secret');
  return { secret, key: key ?? SECRET_KEY_DEFAULT };
}

function addition(values: Values): Addition {
  const create = values.create === true;
  const ifAbsent = values['if-absent'] === true;
  if (ifAbsent && !create) throw wrong('--if-absent belongs to --create');
  return { activateInMs: duration(values, 'activate-in', PROPAGATION_MS), create, ifAbsent };
}

function asking(values: Values): Asking {
  const { router: routers = [], 'routers-dns': routersDns } = values;
  const addresses = routersDns === undefined ? routers : [...routers, routersDns];
  const malformed = addresses.find((address) => !ADDRESS.test(address));
  if (malformed !== undefined) throw wrong(`${malformed} is not host:port`);
  if (routers.length > ROUTERS_MAX) throw wrong(`more than ${ROUTERS_MAX} routers`);
  return { routers, routersDns, allowUnreachable: values['allow-unreachable'] === true };
}

function duration(values: Values, option: 'activate-in' | 'state-life', ifAbsentMs: number): number {
  const text = values[option];
  if (text === undefined) return ifAbsentMs;
  const [, count, unit] = DURATION.exec(text) ?? [];
  if (count === undefined || unit === undefined) throw wrong(`--${option} is a time such as 10m or 2h`);
  return Number(count) * UNIT_MS[unit]!;
}

function isName(name: string | undefined): name is keyof typeof TAKEN {
  return name !== undefined && Object.hasOwn(TAKEN, name);
}

function wrong(message: string): Refusal {
  return new Refusal(`${message}\n\n${USAGE.trimEnd()}`, EXIT.usage);
}

/** What an operator should look at, in sentences, worst first. An empty list is the aim. */
import type { ConsoleView } from './console-view.js';
import type { GroupView, WorkerState } from './group-view.js';
import { counted } from './words.js';

export interface Concern {
  /** `bad`: somebody is refused because of it. `warn`: somebody may be soon. */
  readonly level: 'bad' | 'warn';
  readonly text: string;
}

/** A router is nearly full from this part of its limit on. */
const NEARLY = 0.9;

const bad = (text: string): Concern => ({ level: 'bad', text });
const warn = (text: string): Concern => ({ level: 'warn', text });

export function findConcerns(view: Omit<ConsoleView, 'concerns'>): Concern[] {
  const found = [
    ...concernsOfKeys(view),
    ...view.groups.flatMap(concernsOfGroup),
    ...(view.replay === 'away'
      ? [bad('The replay service does not answer: calls that may run only once are refused.')]
      : []),
    ...concernsOfNames(view),
    ...concernsOfRoom(view),
  ];
  return [...found.filter(({ level }) => level === 'bad'), ...found.filter(({ level }) => level === 'warn')];
}

function concernsOfKeys({ keys }: Pick<ConsoleView, 'keys'>): Concern[] {
  return [
    ...(keys.keys.some(({ role }) => role === 'primary')
      ? []
      : [bad('No key may seal now: no tool can ask a question.')]),
    ...(keys.outcome === 'error' ? [warn('The keyset file is bad; the keys before it stay in charge.')] : []),
  ];
}

const TROUBLES: readonly (readonly [WorkerState, string, string])[] = [
  ['not connected', 'is not connected', 'are not connected'],
  ['set aside', 'is set aside after failures', 'are set aside after failures'],
  ['draining', 'is draining', 'are draining'],
];

function concernsOfGroup({ id, workers, diverges }: GroupView): Concern[] {
  if (!workers.some(({ state }) => state === 'ready')) return [bad(`No worker of group ${id} can take a call.`)];
  const troubles = TROUBLES.flatMap(([state, is, are]) => {
    const count = workers.filter((worker) => worker.state === state).length;
    return count === 0 ? [] : [warn(`${count} of ${workers.length} workers of group ${id} ${count === 1 ? is : are}.`)];
  });
  return [...troubles, ...(diverges ? [warn(`The workers of group ${id} offer different catalogues.`)] : [])];
}

function concernsOfNames({ leftOut }: Pick<ConsoleView, 'leftOut'>): Concern[] {
  if (leftOut.length === 0) return [];
  return [warn(`${counted(leftOut.length, 'name is', 'names are')} left out of the catalogue.`)];
}

function concernsOfRoom({ traffic }: Pick<ConsoleView, 'traffic'>): Concern[] {
  const { inFlight, inFlightMax, streams, streamsMax } = traffic;
  return [
    ...(inFlight >= inFlightMax * NEARLY ? [warn(`${inFlight} of ${inFlightMax} calls are in flight.`)] : []),
    ...(streams >= streamsMax * NEARLY ? [warn(`${streams} of ${streamsMax} listen streams are open.`)] : []),
  ];
}

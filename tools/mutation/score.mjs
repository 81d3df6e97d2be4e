// What a run of Stryker says about the specs: how many mutants they noticed, and where the others are.

const NOTICED = ['Killed', 'Timeout'];
const UNNOTICED = ['Survived', 'NoCoverage'];

/**
 * A mutant that does not run at all, or that the configuration leaves out, counts neither way.
 * @param {{ status: string }[]} mutants as Stryker reports them
 * @returns {{ score: number, killed: number, survived: number, timeout: number, noCoverage: number }} score in percent
 */
export function scoreOf(mutants) {
  const count = (statuses) => mutants.filter(({ status }) => statuses.includes(status)).length;
  const [noticed, unnoticed] = [count(NOTICED), count(UNNOTICED)];
  // Rounded down: 79.999 is not 80.
  const score = noticed + unnoticed === 0 ? 0 : Math.floor((noticed / (noticed + unnoticed)) * 10_000) / 100;
  return {
    score,
    killed: count(['Killed']),
    survived: count(['Survived']),
    timeout: count(['Timeout']),
    noCoverage: count(['NoCoverage']),
  };
}

/** @returns {string[]} one line for each mutant that no spec noticed: where it is, and what stood there instead */
export function survivorsOf(mutants, root) {
  return mutants
    .filter(({ status }) => UNNOTICED.includes(status))
    .map((mutant) => ({ ...mutant, path: mutant.fileName.replace(root, '') }))
    .sort((a, b) => a.path.localeCompare(b.path, 'en') || comparePlaces(a.location.start, b.location.start))
    .map(toLine);
}

function comparePlaces(a, b) {
  return a.line - b.line || a.column - b.column;
}

function toLine({ path, location, status, mutatorName, replacement }) {
  const { line, column } = location.start;
  const what = status === 'NoCoverage' ? 'never run' : 'survived';
  return `${path}:${line}:${column} ${what}: ${mutatorName}, ${replacement.replaceAll(/\s+/g, ' ')}`;
}

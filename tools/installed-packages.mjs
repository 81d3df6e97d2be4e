// Which installed packages production needs, followed from the lockfile as Node would look for them.

/**
 * @param {Record<string, { dependencies?: object, optionalDependencies?: object, peerDependencies?: object,
 *   peerDependenciesMeta?: object, link?: boolean }>} packages of the lockfile, by path; the workspace itself under ''
 * @param {{ without?: string[], projects?: string[] }} options names that are not followed from the workspace; projects of
 *   it whose own dependencies are followed, too
 * @returns {string[]} paths of packages, sorted
 */
export function packagesOf(packages, { without = [], projects = [] } = {}) {
  const found = new Set();
  const follow = (from, names) => {
    for (const name of names) {
      const path = placeOf(packages, from, name);
      if (path === undefined || found.has(path)) continue;
      found.add(path);
      follow(path, neededBy(packages[path]));
    }
  };
  for (const project of ['', ...projects]) {
    const wanted = Object.keys(packages[project]?.dependencies ?? {});
    follow(
      project,
      wanted.filter((name) => !without.includes(name)),
    );
  }
  return [...found].sort();
}

/** Peers that are optional stay out: whoever wants one depends on it. */
function neededBy({ dependencies = {}, optionalDependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} }) {
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
  return [...Object.keys(dependencies), ...Object.keys(optionalDependencies), ...peers];
}

/** The nearest node_modules on the way up. Undefined for one that is not installed, such as for another platform. */
function placeOf(packages, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (packages[path] !== undefined && packages[path].link !== true) return path;
    if (folder === '') return undefined;
  }
}

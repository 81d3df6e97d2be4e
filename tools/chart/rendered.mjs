// Questions about rendered objects that several checks ask.

/** Every pod that the objects make, by the name of what makes it. */
export function podsOf(objects) {
  return objects.flatMap(({ kind, metadata, spec }) => {
    const template = { Pod: { metadata, spec }, CronJob: spec?.jobTemplate?.spec.template }[kind] ?? spec?.template;
    return template?.spec?.containers === undefined ? [] : [{ name: `${kind} ${metadata.name}`, ...template }];
  });
}

export function containersOf({ spec }) {
  return [...(spec.initContainers ?? []), ...spec.containers];
}

/** The one object of this kind whose name ends so; dashboards are called after what they show, and have to be meant. @throws when there is none, or more than one */
export function find(objects, kind, end) {
  const isMeant = ({ name }) => name.endsWith(end) && name.includes('-dashboard-') === end.includes('-dashboard-');
  const found = objects.filter((object) => object.kind === kind && isMeant(object.metadata));
  if (found.length !== 1) throw new Error(`${found.length} objects of kind ${kind} are called ${end}`);
  return found[0];
}

export function has(objects, kind, end = '') {
  return objects.some((object) => object.kind === kind && object.metadata.name.endsWith(end));
}

export const selects = (selector, labels) => Object.entries(selector).every(([key, value]) => labels[key] === value);

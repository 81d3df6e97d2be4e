/** Rules on the wire that the protocol library will hold. */

export function resourceTemplateMatcher(template: string): (uri: string) => Readonly<Record<string, string>> | undefined {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  const source = template.split(/\{\w+\}/).map((literal) => literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('([^/?#]+)');
  const pattern = new RegExp(`^${source}$`);
  return (uri) => {
    const match = pattern.exec(uri);
    return match === null ? undefined : Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(match[index + 1] ?? '')]));
  };
}

/** Rules of asks on the wire that the protocol library will hold. */
import type { Ask } from '@roundhouse/contracts';

export type Capabilities = Readonly<Record<string, unknown>>;

export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}

export function capabilitiesOfAsk(ask: Ask): Capabilities {
  if (ask.method === 'roots/list') return { roots: {} };
  if (ask.method === 'sampling/createMessage') return { sampling: ask.params?.['tools'] === undefined ? {} : { tools: {} } };
  return { elicitation: ask.params?.['mode'] === 'url' ? { url: {} } : { form: {} } };
}

export function missingCapabilities(declared: Capabilities, required: Capabilities): Capabilities | undefined {
  const missing = Object.entries(required).filter(([name, parts]) => !covers(name, declared[name], parts as object));
  return missing.length === 0 ? undefined : Object.fromEntries(missing);
}

function covers(name: string, declared: unknown, parts: object): boolean {
  if (typeof declared !== 'object' || declared === null) return false;
  const isBareElicitation = name === 'elicitation' && Object.keys(declared).length === 0;
  return Object.keys(parts).every((part) => part in declared || (isBareElicitation && part === 'form'));
}

export function resourceTemplateMatcher(template: string): (uri: string) => Readonly<Record<string, string>> | undefined {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  const source = template.split(/\{\w+\}/).map((literal) => literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('([^/?#]+)');
  const pattern = new RegExp(`^${source}$`);
  return (uri) => {
    const match = pattern.exec(uri);
    return match === null ? undefined : Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(match[index + 1] ?? '')]));
  };
}

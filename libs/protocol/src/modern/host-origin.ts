/**
 * Which `Host` and `Origin` may reach the endpoint: the defence against DNS rebinding and foreign pages
 * (transports/streamable-http, security). The lists are the operator's; both headers are the client's. Forwarded
 * headers are never looked at.
 */
import { RoundhouseError } from '@roundhouse/errors';

export interface HostPolicy {
  /** Whether a `Host` header names us; an absent one does not. */
  allowsHost(header: string | undefined): boolean;
  /** Whether a page of this origin may call; an absent header means no page does. */
  allowsOrigin(header: string | undefined): boolean;
}

export interface HostPolicyOptions {
  /** `name`, `name:port` or `[ipv6]:port`. Without a port any port will do, because ingresses add or remove it. */
  readonly hosts: readonly string[];
  /** `scheme://host[:port]`, or `null` for pages without an origin of their own. */
  readonly origins: readonly string[];
}

/** A name, an IPv4 address or a bracketed IPv6 address; one dot of the DNS root at its end; a port. */
const AUTHORITY = /^([a-z0-9_-](?:[a-z0-9._-]*[a-z0-9_-])?|\[[0-9a-f:.]+\])\.?(?::(\d{1,5}))?$/;
const SERIALISED_ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#@*\\\s]+$/;

/** @throws RoundhouseError `config_invalid` when an entry is not of its form. */
export function hostPolicy(options: HostPolicyOptions): HostPolicy {
  const hosts = new Set(options.hosts.map((entry) => configured(parseHost(entry)?.asWritten, 'host')));
  const origins = new Set(options.origins.map((entry) => configured(normalisedOrigin(entry), 'origin')));
  return {
    allowsHost(header) {
      const host = header === undefined ? undefined : parseHost(header);
      return host !== undefined && (hosts.has(host.name) || hosts.has(host.asWritten));
    },
    allowsOrigin(header) {
      if (header === undefined) return true;
      const origin = normalisedOrigin(header);
      return origin !== undefined && origins.has(origin);
    },
  };
}

function parseHost(text: string): { readonly name: string; readonly asWritten: string } | undefined {
  const [, name, port] = AUTHORITY.exec(text.toLowerCase()) ?? [];
  if (name === undefined) return undefined;
  return { name, asWritten: port === undefined ? name : `${name}:${Number(port)}` };
}

/** Scheme, host and port as the URL standard writes them, default ports left out; `null` stays `null`. */
function normalisedOrigin(text: string): string | undefined {
  const lower = text.toLowerCase();
  if (lower === 'null') return lower;
  if (!SERIALISED_ORIGIN.test(lower) || !URL.canParse(lower)) return undefined;
  const { protocol, host } = new URL(lower);
  // Not `URL.origin`: that is `null` for every scheme the standard does not know, which would make them one.
  return `${protocol}//${host}`;
}

function configured(value: string | undefined, kind: 'host' | 'origin'): string {
  if (value === undefined) throw new RoundhouseError('config_invalid', { reason: 'config_malformed', facts: { kind } });
  return value;
}

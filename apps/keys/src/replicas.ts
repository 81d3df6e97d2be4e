/**
 * Asks every router replica for its keyset report, and refuses a rotation while one of them lacks a key or keeps silent
 * (KEY-15). Believes what stands on the admin port, which only the operator's network reaches.
 */
import { get } from 'node:http';
import { isIPv6 } from 'node:net';
import {
  KEYSET_REPORT_CHARS_MAX,
  KEYSET_REPORT_PATH,
  parseKeysetReport,
  type KeysetReport,
} from '@roundhouse/sealed-state';
import { Refusal } from './refusal.js';

/** A router answers from memory within milliseconds; longer than this is unreachable, in milliseconds. */
const REPLY_TIMEOUT_MS = 3_000;

export interface Replica {
  /** `host:port` of the admin port. */
  readonly address: string;
  /** Undefined: unreachable. */
  readonly report: KeysetReport | undefined;
}

export interface RouterAddresses {
  /** `host:port` each. */
  readonly routers: readonly string[];
  /** `name:port`: every address of the name is a replica. */
  readonly routersDns: string | undefined;
}

/** Addresses of a host name. Rejects when there is none. */
export type Lookup = (name: string) => Promise<readonly string[]>;

/** A name that cannot be looked up counts as one unreachable replica. */
export async function readReplicas(
  { routers, routersDns }: RouterAddresses,
  lookup: Lookup,
): Promise<readonly Replica[]> {
  const found = routersDns === undefined ? [] : await addressesOf(routersDns, lookup);
  return Promise.all([...routers, ...found].map(readReplica));
}

/** @throws Refusal naming each replica that lacks a key, or, unless allowed, that cannot be asked */
export function assertAllHold(
  replicas: readonly Replica[],
  kids: readonly string[],
  { allowUnreachable }: { readonly allowUnreachable: boolean },
): void {
  const problems = replicas.flatMap(({ address, report }) => {
    if (report === undefined) return allowUnreachable ? [] : [`${address} cannot be reached`];
    const missing = missingKids(report, kids);
    return missing.length === 0 ? [] : [`${address} lacks ${missing.join(', ')}`];
  });
  if (problems.length > 0) throw new Refusal(`the rotation before has not arrived everywhere: ${problems.join('; ')}`);
}

export function missingKids(report: KeysetReport, kids: readonly string[]): readonly string[] {
  return kids.filter((kid) => !report.keys.some((key) => key.kid === kid));
}

async function addressesOf(nameAndPort: string, lookup: Lookup): Promise<readonly string[]> {
  const colon = nameAndPort.lastIndexOf(':');
  const [name, port] = [nameAndPort.slice(0, colon), nameAndPort.slice(colon + 1)];
  try {
    const addresses = await lookup(name);
    // A name without addresses says nothing about any replica, so it must not pass for consent.
    if (addresses.length === 0) return [nameAndPort];
    return addresses.map((address) => `${isIPv6(address) ? `[${address}]` : address}:${port}`);
  } catch {
    return [nameAndPort];
  }
}

async function readReplica(address: string): Promise<Replica> {
  try {
    return { address, report: parseKeysetReport(await readPage(`http://${address}${KEYSET_REPORT_PATH}`)) };
  } catch {
    return { address, report: undefined };
  }
}

function readPage(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(REPLY_TIMEOUT_MS);
    const request = get(url, { agent: false, signal }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        if (text.length > KEYSET_REPORT_CHARS_MAX) request.destroy(new Error('the report is too large'));
      });
      response.once('error', reject).once('end', () => {
        if (response.statusCode === 200) resolve(text);
        else reject(new Error('the router has no report'));
      });
    });
    request.once('error', reject);
  });
}

/** docs/key-rotation.md, run by a shell as it stands: only kubectl and the routers are played. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { parseKeyset, reportKeyset, type Keyset, type KeysetEntry } from '@roundhouse/sealed-state';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PAGE = readFileSync(join(ROOT, 'docs/key-rotation.md'), 'utf8');
const HOUR = 3_600_000;
/** Secrets are files: one for each context of kubectl. */
const KUBECTL = `#!/usr/bin/env bash
context=default
if [ "$1" = --context ]; then context=$2; shift 2; fi
case "$*" in
  "get secret roundhouse-keyset --output go-template={{index .data \\"keyset.json\\" | base64decode}}") cat "$SECRETS/$context" ;;
  "create secret generic roundhouse-keyset --from-file=keyset.json --dry-run=client --output yaml") cat keyset.json ;;
  "apply --server-side --force-conflicts --filename -") cat > "$SECRETS/$context.new" && mv "$SECRETS/$context.new" "$SECRETS/$context" ;;
  *) echo "kubectl does not know: $*" >&2; exit 1 ;;
esac
`;
const TOOL = `#!/usr/bin/env bash
exec '${process.execPath}' --import '${ROOT}tools/ts-hook.mjs' '${ROOT}apps/keys/src/main.ts' "$@"
`;

let world: string;
let routers: Record<string, Server>;

beforeAll(async () => {
  world = mkdtempSync(join(tmpdir(), 'key-rotation-'));
  for (const folder of ['bin', 'secrets', 'work']) mkdirSync(join(world, folder));
  writeFileSync(join(world, 'bin', 'kubectl'), KUBECTL, { mode: 0o755 });
  writeFileSync(join(world, 'bin', 'roundhouse-keys'), TOOL, { mode: 0o755 });
  const [all, east, west] = await Promise.all(['default', 'east', 'west'].map(startRouter));
  routers = { 'roundhouse-router-admin': all!, 'router-east': east!, 'router-west': west! };
});
afterAll(() => {
  for (const router of Object.values(routers)) router.close();
  rmSync(world, { recursive: true });
});
beforeEach(async () => {
  await runSection('First keyset');
  age(HOUR);
}, 30_000);

/** A router that has every Secret as soon as it is written. */
async function startRouter(context: string): Promise<Server> {
  const server = createServer((_request, response) => {
    const at = { nowMs: Date.now(), loadedAtMs: Date.now(), outcome: 'ok' } as const;
    response.end(JSON.stringify(reportKeyset(secret(context), at)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

const secretFile = (context: string): string => join(world, 'secrets', context);
const secret = (context = 'default'): Keyset => parseKeyset(readFileSync(secretFile(context), 'utf8'));
const rolesOf = (keyset: Keyset): string[] => keyset.keys.map((key) => keyset.roleAt(key, Date.now()));
const blocksOf = (title: string): string[] => {
  const section = PAGE.split(/^## /m).find((text) => text.startsWith(`${title}\n`))!;
  return [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block!);
};

/** Lets time pass for the keyset: all its times move into the past. */
function age(ms: number): void {
  const file = JSON.parse(readFileSync(secretFile('default'), 'utf8')) as { keys: KeysetEntry[] };
  const moved = JSON.stringify(file, (name, value: unknown) =>
    name.endsWith('At') ? new Date(Date.parse(value as string) - ms).toISOString() : value,
  );
  for (const context of ['default', 'east', 'west']) writeFileSync(secretFile(context), moved);
}

interface Ran {
  readonly code: number | null;
  readonly output: string;
}

/** Runs one block of a section as a shell would that stops at the first failure. */
async function runBlock(block: string, env: Record<string, string> = {}): Promise<Ran> {
  const script = Object.entries(routers).reduce((text, [name, server]) => {
    return text.replaceAll(`${name}:9090`, `127.0.0.1:${(server.address() as AddressInfo).port}`);
  }, block);
  const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', script], {
    cwd: join(world, 'work'),
    env: { PATH: `${join(world, 'bin')}:/usr/local/bin:/usr/bin:/bin`, SECRETS: join(world, 'secrets'), ...env },
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

async function runSection(title: string, env?: Record<string, string>): Promise<string> {
  let all = '';
  for (const block of blocksOf(title)) {
    const { code, output } = await runBlock(block, env);
    expect({ code, output }).toEqual({ code: 0, output });
    all += output;
  }
  // The file was in the folder only while it was worked on.
  expect(readdirSync(join(world, 'work'))).toEqual([]);
  return all;
}

describe('the runbook', () => {
  it('makes a keyset whose key seals at once', () => {
    expect(rolesOf(secret())).toEqual(['primary']);
  });

  it('rotates: the new key waits, takes over by itself, and the old one is pruned the next time', async () => {
    const [old] = secret().keys;
    expect(await runSection('Normal rotation')).toContain('nothing to prune');
    expect(rolesOf(secret())).toEqual(['staged', 'primary']);
    age(HOUR);
    expect(rolesOf(secret())).toEqual(['primary', 'destroyed']);
    expect(await runSection('Normal rotation')).toContain(`pruned ${old!.kid}`);
    expect(rolesOf(secret())).toEqual(['staged', 'primary']);
  }, 60_000);

  it('stops before the Secret while a rotation is under way', async () => {
    await runSection('Normal rotation');
    const before = readFileSync(secretFile('default'), 'utf8');
    const { code, output } = await runBlock(blocksOf('Normal rotation')[0]!);
    expect(code).toBe(3);
    expect(output).toContain('one rotation at a time');
    expect(readFileSync(secretFile('default'), 'utf8')).toBe(before);
    rmSync(join(world, 'work', 'keyset.json'));
  }, 60_000);

  it('takes a leaked key out of service and puts another in', async () => {
    const KID = secret().keys[0]!.kid;
    expect(await runSection('A key has leaked', { KID })).toContain(`disabled ${KID}; `);
    expect(secret().byKid(KID)?.enabled).toBe(false);
    expect(rolesOf(secret())).toEqual(['primary', 'disabled']);
  }, 60_000);

  it('leaves no key of a leaked file in service', async () => {
    await runSection('Normal rotation');
    const leaked = secret().keys.map((key) => key.kid);
    expect(rolesOf(secret())).toEqual(['staged', 'primary']);
    await runSection('The whole file has leaked', { KIDS: leaked.join(' ') });
    const keyset = secret();
    expect(leaked.map((kid) => keyset.byKid(kid)?.enabled)).toEqual([false, false]);
    expect(leaked).not.toContain(keyset.primaryAt(Date.now())?.kid);
    expect(keyset.primaryAt(Date.now())).toBeDefined();
  }, 60_000);

  it('gives two clusters one keyset, and promotes a key once both have it', async () => {
    const [add, promote] = blocksOf('Two clusters');
    expect(await runBlock(add!)).toMatchObject({ code: 0 });
    expect(readFileSync(secretFile('east'), 'utf8')).toBe(readFileSync(secretFile('west'), 'utf8'));
    expect(rolesOf(secret('west'))).toEqual(['staged', 'primary']);
    expect(await runBlock(promote!)).toMatchObject({ code: 3, output: expect.stringContaining('may not be known') });

    const east = readFileSync(secretFile('east'), 'utf8');
    writeFileSync(secretFile('default'), east);
    age(HOUR);
    expect(await runBlock(promote!)).toMatchObject({ code: 0 });
    expect(rolesOf(secret('west'))).toEqual(['primary', 'previous']);
  }, 60_000);
});

import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTcp } from 'node:net';
import { once } from 'node:events';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { Controller, Module } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { TestAuthority, type CertificateFiles } from '@roundhouse/testing';
import { startMicroservice, type RunningService } from '../running-service.js';
import { RpcClient } from './rpc-client.js';
import { TlsIdentity } from './tls-identity.js';

const WORKER = 'notes.tools.svc';
const ROUTER = 'router.tools.svc';

@Controller()
class PingController {
  @MessagePattern('ping')
  ping(): object {
    return { pong: true };
  }
}

@Module({ controllers: [PingController] })
class PingModule {}

const ours = await TestAuthority.create();
const theirs = await TestAuthority.create('Somebody else');
const worker = ours.issue(WORKER);
const router = ours.issue(ROUTER);
let running: { close(): unknown }[] = [];

afterEach(async () => {
  for (const each of running.reverse()) await each.close();
  running = [];
});
afterAll(() => {
  for (const { folder } of [ours, theirs]) rmSync(folder, { recursive: true });
});

async function serve(files: CertificateFiles | undefined): Promise<RunningService> {
  const service = await startMicroservice({
    name: 'worker',
    module: PingModule,
    listen: { host: '127.0.0.1', port: 0 },
    tls: files && { ...files, clientNames: [ROUTER] },
    logLevel: 'silent',
  });
  running.push(service);
  return service;
}

function clientOf(service: RunningService, files: CertificateFiles | undefined, serverName = WORKER): RpcClient {
  const identity = files && new TlsIdentity(files);
  const client = new RpcClient(service.address, identity && { identity, serverName });
  running.push(client);
  if (identity) running.push(identity);
  return client;
}

const ping = (client: RpcClient): Promise<unknown> => client.ask('ping', {}, 2_000);

describe('rpc with certificates', () => {
  it('passes calls between two that know each other', async () => {
    expect(await ping(clientOf(await serve(worker), router))).toEqual({ pong: true });
  });

  it.each([
    ['was signed by somebody else', theirs.issue(ROUTER)],
    ['is made out to another service', ours.issue('notes.other.svc')],
    ['is a worker’s, whose authority is the same', worker],
  ])('refuses a caller whose certificate %s', async (_what, files) => {
    const trusting = { ...files, caFile: router.caFile };
    await expect(ping(clientOf(await serve(worker), trusting))).rejects.toThrow();
  });

  it('refuses a caller without TLS', async () => {
    await expect(ping(clientOf(await serve(worker), undefined))).rejects.toThrow();
  });

  it.each([
    ['was signed by somebody else', theirs.issue(WORKER), WORKER],
    ['is made out to another service', worker, 'bank.tools.svc'],
  ])('calls nobody whose certificate %s', async (_what, files, serverName) => {
    const client = clientOf(await serve({ ...files, caFile: worker.caFile }), router, serverName);
    await expect(client.ready()).rejects.toThrow(/certificate|altnames/i);
    expect(client.isConnected).toBe(false);
  });

  it('calls nobody who speaks without TLS', async () => {
    const client = clientOf(await serve(undefined), router);
    await expect(client.ready()).rejects.toThrow();
  });

  it('goes on with renewed certificates without a restart, on both sides', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'roundhouse-renewal-'));
    const mounted = (name: string, files: CertificateFiles): CertificateFiles => {
      const to = (kind: string): string => join(folder, `${name}.${kind}`);
      copyFileSync(files.certFile, to('crt'));
      copyFileSync(files.keyFile, to('key'));
      copyFileSync(files.caFile, to('ca'));
      return { certFile: to('crt'), keyFile: to('key'), caFile: to('ca') };
    };
    const service = await serve(mounted('worker', worker));
    const identity = new TlsIdentity(mounted('router', router));
    running.push(identity, { close: () => rmSync(folder, { recursive: true }) });
    const before = new RpcClient(service.address, { identity, serverName: WORKER });
    running.push(before);
    expect(await ping(before)).toEqual({ pong: true });

    mounted('worker', theirs.issue(WORKER));
    mounted('router', theirs.issue(ROUTER));
    identity.checkNow();
    const after = new RpcClient(service.address, { identity, serverName: WORKER });
    running.push(after);
    // The server watches its folder; until it has seen the change it refuses the new caller.
    let pong: unknown;
    while (pong === undefined) pong = await ping(after).catch(() => undefined);
    expect(pong).toEqual({ pong: true });
    expect(await ping(before)).toEqual({ pong: true });
  });

  it('keeps the old identity when a renewal is half written', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'roundhouse-renewal-'));
    running.push({ close: () => rmSync(folder, { recursive: true }) });
    const certFile = join(folder, 'tls.crt');
    copyFileSync(router.certFile, certFile);
    const identity = new TlsIdentity({ ...router, certFile });
    running.push(identity);
    const { material } = identity;
    for (const text of ['', '-----BEGIN CERTIFICATE-----\n', 'x'.repeat(300_000)]) {
      writeFileSync(certFile, text);
      identity.checkNow();
      expect(identity.material).toBe(material);
    }
  });

  it('refuses a key that does not belong to the certificate', () => {
    expect(() => new TlsIdentity({ ...router, keyFile: worker.keyFile })).toThrow(
      expect.objectContaining({ code: 'config_invalid', reason: 'config_malformed' }),
    );
  });

  it('refuses files that are not there', () => {
    expect(() => new TlsIdentity({ ...router, keyFile: '/nowhere/tls.key' })).toThrow(
      expect.objectContaining({ code: 'config_invalid', reason: 'config_unreadable' }),
    );
  });

  it('outlives a peer that connects and says nothing', async () => {
    const service = await serve(worker);
    const silent = connectTcp(service.address.port, '127.0.0.1');
    await once(silent, 'connect');
    silent.destroy();
    expect(await ping(clientOf(service, router))).toEqual({ pong: true });
  });
});

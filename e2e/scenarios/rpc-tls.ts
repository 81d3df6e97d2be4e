/** Every process shows a certificate: flows work as they do in the open, and nobody without one is heard. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { TestAuthority, type CertificateFiles } from '@roundhouse/testing';
import { Cluster } from '../harness/cluster.js';
import { serviceName } from '../harness/cluster-plan.js';
import { LegacySession, textOfResponse } from '../harness/legacy-session.js';
import { until } from '../harness/until.js';
import { ask, completed, retry, withoutId } from '../harness/flow.js';
import { sendMcp } from '../harness/mcp-request.js';
import { Note } from '../harness/reference-tools.js';
import { scenario, scenariosIn, type World } from '../harness/scenario.js';

const CONFIRM = { action: 'accept', content: { confirm: true } };

class CertifiedWorld implements World {
  private constructor(
    readonly authority: TestAuthority,
    readonly cluster: Cluster,
  ) {}

  static async start(): Promise<CertifiedWorld> {
    const authority = await TestAuthority.create();
    return new CertifiedWorld(authority, await Cluster.start({ name: 'e2e/rpc-tls', authority }));
  }

  complaints(): string[] {
    return this.cluster.complaints();
  }

  async stop(): Promise<void> {
    await this.cluster.stop();
    rmSync(this.authority.folder, { recursive: true });
  }
}

/** How a connection with these certificates ends that sends a question: what came back, before it was closed. */
async function answerTo(port: number, serverName: string, files?: CertificateFiles): Promise<string> {
  const identity: ConnectionOptions =
    files === undefined ? {} : { cert: readFileSync(files.certFile), key: readFileSync(files.keyFile) };
  const socket = connectTls({
    port,
    host: '127.0.0.1',
    servername: serverName,
    ...identity,
    rejectUnauthorized: false,
  });
  socket.on('error', () => undefined);
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  const head = JSON.stringify({ pattern: 'roundhouse.v1.describe', data: {}, id: 1 });
  const frame = Buffer.alloc(8 + head.length);
  frame.writeUInt32BE(4 + head.length, 0);
  frame.writeUInt32BE(head.length, 4);
  frame.write(head, 8);
  socket.write(frame);
  await new Promise((resolve) => socket.once('close', resolve).once('data', resolve));
  socket.destroy();
  return answer;
}

export const scenarios = scenariosIn('certificates between the services', () => CertifiedWorld.start(), [
  scenario('a flow runs once over two routers', ['REP-12', 'D-43'], async ({ world: { cluster } }) => {
    const note = new Note(cluster, 'Deleted behind certificates');
    const { state } = await ask(cluster.port, note.call);
    const answered = retry(note.call, state, note.confirmation);
    const first = await sendMcp(cluster.port, answered);
    assert.equal(completed(first), 'The note was deleted.');
    assert.equal(withoutId(await sendMcp(cluster.port, answered)), withoutId(first));
    assert.equal(note.deletions.length, 1);
  }),

  scenario(
    'a question of one router is answered at the other, and a line that was cut is taken up there',
    ['K-32', 'K-17'],
    async ({ world: { cluster } }) => {
      const [asking, other] = cluster.routers.map(({ port }) => port) as [number, number];
      const session = await LegacySession.begin(asking);
      const call = { args: { message: 'behind certificates' } };
      const stream = await session.call(asking, 'confirm_echo', call);
      const question = await stream.question();
      assert.equal((await session.answer(other, question, CONFIRM)).status, 202);
      assert.equal(textOfResponse(await stream.response()), 'behind certificates');

      const cut = await session.call(asking, 'confirm_echo', call);
      await cut.question();
      cut.close();
      const resumed = await session.listen(other, [['Last-Event-ID', cut.eventIds[0] ?? '']]);
      assert.equal((await session.answer(other, await resumed.question(), CONFIRM)).status, 202);
      assert.equal(textOfResponse(await resumed.response()), 'behind certificates');

      const params = { name: 'wait', arguments: { ms: 20_000 }, _meta: { progressToken: 1 } };
      const doomed = await session.stream(asking, { id: 'doomed', method: 'tools/call', params });
      const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'doomed' } };
      assert.equal((await session.post(other, cancelled)).status, 202);
      await until(() => doomed.raw.hasEnded, { what: 'the stream ends', withinMs: 5_000 });
    },
  ),

  scenario('a router hears other routers only', ['K-32'], async ({ world: { cluster, authority } }) => {
    const foreign = await TestAuthority.create('Somebody else');
    const router = serviceName('router');
    for (const port of cluster.peerPorts) {
      const asked = (files?: CertificateFiles): Promise<string> => answerTo(port, router, files);
      assert.equal(await asked(), '', 'no certificate');
      for (const kind of ['worker', 'replay'])
        assert.equal(await asked(authority.issue(serviceName(kind))), '', `the certificate of a ${kind}`);
      assert.equal(await asked(foreign.issue(router)), '', 'another authority');
      assert.match(await asked(authority.issue(router)), /./, 'a router');
    }
    rmSync(foreign.folder, { recursive: true });
  }),

  scenario('only routers are heard', ['REP-12'], async ({ world: { cluster, authority } }) => {
    const foreign = await TestAuthority.create('Somebody else');
    const router = serviceName('router');
    for (const [seat, kind] of [
      [cluster.replay, 'replay'],
      [cluster.workers[0]!, 'worker'],
    ] as const) {
      const asked = (files?: CertificateFiles): Promise<string> => answerTo(seat.port, serviceName(kind), files);
      assert.equal(await asked(), '', `${kind}: no certificate`);
      assert.equal(await asked(authority.issue(serviceName('worker'))), '', `${kind}: a worker's certificate`);
      assert.equal(await asked(foreign.issue(router)), '', `${kind}: another authority`);
      assert.match(await asked(authority.issue(router)), /"(response|err)":/, `${kind}: a router`);
    }
    rmSync(foreign.folder, { recursive: true });
  }),
]);

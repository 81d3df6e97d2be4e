/**
 * A router that does for a flow what no design can leave out: HTTP, a state under an AEAD that is bound to the call, a
 * claim before the second round runs, its result sealed and stored before it is told. It checks nothing else, measures
 * nothing, and falls over at the first thing that goes wrong. Arguments: its port, that of the worker, of the replay service.
 */
import { createCipheriv, createDecipheriv, createSecretKey, hash, randomFillSync } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { listen } from '../listen.js';
import { connect } from './wire.js';

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: {
    readonly name: string;
    readonly arguments: object;
    readonly requestState?: string;
    readonly inputResponses?: object;
  };
}

interface State {
  readonly expiresAtMs: number;
  readonly nonce: string;
  readonly digest: string;
  readonly continuation: string;
}

const LIFE_MS = 600_000;
const ID_BYTES = 16;
/** Random bytes that are drawn at once. */
const POOL_BYTES = 4_800;
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const [, workerPort, replayPort] = process.argv.slice(2).map(Number);
const worker = connect(Number(workerPort));
const replay = connect(Number(replayPort));
// All routers of a run need the same one, and nobody else ever meets it.
const key = createSecretKey(Buffer.alloc(32, 7));
let pool = Buffer.alloc(0);

function random(bytes: number): Buffer {
  if (pool.length < bytes) pool = randomFillSync(Buffer.allocUnsafe(POOL_BYTES));
  const taken = pool.subarray(0, bytes);
  pool = pool.subarray(bytes);
  return taken;
}

function seal(text: string): string {
  const nonce = random(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce);
  const parts = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(parts).toString('base64url');
}

function open(sealed: string): State {
  const bytes = Buffer.from(sealed, 'base64url');
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  return JSON.parse(text) as State;
}

function digestOf({ method, params }: Call): string {
  return hash('sha256', `${method} ${params.name} ${JSON.stringify(params.arguments)}`, 'base64url');
}

function toWorker({ method, params }: Call, more: object): Record<string, unknown> {
  return { method, target: params.name, body: JSON.stringify(params.arguments), ...more };
}

function reply(response: ServerResponse, id: number, result: string): void {
  const body = `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);
}

function begin(call: Call, response: ServerResponse): void {
  worker(toWorker(call, {}), ({ asks, continuation }) => {
    const nonce = random(ID_BYTES).toString('base64url');
    const state = seal(
      JSON.stringify({ expiresAtMs: Date.now() + LIFE_MS, nonce, digest: digestOf(call), asks, continuation }),
    );
    const result = `{"resultType":"input_required","inputRequests":${JSON.stringify(asks)},"requestState":"${state}"}`;
    reply(response, call.id, result);
  });
}

function complete(call: Call, response: ServerResponse, state: State): void {
  const answers = call.params.inputResponses;
  const digest = digestOf(call);
  if (state.digest !== digest || state.expiresAtMs < Date.now()) throw new Error('a state of another call');
  const claimId = hash('sha256', `claim ${state.nonce}`, 'base64url');
  const fingerprint = hash('sha256', `${digest} ${JSON.stringify(answers)}`, 'base64url');
  const owner = random(ID_BYTES).toString('base64url');
  replay({ claimId, fingerprint, owner }, ({ isDone }) => {
    if (isDone !== true) throw new Error('a state that was spent');
    worker(toWorker(call, { answers, continuation: state.continuation }), ({ result }) =>
      replay({ claimId, owner, result: seal(String(result)) }, () => reply(response, call.id, String(result))),
    );
  });
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const call = JSON.parse(Buffer.concat(chunks).toString()) as Call;
    const { requestState } = call.params;
    if (requestState === undefined) begin(call, response);
    else complete(call, response, open(requestState));
  });
});
listen(server);

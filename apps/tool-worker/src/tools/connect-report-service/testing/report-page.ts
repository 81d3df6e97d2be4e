/**
 * The page on which a person connects the report service, as small as tests need it: a sign-in that believes whoever
 * signs in, and two buttons. It has no part in the call: it shares the record of the connection, and nothing else.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { FileLedger } from '../../../ledger/ledger.js';
import { join } from 'node:path';
import type { Connection, Owner } from '../connection.js';
import { CONNECTIONS_LEDGER_FILE, Connections } from '../connections.js';

/** Who the development header vouches for; the page's users are the same people. */
const ISSUER = 'development';
const BODY_BYTES_MAX = 1_024;
const PATH = /^\/connect\/([A-Za-z0-9_-]{1,64})$/;

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The same for what is not there and what is another's. */
const UNKNOWN: Reply = { status: 404, text: 'There is no such page for you.' };

export class ReportPage {
  private constructor(
    private readonly connections: Connections,
    private readonly server: Server,
  ) {}

  /** @param directory the one that the workers share */
  static async start(directory: string, { port = 0, nowMs = Date.now } = {}): Promise<ReportPage> {
    const connections = new Connections(new FileLedger(join(directory, CONNECTIONS_LEDGER_FILE)), nowMs);
    const server = createServer().listen(port, '127.0.0.1');
    const page = new ReportPage(connections, server);
    server.on('request', (request, response) => void page.serve(request, response));
    await once(server, 'listening');
    return page;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** What the tool appends an id to. */
  get url(): string {
    return `${this.origin}/connect/`;
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, text, headers } = await this.reply(request).catch(() => ({ status: 500, text: '', headers: {} }));
    response.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store', ...headers });
    response.end(text);
  }

  private async reply(request: IncomingMessage): Promise<Reply> {
    const { method = '', url = '' } = request;
    const { origin } = request.headers;
    // A form of another site must not press our buttons.
    if (method === 'POST' && origin !== undefined && origin !== this.origin)
      return { status: 403, text: 'Not from here.' };
    const form = method === 'POST' ? await readForm(request) : new URLSearchParams();
    if (method === 'POST' && url === '/sign-in') return signedIn(form);
    const user = userOf(request);
    const id = PATH.exec(url)?.[1];
    if (id === undefined) return UNKNOWN;
    if (user === undefined) return { status: 401, text: signInForm(url) };
    const connection = await this.connections.find(id, user);
    if (connection === undefined) return UNKNOWN;
    return method === 'POST'
      ? this.decide(connection, form.get('decision'))
      : { status: 200, text: pageOf(connection) };
  }

  /** Pressed twice, or too late, changes nothing: the reply says how the connection stands. */
  private async decide(connection: Connection, decision: string | null): Promise<Reply> {
    if (decision !== 'allow' && decision !== 'refuse') return { status: 400, text: 'Allow or refuse?' };
    const to = decision === 'allow' ? 'completed' : 'failed';
    const after = await this.connections.advance(connection, to, 'page');
    return { status: after.status === 'expired' ? 410 : 200, text: pageOf(after) };
  }
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += String(chunk);
    if (text.length > BODY_BYTES_MAX) throw new Error('the form is too large');
  }
  return new URLSearchParams(text);
}

function signedIn(form: URLSearchParams): Reply {
  const name = form.get('name') ?? '';
  const back = form.get('back') ?? '';
  if (!/^[a-z]{1,32}$/.test(name) || !PATH.test(back)) return { status: 400, text: 'Who are you?' };
  return {
    status: 303,
    text: '',
    headers: { Location: back, 'Set-Cookie': `user=${name}; HttpOnly; SameSite=Strict` },
  };
}

function userOf({ headers }: IncomingMessage): Owner | undefined {
  const subject = /(?:^|; )user=([a-z]{1,32})(?:;|$)/.exec(headers.cookie ?? '')?.[1];
  return subject === undefined ? undefined : { issuer: ISSUER, subject };
}

function signInForm(back: string): string {
  return `<h1>Sign in</h1><form method="post" action="/sign-in"><input name="name" value="alice"><input type="hidden" name="back" value="${back}"><button>Sign in</button></form>`;
}

function pageOf({ status }: Connection): string {
  const buttons =
    status === 'asked' || status === 'consented'
      ? '<form method="post"><button name="decision" value="allow">Allow</button> <button name="decision" value="refuse">Refuse</button></form>'
      : '';
  return `<h1>Report service</h1><p>This connection is ${status}.</p>${buttons}`;
}

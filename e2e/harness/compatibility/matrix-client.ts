/** What the scenarios of the compatibility table want of a client, whichever it is. All go through the same front. */
import type { Json } from '../mcp-request.js';
import type { Action } from '../tool-cases.js';

export const PRINCIPAL = 'alice';

/** What a client was told without having asked just now. */
export interface Heard {
  readonly logs: number;
  readonly listChanges: number;
  /** Addresses of resources. */
  readonly updates: readonly string[];
}

export interface ClientOptions {
  readonly port: number;
  /** What its person does with every question. */
  readonly action: Action;
  /** Content of whoever accepts, by field. */
  readonly answers: Json;
}

export interface BegunCall {
  /** Text of the result. */
  readonly text: Promise<string>;
  /** Gives the call up, in the way of the client's revision. */
  cancel(): Promise<void>;
}

export interface MatrixClient {
  listTools(): Promise<readonly string[]>;
  begin(tool: string, args?: Json): BegunCall;
  /** For all calls from now on. */
  setLogLevel(level: 'info'): Promise<void>;
  /** Hears of changed lists and of this resource; resolves once it will. */
  follow(uri: string): Promise<void>;
  heard(): Promise<Heard>;
  /** Of a client with a session. */
  endSession(): Promise<void>;
  close(): Promise<void>;
}

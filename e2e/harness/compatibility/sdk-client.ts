/** The official TypeScript clients as the compatibility table tries them. */
import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import {
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { connectLegacyClient } from '../legacy-client.js';
import type { Json } from '../mcp-request.js';
import { connectOfficialClient, textOf } from '../official-client.js';
import { CASE_ROOTS, CASE_SAMPLE } from '../tool-cases.js';
import { PRINCIPAL, type BegunCall, type ClientOptions, type Heard, type MatrixClient } from './matrix-client.js';
import { Person } from './person.js';

const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';

export async function connectSdk(kind: 'v1' | 'v2' | 'v2-modern', options: ClientOptions): Promise<MatrixClient> {
  const person = new Person(options);
  if (kind === 'v2-modern') {
    const sdk = await connectOfficialClient({
      ...{ url: `http://127.0.0.1:${options.port}/mcp`, principal: PRINCIPAL, roots: CASE_ROOTS },
      answer: ({ requestedSchema }) => person.fill(Object.keys(requestedSchema.properties)) as never,
      open: async ({ url }) => (await person.open(url)) as never,
      sample: () => CASE_SAMPLE,
    });
    return new SdkClient(sdk, undefined);
  }
  const { sdk, endSession } = await connectLegacyClient({
    ...{ kind, principal: PRINCIPAL, roots: CASE_ROOTS, sample: CASE_SAMPLE },
    portFor: () => options.port,
    answer: (fields) => person.fill(fields),
    open: (url) => person.open(url),
  });
  return new SdkClient(sdk, endSession);
}

class SdkClient implements MatrixClient {
  private logs = 0;
  private listChanges = 0;
  private readonly updates: string[] = [];
  /** Of a modern client, in each request. */
  private meta: Json | undefined;

  constructor(
    private readonly sdk: ClientV1 | ClientV2,
    private readonly end: (() => Promise<void>) | undefined,
  ) {
    const [onLog, onList] = [() => void (this.logs += 1), () => void (this.listChanges += 1)];
    const onUpdate = ({ params }: { params: { uri: string } }): void => void this.updates.push(params.uri);
    if (sdk instanceof ClientV1) {
      sdk.setNotificationHandler(LoggingMessageNotificationSchema, onLog);
      sdk.setNotificationHandler(ToolListChangedNotificationSchema, onList);
      sdk.setNotificationHandler(ResourceUpdatedNotificationSchema, onUpdate);
    } else {
      sdk.setNotificationHandler('notifications/message', onLog);
      sdk.setNotificationHandler('notifications/tools/list_changed', onList);
      sdk.setNotificationHandler('notifications/resources/updated', onUpdate);
    }
  }

  async listTools(): Promise<readonly string[]> {
    return (await this.sdk.listTools()).tools.map(({ name }) => name);
  }

  begin(tool: string, args: Json = {}): BegunCall {
    const aborted = new AbortController();
    const params = { name: tool, arguments: { ...args }, ...(this.meta && { _meta: { ...this.meta } }) };
    const options = { signal: aborted.signal };
    const { sdk } = this;
    const result = sdk instanceof ClientV1 ? sdk.callTool(params, undefined, options) : sdk.callTool(params, options);
    const text = result.then(textOf);
    // Given up, or looked at later.
    text.catch(() => undefined);
    return { text, cancel: async () => aborted.abort() };
  }

  async setLogLevel(level: 'info'): Promise<void> {
    if (this.end === undefined) this.meta = { [LOG_LEVEL]: level };
    else await this.sdk.setLoggingLevel(level);
  }

  async follow(uri: string): Promise<void> {
    const { sdk } = this;
    if (this.end !== undefined) await sdk.subscribeResource({ uri });
    else if (sdk instanceof ClientV2) await sdk.listen({ toolsListChanged: true, resourceSubscriptions: [uri] });
  }

  async heard(): Promise<Heard> {
    const { logs, listChanges, updates } = this;
    return { logs, listChanges, updates };
  }

  async endSession(): Promise<void> {
    await this.end?.();
  }

  async close(): Promise<void> {
    await this.sdk.close();
  }
}

/**
 * One resource, or all resources of one template. A URI that names nothing is an error, never empty contents.
 */
import type { CallReply, CatalogueEntry } from '@roundhouse/contracts';
import { Call } from './call.js';
import { toBase64, type ResourceContents } from './content.js';
import type { ResourceMethod, ResourceOptions, ResourceReturn, Variables } from './declarations.js';
import { attempt, type Endpoint } from './endpoint.js';
import { ResourceMissing } from './failures.js';
import { toGate } from './gate.js';
import { failed, type Run } from './run.js';
import { variablesMatcher } from './uri-template.js';

const NOT_FOUND: CallReply = { kind: 'error', code: 'resource_not_found', message: 'Resource not found' };

export class ResourceEndpoint implements Endpoint {
  readonly answers = 'sealed';
  readonly entry: CatalogueEntry;
  /** The variables of a URI this endpoint serves; undefined for any other URI. */
  readonly match: (uri: string) => Variables | undefined;

  constructor(
    private readonly options: ResourceOptions,
    private readonly method: ResourceMethod,
  ) {
    const { uri, uriTemplate, name, title, description, mimeType } = options;
    this.match =
      uriTemplate === undefined ? (asked) => (asked === uri ? {} : undefined) : variablesMatcher(uriTemplate);
    this.entry = {
      name: uri ?? uriTemplate ?? '',
      json: JSON.stringify({ uri, uriTemplate, name, title, description, mimeType }),
      ...toGate(options),
    };
  }

  invoke(run: Run): CallReply | Promise<CallReply> {
    const variables = this.match(run.request.target);
    if (variables === undefined) return NOT_FOUND;
    return attempt<ResourceReturn>(run, {
      name: `Resource ${this.options.name}`,
      method: () => this.method(variables, new Call(run)),
      encode: (returned) => this.encode(run.request.target, returned),
      refuse: (thrown) => (thrown instanceof ResourceMissing ? NOT_FOUND : undefined),
      fail: () => failed('The resource could not be read'),
    });
  }

  private encode(uri: string, returned: ResourceReturn): CallReply {
    const contents = this.toContents(uri, returned);
    if (contents.length === 0) return NOT_FOUND;
    const { cache } = this.options;
    return { kind: 'complete', body: JSON.stringify({ contents }), ...(cache && { cache: { ...cache } }) };
  }

  private toContents(uri: string, returned: ResourceReturn): readonly ResourceContents[] {
    const { mimeType } = this.options;
    if (returned === undefined) return [];
    if (typeof returned === 'string') return [{ uri, ...(mimeType && { mimeType }), text: returned }];
    if (returned instanceof Uint8Array) return [{ uri, ...(mimeType && { mimeType }), blob: toBase64(returned) }];
    return returned;
  }
}

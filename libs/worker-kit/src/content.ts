/**
 * What a tool or prompt gives back: content blocks and the result around them. The router adds `resultType`, `_meta`
 * and caching hints, so none of these can be said here; own `_meta` keys travel as `meta`.
 */

export interface Annotations {
  readonly audience?: readonly ('user' | 'assistant')[];
  /** 0 to 1. */
  readonly priority?: number;
  /** ISO 8601. */
  readonly lastModified?: string;
}

export type ResourceContents =
  | { readonly uri: string; readonly mimeType?: string; readonly text: string }
  | { readonly uri: string; readonly mimeType?: string; readonly blob: string };

export interface ResourceLink {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
}

export type ContentBlock = { readonly annotations?: Annotations } & (
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'resource'; readonly resource: ResourceContents }
  | ({ readonly type: 'resource_link' } & ResourceLink)
);

export interface ToolResult {
  /** Absent: the JSON text of `structuredContent` is the only block, for clients that read no structured content. */
  readonly content?: readonly ContentBlock[];
  /** Any JSON value; checked against the tool's `output` schema when it has one. */
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  /** The tool's own `_meta` keys. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** A method may return a text, a block, several blocks, or the whole result. */
export type ToolReturn = string | ContentBlock | readonly ContentBlock[] | ToolResult;

export function text(value: string, annotations?: Annotations): ContentBlock {
  return { type: 'text', text: value, ...(annotations && { annotations }) };
}

/** `data`: the bytes, or their base64 text. */
export function image(data: Uint8Array | string, mimeType: string): ContentBlock {
  return { type: 'image', data: toBase64(data), mimeType };
}

/** `data`: the bytes, or their base64 text. */
export function audio(data: Uint8Array | string, mimeType: string): ContentBlock {
  return { type: 'audio', data: toBase64(data), mimeType };
}

export function embedded(resource: ResourceContents): ContentBlock {
  return { type: 'resource', resource };
}

export function resourceLink(link: ResourceLink): ContentBlock {
  return { type: 'resource_link', ...link };
}

/** `structuredContent`, and its JSON text as a block unless other blocks are given (protocol: SEP-2106). */
export function structured(value: unknown, content?: readonly ContentBlock[]): ToolResult {
  return { structuredContent: value, ...(content && { content }) };
}

/** A result with `isError: true`: the call was understood and did not work. */
export function failure(message: string): ToolResult {
  return { content: [text(message)], isError: true };
}

export function toToolResult(returned: ToolReturn): ToolResult {
  if (typeof returned === 'string') return { content: [{ type: 'text', text: returned }] };
  if (isBlocks(returned)) return { content: returned };
  if ('type' in returned) return { content: [returned] };
  return returned;
}

function isBlocks(returned: ToolReturn): returned is readonly ContentBlock[] {
  return Array.isArray(returned);
}

export function toBase64(data: Uint8Array | string): string {
  return typeof data === 'string'
    ? data
    : Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64');
}

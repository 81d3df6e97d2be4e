/** Content negotiation of the one endpoint (transports/streamable-http; RFC 9110 sections 8.3 and 12.5.1). */

export interface AcceptedTypes {
  /** `application/json`. */
  readonly json: boolean;
  /** `text/event-stream`. */
  readonly sse: boolean;
}

const BOTH: AcceptedTypes = { json: true, sse: true };
const QVALUE = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;
/** `application/json`, at most followed by a charset of UTF-8. */
const JSON_CONTENT_TYPE = /^application\/json[ \t]*(?:;[ \t]*(?:charset=(?:utf-?8|"utf-?8")[ \t]*)?)?$/i;

/**
 * Which of our two answer types a client takes. No header means no preference, and so both. The most specific range
 * decides, whatever the order; a range whose weight is no weight is skipped.
 */
export function parseAccept(header: string | undefined): AcceptedTypes {
  if (header === undefined || header.trim() === '') return BOTH;
  if (header === 'application/json, text/event-stream') return BOTH;
  const weights = new Map<string, number>();
  for (const range of header.toLowerCase().split(',')) {
    const [type = '', ...params] = range.split(';').map((part) => part.trim());
    const weight = weightOf(params);
    if (weight !== undefined) weights.set(type, Math.max(weight, weights.get(type) ?? 0));
  }
  return { json: isAccepted(weights, 'application', 'json'), sse: isAccepted(weights, 'text', 'event-stream') };
}

/** Whether a body of this type is JSON in UTF-8. Anything else is refused unread. */
export function isJsonContentType(header: string | undefined): boolean {
  return header !== undefined && (header === 'application/json' || JSON_CONTENT_TYPE.test(header.trim()));
}

function weightOf(params: readonly string[]): number | undefined {
  const param = params.find((text) => text.startsWith('q='));
  if (param === undefined) return 1;
  const weight = param.slice('q='.length);
  return QVALUE.test(weight) ? Number(weight) : undefined;
}

function isAccepted(weights: ReadonlyMap<string, number>, type: string, subtype: string): boolean {
  return (weights.get(`${type}/${subtype}`) ?? weights.get(`${type}/*`) ?? weights.get('*/*') ?? 0) > 0;
}

/** Rungs of the message itself: JSON, JSON-RPC, the envelope and its version. */
import { ENVELOPE, ID, LIST, enveloped, message, nested, refused, spoiled, unread, type Rung } from './rung.js';

const SUPPORTED = ['2026-07-28'];

const { id: _, ...WITHOUT_ID } = JSON.parse(String(spoiled(LIST, {}).body)) as { id: string };
const GOOD = { ...WITHOUT_ID, id: ID };

export const SHAPES: readonly Rung[] = [
  ...['{', '', 'nonsense', `\ufeff${JSON.stringify(GOOD)}`].map((text) =>
    unread(`${JSON.stringify(text.slice(0, 12))} is no JSON`, message(text), [400, -32700]),
  ),
  unread(
    'bytes that are no UTF-8 are no JSON',
    spoiled(LIST, { body: Buffer.from([0x22, 0xff, 0x22]) }),
    [400, -32700],
  ),
  ...['[]', '  [ ]', `[${JSON.stringify(GOOD)}]`, '"x"', '1', 'null', 'true'].map((text) =>
    unread(`${text.slice(0, 12)} is no message`, message(text), [400, -32600]),
  ),
  ...[null, {}, [1], true, 1.5].map((id) =>
    unread(`id ${JSON.stringify(id)} is none`, message({ ...GOOD, id }), [400, -32600]),
  ),
  refused('jsonrpc 1.0 is refused', message({ ...GOOD, jsonrpc: '1.0' }), [400, -32600]),
  refused('a missing jsonrpc is refused', message({ ...GOOD, jsonrpc: undefined }), [400, -32600]),
  refused('a method that is a number is refused', message({ ...GOOD, method: 5 }), [400, -32600]),
  refused('params that are a list are refused', message({ ...GOOD, params: [] }), [400, -32600]),
  refused('a response is refused', message({ jsonrpc: '2.0', id: ID, result: {} }), [400, -32600]),
  ...[100, 1_000, 20_000].map((levels) =>
    unread(`${levels} levels are too deep`, message(`{"params":{"arguments":${nested(levels)}}}`), [400, -32602]),
  ),
  unread('a _meta that is too deep is refused', message(`{"params":{"_meta":${nested(1_000)}}}`), [400, -32602]),
  unread(
    'answers that are too deep are refused',
    message(`{"params":{"inputResponses":${nested(1_000)}}}`),
    [400, -32602],
  ),
  {
    rule: 'a notification is accepted without a body',
    request: message({ jsonrpc: '2.0', method: 'notifications/cancelled' }),
    status: 202,
  },
];

const V = 'io.modelcontextprotocol/protocolVersion';
const C = 'io.modelcontextprotocol/clientCapabilities';
const version = (value: string) => ({ meta: { ...ENVELOPE, [V]: value }, headers: { 'MCP-Protocol-Version': value } });
const unsupported = (rule: string, request: Rung['request'], requested: string): Rung => ({
  rule,
  request,
  status: 400,
  code: -32022,
  data: { supported: SUPPORTED, requested },
  id: ID,
});

export const ENVELOPES: readonly Rung[] = [
  ...[
    undefined,
    null,
    [],
    'x',
    {},
    { [V]: '2026-07-28' },
    { [C]: {} },
    { ...ENVELOPE, [C]: [] },
    { ...ENVELOPE, [C]: null },
    { ...ENVELOPE, [V]: 5 },
  ].map((meta) => refused(`the envelope ${JSON.stringify(meta)} lacks something`, enveloped(meta), [400, -32602])),
  { rule: 'clientInfo may be missing', request: enveloped(ENVELOPE), status: 200 },
  unsupported(
    'a version nobody serves is answered with those we do',
    enveloped(version('v999.0.0').meta, version('v999.0.0').headers),
    'v999.0.0',
  ),
  unsupported(
    'a legacy version in an envelope is not served',
    enveloped(version('2025-11-25').meta, version('2025-11-25').headers),
    '2025-11-25',
  ),
  unsupported(
    'that wins over a missing method header',
    enveloped(version('1900-01-01').meta, { ...version('1900-01-01').headers, 'Mcp-Method': undefined }),
    '1900-01-01',
  ),
  refused('a version header that differs is refused before that', enveloped(version('1900-01-01').meta), [400, -32020]),
];

/** Rungs of a call: headers that mirror the body, the method, capabilities, arguments. */
import { ECHO, ID, LIST, refused, spoiled, type Rung } from './rung.js';

export const HEADERS: readonly Rung[] = [
  ...['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name'].flatMap((name) => {
    const good = new Map(spoiled(ECHO, {}).headers ?? []).get(name) ?? '';
    return [
      refused(`${name} is required`, spoiled(ECHO, { headers: { [name]: undefined } }), [400, -32020]),
      refused(`${name} twice is refused`, spoiled(ECHO, { headers: { [name]: [good, good] } }), [400, -32020]),
    ];
  }),
  refused(
    'the cheap name in the header, the dear one in the body',
    spoiled(ECHO, { headers: { 'Mcp-Name': 'wait' } }),
    [400, -32020],
  ),
  refused('both names in the header', spoiled(ECHO, { headers: { 'Mcp-Name': ['wait', 'echo'] } }), [400, -32020]),
  refused('another method in the header', spoiled(ECHO, { headers: { 'Mcp-Method': 'tools/list' } }), [400, -32020]),
  refused('the method in capitals', spoiled(LIST, { headers: { 'Mcp-Method': 'TOOLS/LIST' } }), [400, -32020]),
  refused('a name in broken base64', spoiled(ECHO, { headers: { 'Mcp-Name': '=?base64?ZWNobw?=' } }), [400, -32020]),
  {
    rule: 'a name in base64 is decoded',
    request: spoiled(ECHO, { headers: { 'Mcp-Name': '=?base64?ZWNobw==?=' } }),
    status: 200,
  },
  {
    rule: 'space around a name is no part of it',
    request: spoiled(ECHO, { headers: { 'Mcp-Name': ' echo\t' } }),
    status: 200,
  },
  {
    rule: 'a session id and an event id are ignored',
    request: spoiled(ECHO, { headers: { 'Mcp-Session-Id': 'x', 'Last-Event-ID': '1' } }),
    status: 200,
  },
];

export const METHODS: readonly Rung[] = [
  ...[
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    'tasks/list',
    'unknown/method',
    '__proto__',
  ].map((method) => refused(`${method} is not served`, spoiled({ ...LIST, method }, {}), [404, -32601])),
];

const needy = { ...ECHO, params: { name: 'test_missing_capability', arguments: {} }, capabilities: {} };
const region = (value: unknown) => ({ ...ECHO, params: { name: 'test_x_mcp_header', arguments: { region: value } } });
const named = (name: string) => ({ ...ECHO, params: { name } });

export const CALLS: readonly Rung[] = [
  {
    ...refused('a capability that is needed must be declared', spoiled(needy, {}), [400, -32021]),
    data: { requiredCapabilities: { sampling: {} } },
  },
  refused('a mirrored argument needs its header', spoiled(region('eu'), {}), [400, -32020]),
  refused(
    'a mirrored argument must equal its header',
    spoiled(region('eu'), { headers: { 'Mcp-Param-Region': 'us' } }),
    [400, -32020],
  ),
  refused(
    'a mirrored header in broken base64',
    spoiled(region('Hello'), { headers: { 'Mcp-Param-Region': '=?base64?SGVs!!!bG8=?=' } }),
    [400, -32020],
  ),
  {
    rule: 'a mirrored argument in base64 is decoded',
    request: spoiled(region('Hello'), { headers: { 'Mcp-Param-Region': '=?base64?SGVsbG8=?=' } }),
    status: 200,
  },
  ...['nope', 'constructor', '__proto__', 'toString', 'hasOwnProperty', 'búsqueda'].map((name) =>
    refused(
      `${name} is no tool`,
      spoiled(named(name), { headers: name === 'búsqueda' ? { 'Mcp-Name': '=?base64?YsO6c3F1ZWRh?=' } : {} }),
      [200, -32602],
    ),
  ),
  ...[[], 'x', 1, null].map((args) =>
    refused(
      `arguments ${JSON.stringify(args)} are none`,
      spoiled({ ...ECHO, params: { name: 'echo', arguments: args } }, {}),
      [200, -32602],
    ),
  ),
  ...['', 'x', 5].map((cursor) =>
    refused(
      `the cursor ${JSON.stringify(cursor)} was never given`,
      spoiled({ ...LIST, params: { cursor } }, {}),
      [200, -32602],
    ),
  ),
  {
    ...refused(
      'a resource that is not there is named back',
      spoiled({ method: 'resources/read', id: ID, params: { uri: 'test://none' } }, {}),
      [200, -32602],
    ),
    data: { uri: 'test://none' },
  },
];

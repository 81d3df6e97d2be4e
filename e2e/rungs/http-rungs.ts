/** Rungs below the message: verb, host, origin, what is sent and what is wanted back. */
import { LIST, spoiled, unread, type Rung } from './rung.js';

export const VERBS_AND_HOSTS: readonly Rung[] = [
  ...['GET', 'DELETE', 'PUT', 'PATCH'].map((method) => unread(`${method} is not served`, { method }, [405, -32600])),
  ...['mcp.example.com', 'mcp.example.com:443', 'MCP.EXAMPLE.COM', 'mcp.example.com.'].map((host) => ({
    rule: `Host ${host} is ours`,
    request: spoiled(LIST, { headers: { Host: host, 'X-Forwarded-Host': 'evil.example' } }),
    status: 200,
  })),
  ...['evil.example', 'mcp.example.com.evil.example', 'evil.example:443', '[::1]:8080', 'localhost'].map((host) =>
    unread(`Host ${host} is not ours`, spoiled(LIST, { headers: { Host: host } }), [403, -32600]),
  ),
  ...['https://evil.example', 'null', 'https://app.example.com.evil.example', 'http://app.example.com'].map((origin) =>
    unread(`Origin ${origin} is refused`, spoiled(LIST, { headers: { Origin: origin } }), [403, -32600]),
  ),
  {
    rule: 'our own page may call',
    request: spoiled(LIST, { headers: { Origin: 'https://app.example.com' } }),
    status: 200,
  },
  unread(
    'a foreign Host is refused before the verb',
    { method: 'GET', headers: [['Host', 'evil.example']] },
    [403, -32600],
  ),
];

export const MEDIA: readonly Rung[] = [
  ...['application/json; charset=utf-8', 'application/json;charset="UTF-8"', 'Application/JSON'].map((type) => ({
    rule: `Content-Type ${type} is JSON`,
    request: spoiled(LIST, { headers: { 'Content-Type': type } }),
    status: 200,
  })),
  ...['application/jsonp', 'text/plain', 'application/json; charset=utf-16', undefined].map((type) =>
    unread(`Content-Type ${type} is not`, spoiled(LIST, { headers: { 'Content-Type': type } }), [415, -32600]),
  ),
  ...[
    'application/json',
    '*/*',
    undefined,
    'application/json, text/event-stream;q=0.1',
    'text/event-stream, application/json',
  ].map((accept) => ({
    rule: `Accept ${accept} is served`,
    request: spoiled(LIST, { headers: { Accept: accept } }),
    status: 200,
  })),
  ...['text/event-stream', 'application/json;q=0', 'text/html'].map((accept) =>
    unread(`Accept ${accept} cannot be served`, spoiled(LIST, { headers: { Accept: accept } }), [406, -32600]),
  ),
  unread(
    'a compressed body is refused unread',
    spoiled(LIST, { headers: { 'Content-Encoding': 'gzip' } }),
    [415, -32600],
  ),
];

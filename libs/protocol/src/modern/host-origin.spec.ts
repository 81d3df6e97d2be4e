import { describe, expect, it } from '@jest/globals';
import { RoundhouseError } from '@roundhouse/errors';
import { hostPolicy } from './host-origin.js';

const policy = hostPolicy({
  hosts: ['mcp.example.com', 'Localhost:8080', '[::1]', '10.0.0.7:80'],
  origins: ['https://app.example.com', 'http://localhost:3000', 'https://Port.example.com:443', 'vscode-webview://abc'],
});

describe('allowsHost', () => {
  it.each([
    'mcp.example.com',
    'mcp.example.com:443',
    'MCP.EXAMPLE.COM',
    'mcp.example.com.',
    'mcp.example.com.:8443',
    'localhost:8080',
    'LOCALHOST.:8080',
    'localhost:08080',
    '[::1]',
    '[::1]:8080',
    '10.0.0.7:80',
  ])('lets %s in [B40]', (host) => {
    expect(policy.allowsHost(host)).toBe(true);
  });

  it.each([
    undefined,
    '',
    ' ',
    'evil.example',
    'mcp.example.com.evil.example',
    'evil-mcp.example.com',
    'sub.mcp.example.com',
    'example.com',
    'mcp.example.com..',
    '.mcp.example.com',
    'mcp.example.com:',
    'mcp.example.com:abc',
    'mcp.example.com:443:443',
    'mcp.example.com:123456',
    'mcp.example.com, evil.example',
    'mcp.example.com evil.example',
    'mcp.example.com/evil',
    'mcp.example.com@evil.example',
    'evil@mcp.example.com',
    'http://mcp.example.com',
    ' mcp.example.com',
    'mcp.example.com\n',
    'localhost',
    'localhost:80',
    '10.0.0.7',
    '10.0.0.7:8080',
    '::1',
    '[::1',
    '[::2]',
    '[::1]evil',
    'mcp\u3002example.com',
    'mcp.example.com\u0000',
    '*',
    'null',
    'constructor',
  ])('keeps %j out [B40]', (host) => {
    expect(policy.allowsHost(host)).toBe(false);
  });

  it('keeps everything out when nothing is listed', () => {
    expect(hostPolicy({ hosts: [], origins: [] }).allowsHost('localhost')).toBe(false);
  });
});

describe('allowsOrigin', () => {
  it.each([
    undefined,
    'https://app.example.com',
    'HTTPS://APP.EXAMPLE.COM',
    'https://app.example.com:443',
    'http://localhost:3000',
    'https://port.example.com',
    'vscode-webview://abc',
  ])('lets %j in', (origin) => {
    expect(policy.allowsOrigin(origin)).toBe(true);
  });

  it.each([
    '',
    'null',
    'NULL',
    'http://app.example.com',
    'https://app.example.com:8443',
    'https://app.example.com.',
    'https://app.example.com.evil.example',
    'https://evil.example',
    'https://app.example.com/',
    'https://app.example.com/x',
    'https://app.example.com?x',
    'https://app.example.com#x',
    'https://app.example.com@evil.example',
    'https://evil.example@app.example.com',
    'https://app.example.com https://evil.example',
    'https://app.example.com, https://evil.example',
    'app.example.com',
    '//app.example.com',
    'https:app.example.com',
    'https:\\\\app.example.com',
    'http://localhost',
    'http://localhost:3001',
    'http://127.0.0.1:3000',
    'vscode-webview://abd',
    'chrome-extension://abc',
    'file://',
    'https://',
    'https://*.example.com',
    'undefined',
  ])('keeps %j out', (origin) => {
    expect(policy.allowsOrigin(origin)).toBe(false);
  });

  it('lets pages without an origin in only when null is listed', () => {
    const open = hostPolicy({ hosts: [], origins: ['null'] });
    expect(open.allowsOrigin('null')).toBe(true);
    expect(open.allowsOrigin('data://x')).toBe(false);
    expect(open.allowsOrigin('https://app.example.com')).toBe(false);
  });
});

describe('hostPolicy', () => {
  it.each(['', '*', '*.example.com', 'http://mcp.example.com', 'a b', 'a:port', '::1'])(
    'refuses to be built with the host %j',
    (host) => {
      expect(() => hostPolicy({ hosts: [host], origins: [] })).toThrow(new RoundhouseError('config_invalid'));
    },
  );

  it.each(['', '*', 'app.example.com', 'https://app.example.com/', 'https://*.example.com', 'https://a b'])(
    'refuses to be built with the origin %j',
    (origin) => {
      expect(() => hostPolicy({ hosts: [], origins: [origin] })).toThrow(new RoundhouseError('config_invalid'));
    },
  );
});

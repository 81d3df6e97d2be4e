/** The official SDK's server with the same echo tool, answering plain JSON as our router does. */
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { listen } from './listen.js';

const Echo = z.object({ message: z.string() });

function echoServer(): McpServer {
  const server = new McpServer({ name: 'sdk-echo', version: '1.0.0' });
  server.registerTool('echo', { description: 'Gives back the message.', inputSchema: Echo }, ({ message }) => ({
    content: [{ type: 'text', text: message }],
  }));
  return server;
}

const handle = toNodeHandler(createMcpHandler(echoServer, { legacy: 'reject', responseMode: 'json' }));
listen(createServer((request, response) => void handle(request, response)));

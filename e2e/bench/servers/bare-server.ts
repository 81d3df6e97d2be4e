/** The least that an HTTP JSON service can do: read a body, parse it, write it back. What Node itself costs. */
import { createServer } from 'node:http';
import { listen } from './listen.js';

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = JSON.stringify(JSON.parse(Buffer.concat(chunks).toString()));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    response.end(body);
  });
});
listen(server);

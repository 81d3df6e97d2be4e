/** A collector that takes every batch of spans and keeps none: what exporting costs, without what storing costs. */
import { createServer } from 'node:http';
import { listen } from './listen.js';

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
});
listen(server);

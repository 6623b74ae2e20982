/** What fan-out is compared with: `node:http` that writes the same bytes to every open response, and knows nothing of what it writes. */
import type { ServerResponse } from 'node:http';
import { listen } from '../../src/server/http/listen.ts';
import { answerTasks, residentMemory } from '../tasks.ts';

const responses = new Set<ServerResponse>();
const HEAD = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' };
let sequence = 0;

const { server, port } = await listen(
  (request, response) => {
    request.resume();
    response.writeHead(200, HEAD).write('retry: 500\n:\n\n');
    responses.add(response);
    response.once('close', () => responses.delete(response));
  },
  { host: '127.0.0.1', port: 0 },
);
server.maxConnections = 1_000_000;

answerTasks({
  listen: async () => port,
  /** Sends an event to all. @returns the moment at which it began. */
  send: async (bytes: number) => {
    sequence += 1;
    const data = JSON.stringify({ data: { events: { cursor: String(sequence), name: 'x'.repeat(bytes) } } });
    const at = process.hrtime.bigint();
    const event = Buffer.from(`id: ${sequence}\nevent: next\ndata: ${data}\n\n`);
    for (const response of responses) response.write(event);
    return String(at);
  },
  memory: residentMemory,
  heap: async () => process.memoryUsage().heapUsed,
});

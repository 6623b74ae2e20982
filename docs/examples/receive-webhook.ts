import { createServer } from 'node:http';
import { isAuthentic } from './verify-webhook.ts';

const secret = process.env.WEBHOOK_SECRET ?? '';
const seen = new Set<string>();

/** @returns the status of the answer. */
function receive(headers: Record<string, string | undefined>, body: Buffer): number {
  if (!isAuthentic(headers, body, secret)) return 400;
  const id = headers['webhook-id'] ?? '';
  // Your own server keeps the ids in its database, in the transaction that does the work.
  if (!seen.has(id)) console.log(headers['crossramp-event'], JSON.parse(body.toString()).end2end);
  seen.add(id);
  return 204;
}

createServer((request, response) => {
  const chunks: Buffer[] = [];
  // A request that breaks off has no end: nothing is done.
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const headers = request.headers as Record<string, string | undefined>;
    response.writeHead(receive(headers, Buffer.concat(chunks))).end();
  });
}).listen(Number(process.env.PORT ?? 3000), '127.0.0.1');

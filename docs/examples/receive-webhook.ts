import { createServer } from 'node:http';
import { isAuthentic } from './verify-webhook.ts';

const secret = process.env.WEBHOOK_SECRET ?? '';
const seen = new Set<string>();

createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const headers = request.headers as Record<string, string | undefined>;
  if (!isAuthentic(headers, body, secret)) return response.writeHead(400).end();
  const id = headers['webhook-id'] ?? '';
  // Your own server keeps the ids in its database, in the transaction that does the work.
  if (!seen.has(id)) console.log(headers['crossramp-event'], JSON.parse(body.toString()).end2end);
  seen.add(id);
  response.writeHead(204).end();
}).listen(Number(process.env.PORT ?? 3000), '127.0.0.1');

/** Bodies of requests and answers: JSON of limited size. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal } from './signer-error.ts';

const BODY_MAX = 64 * 1024;

/** @throws {Refusal} `unreadable` for a body that is too long or is no JSON object. */
export async function readJson(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > BODY_MAX) throw new Refusal('unreadable', `a request has at most ${BODY_MAX} bytes`);
    chunks.push(chunk as Buffer);
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {
    // Refused below.
  }
  throw new Refusal('unreadable', 'body: expected a JSON object');
}

/** Answers with JSON, once. */
export function reply(response: ServerResponse, status: number, body: object): void {
  if (response.headersSent) return;
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

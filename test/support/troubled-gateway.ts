/** A gateway whose answers are lost on their way: every request reaches the real one, and what comes back is as told. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Outcome of an answer: late, a broken connection, or another answer in its place; without a code, that of a proxy. */
export type Trouble =
  | { readonly kind: 'late'; readonly ms: number }
  | { readonly kind: 'drop' }
  | { readonly kind: 'other'; readonly status: number; readonly code?: string };

/** Troubles after which a client asks again, by their names. */
export const ANSWER_TROUBLES: [name: string, troubles: Trouble[]][] = [
  ['late', [{ kind: 'late', ms: 3_000 }]],
  ['lost with the connection', [{ kind: 'drop' }, { kind: 'drop' }]],
  ['lost behind 503', [{ kind: 'other', status: 503, code: 'UNAVAILABLE' }]],
  ['lost behind a proxy', [{ kind: 'other', status: 502 }]],
  ['a page of a proxy with a good status', [{ kind: 'other', status: 200 }]],
  ['IDEMPOTENCY_RUNNING at first', [{ kind: 'other', status: 409, code: 'IDEMPOTENCY_RUNNING' }]],
];

/** A gateway with troubles. */
export interface TroubledGateway {
  readonly baseUrl: string;
  /** `idempotency-key` of each request, or the body where it has no such header. */
  readonly requests: string[];
  /** Troubles of the next answers, one each. */
  readonly next: Trouble[];
  readonly close: () => Promise<void>;
}

/** Starts it before the gateway of this URL. */
export async function startTroubled(target: () => string): Promise<TroubledGateway> {
  const requests: string[] = [];
  const next: Trouble[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    requests.push(String(request.headers['idempotency-key'] ?? body));
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    const answer = await fetch(`${target()}${request.url}`, {
      method: request.method as string,
      headers: headers as Record<string, string>,
      ...(request.method === 'POST' && { body }),
    });
    const text = await answer.text();
    const trouble = next.shift();
    if (trouble?.kind === 'drop') return void response.destroy();
    if (trouble?.kind === 'late') await sleep(trouble.ms);
    if (trouble?.kind === 'other') {
      const { status, code } = trouble;
      const isRedirect = status >= 300 && status < 400;
      response.writeHead(status, { 'retry-after': '0', ...(isRedirect && { location: target() }) });
      return void response.end(
        code ? JSON.stringify({ status, code, detail: 'test' }) : '<h1>Bad gateway</h1>',
      );
    }
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    next,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

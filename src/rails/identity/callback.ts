/**
 * Callbacks of the provider. A callback with a valid signature is stored before the response, and triggers a query of
 * the provider. Only the answer to that query counts, so the order of callbacks does not matter.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError } from '../../base/errors/errors.ts';
import { readBody } from '../../base/input/read-body.ts';
import { noteCallback } from '../../resolvers/cases/answer-case.ts';
import { type IdentityProfile, ProviderFailure } from './profile.ts';
import type { IdentityParts } from './work.ts';

interface Verdict {
  readonly status: number;
  readonly words: string;
}

/** @returns the handler of callbacks. */
export function answering(
  parts: IdentityParts,
  readCallback: NonNullable<IdentityProfile['readCallback']>,
): (request: IncomingMessage, response: ServerResponse, path: string) => Promise<void> {
  const { log } = parts.tools;
  return async (request, response, path) => {
    const { status, words } = await answerCallback(parts, readCallback, request, path).catch(
      (error: unknown): Verdict => {
        if (error instanceof ProviderFailure) return { status: 400, words: error.message };
        if (error instanceof GatewayError) return { status: 400, words: error.message };
        log.error({ err: error }, 'a callback of the identity provider could not be stored');
        return { status: 503, words: 'not stored: send it again' };
      },
    );
    if (status >= 400 && status < 500)
      log.warn({ status, reason: words }, 'a callback of the identity provider was refused');
    if (!response.headersSent) response.writeHead(status, { 'content-type': 'text/plain' }).end(words);
  };
}

async function answerCallback(
  { tools }: IdentityParts,
  readCallback: NonNullable<IdentityProfile['readCallback']>,
  request: IncomingMessage,
  path: string,
): Promise<Verdict> {
  if (path !== '') return { status: 404, words: 'callbacks come to /identity' };
  if (request.method !== 'POST') return { status: 405, words: 'a callback is a POST' };
  const body = await readBody(request);
  const read = readCallback(request.headers, body, tools.database.nowMs());
  if (typeof read === 'string') return { status: 403, words: read };
  const hash = createHash('sha256').update(body).digest('hex');
  const isKnown = await noteCallback(tools, read.externalId, hash);
  return isKnown ? { status: 200, words: 'ok' } : { status: 404, words: 'there is no such case' };
}

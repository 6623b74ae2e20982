/** Streams exports, whose parts are read only as fast as the client reads them, and creates links to them. */
import { once } from 'node:events';
import { GatewayError } from '../base/errors/errors.ts';
import { createExportLink, type ExportLink } from '../resolvers/exports/export-link.ts';
import type { Context } from '../resolvers/services/context.ts';
import { readLinkRequest, withoutToken } from '../rest-compat/export-link-request.ts';
import { EXPORT_PATHS, type Export, type ExportPath, readExport } from '../rest-compat/exports.ts';
import type { QueryPolicy } from '../rest-compat/input.ts';
import type { KeyRecord } from '../store/account/api-keys.ts';
import type { Registry } from '../templates/registry.ts';
import { checkMethod } from './http/check-request.ts';
import { type Cors, isPreflight } from './http/cors.ts';
import { ExportGate } from './http/export-gate.ts';
import { type Exchange, READ_METHODS, sendJson } from './http/http.ts';
import type { EndReason, OpenStream, OpenStreams } from './streams/open-streams.ts';

/**
 * Admits a caller; only a key creates a link, never another link. @throws {GatewayError} `UNAUTHORIZED`,
 * `RATE_LIMITED`.
 */
type Admit = (
  exchange: Exchange,
  kind: 'read' | 'write',
) => Promise<{ context: Context; headers: Record<string, string> }>;

/** Parts of the server that exports need. */
interface ExportParts {
  readonly admit: Admit;
  readonly streams: OpenStreams;
  readonly cors: Pick<Cors, 'preflight'>;
}

/** Time after which a client that reads nothing is disconnected, because it would block another export. Unit: ms. */
const READ_WITHIN_MS = 60_000;

/** @returns the answer to a request for an export; undefined for another path. */
export function exportServer(
  registry: Registry,
  policy: QueryPolicy & { readonly publicUrl: string },
  { admit, streams, cors }: ExportParts,
): (exchange: Exchange) => Promise<void> | undefined {
  const gate = new ExportGate();
  const serve = async (exchange: Exchange, path: ExportPath) => {
    exchange.route = path;
    exchange.allowed = [...READ_METHODS, 'POST'];
    if (isPreflight(exchange)) return cors.preflight(exchange, false);
    checkMethod(exchange.request.method, exchange.allowed);
    if (exchange.request.method === 'POST') {
      const { context, headers } = await admit(exchange, 'write');
      const { address, days } = readLinkRequest(registry, path, exchange.search, policy);
      const link = await createExportLink(context, address, days);
      return sendLink(exchange, `${policy.publicUrl}${address}`, link, headers);
    }
    const { context, headers } = await admit(exchange, 'read');
    const wanted = readExport(registry, path, withoutToken(exchange.search), policy);
    const leave = gate.enter(context.caller.accountId);
    try {
      const forget = streams.add(streamOf(exchange, context.caller));
      await sendExport(exchange, context, wanted, headers).finally(forget);
    } finally {
      leave();
    }
  };
  return (exchange) => {
    const path = EXPORT_PATHS.find((each) => each === exchange.path);
    return path && serve(exchange, path);
  };
}

/** Answers with the link, which is shown only once. */
function sendLink(
  exchange: Exchange,
  target: string,
  { token, expiresAt }: ExportLink,
  headers: Record<string, string>,
): void {
  const url = `${target}${target.includes('?') ? '&' : '?'}access_token=${token}`;
  const body = JSON.stringify({ url, expires_at: expiresAt.toISOString() });
  sendJson(exchange, 201, body, { 'cache-control': 'no-store', ...headers });
}

/**
 * The stream ends with the key; exports end by themselves, and have limits of their own for clients that do not read.
 */
function streamOf({ response }: Exchange, caller: KeyRecord): OpenStream {
  const end = (reason: EndReason) => void (reason === 'refused' && response.destroy());
  return { caller, isStalled: () => false, ping: () => {}, end };
}

/**
 * Sends an export as a file. A failure closes the connection before the end of the body, so that a part is never
 * mistaken for the whole file.
 * @throws {GatewayError} the refusal of the filters; nothing is sent then.
 */
async function sendExport(
  exchange: Exchange,
  context: Context,
  wanted: Export,
  headers: Record<string, string>,
): Promise<void> {
  const { request, response, requestId } = exchange;
  // Tokens of payers and of streams have no access to lists.
  if (context.caller.isForStreams)
    throw new GatewayError('FORBIDDEN', 'this requires a key with the scope "read"');
  const parts = wanted.parts(context);
  const first = await parts.next();
  const day = new Date(await context.clock.nowMs()).toISOString().slice(0, 10);
  response.writeHead(200, {
    'content-type': wanted.contentType,
    'content-disposition': `attachment; filename="${wanted.name}-${day}.${wanted.extension}"`,
    'x-request-id': requestId,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  if (request.method === 'HEAD') {
    await parts.return(undefined);
    return void response.end();
  }
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  for (let part = first; !part.done && !response.destroyed; part = await parts.next()) {
    if (part.value === '' || response.write(part.value)) continue;
    const signal = AbortSignal.any([gone.signal, AbortSignal.timeout(READ_WITHIN_MS)]);
    await once(response, 'drain', { signal }).catch(() => response.destroy());
  }
  if (!response.destroyed) response.end();
}

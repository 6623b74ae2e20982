/** The hosted pages over HTTP: `/pay/<token>`, its forms, images and script, and the static links that open sessions. */
import type { Logger } from 'pino';
import { known } from '../base/errors/assert.ts';
import { GatewayError, notFound } from '../base/errors/errors.ts';
import { PAY_PATH, qrContent } from '../base/pages/pay-links.ts';
import type { RateLimit } from '../base/process/setting-values.ts';
import { noteLimit } from '../base/trace/measures.ts';
import { ISLAND, ISLAND_PATH } from '../pages/assets.ts';
import { failurePage } from '../pages/failure.ts';
import { VERIFY } from '../pages/page.ts';
import {
  answerGet,
  type PageAnswer,
  type PageRequest,
  performSessionAction,
  redirect,
  showSession,
} from '../pages/serve-session.ts';
import { findOpenLink, openStaticLink } from '../resolvers/payer/open-static-link.ts';
import { findPage } from '../resolvers/payer/payment-session.ts';
import type { Services } from '../resolvers/services/context.ts';
import { readLogo } from '../store/account/branding.ts';
import type { ProcessRow } from '../templates/facts.ts';
import { qrSvg } from '../ui/qr.ts';
import { checkMethod } from './http/check-request.ts';
import { limitedAddress } from './http/client-address.ts';
import { type Exchange, originOf, READ_METHODS, readForm, send, sendText } from './http/http.ts';
import { LEADING_HEADERS, pageHeaders } from './http/page-headers.ts';
import { presentError } from './http/present-error.ts';
import { PAYER_READS, PAYER_WRITES, type RateLimiter, rateLimiter } from './http/rate-limit.ts';

/** Parts that serve the pages. */
export interface PayParts {
  readonly services: Services;
  readonly log: Logger;
  /** Whether requests are limited at all. */
  readonly isLimited: boolean;
}

/** Limiters: new sessions by address and link; requests for unknown sessions and links by address. */
const VISITS = { perSecond: 2, burst: 30 };
const MISSES = { perSecond: 2, burst: 30 };
const FOR_EVER = 'public, max-age=31536000, immutable';

/** @returns the handler of all requests below `/pay`. Errors are also answered with pages. */
export function payServer({ services, log, isLimited }: PayParts): (exchange: Exchange) => Promise<void> {
  const limiter = (limit: RateLimit): RateLimiter =>
    isLimited ? rateLimiter(limit) : () => ({ allowed: true, remaining: 1, resetSeconds: 0 });
  const [reads, writes, visits, misses] = [PAYER_READS, PAYER_WRITES, VISITS, MISSES].map(limiter) as [
    RateLimiter,
    RateLimiter,
    RateLimiter,
    RateLimiter,
  ];
  const find = async (exchange: Exchange, token: string): Promise<ProcessRow> => {
    const row = await findPage(services, token);
    if (row) {
      exchange.accountId = row.accountId;
      return row;
    }
    throw missed(exchange);
  };
  const missed = (exchange: Exchange): GatewayError => {
    consume(misses, limitedAddress(exchange.address));
    return notFound();
  };
  const image = async (exchange: Exchange, token: string, file: string) => {
    checkMethod(exchange.request.method, READ_METHODS);
    const row = await find(exchange, token);
    consume(reads, token);
    if (file === 'qr.svg') sendQr(exchange, row);
    else await sendLogo(exchange, services, row);
  };
  const page = async (exchange: Exchange, token: string, action: string | undefined) => {
    exchange.allowed = action === undefined ? READ_METHODS : [...READ_METHODS, 'POST'];
    checkMethod(exchange.request.method, exchange.allowed);
    const isRead = exchange.request.method !== 'POST';
    const row = await find(exchange, token);
    consume(isRead ? reads : writes, token);
    const own = await services.forAccount(row.accountId);
    const request = { row, token, origin: originOf(exchange), ...partsOf(exchange) };
    if (action === undefined) return answer(exchange, await showSession(own, request));
    if (action === VERIFY) refuseAhead(exchange);
    if (isRead) return answer(exchange, await answerGet(own, request, action));
    return answer(exchange, await performSessionAction(own, request, action, await readOwnForm(exchange)));
  };
  const visit = async (exchange: Exchange, slug: string) => {
    exchange.allowed = ['GET'];
    checkMethod(exchange.request.method, exchange.allowed);
    refuseAhead(exchange);
    const link = await findOpenLink(services, slug);
    if (!link) throw missed(exchange);
    exchange.accountId = link.accountId;
    consume(visits, `${limitedAddress(exchange.address)} ${slug}`);
    const row = await openStaticLink(await services.forAccount(link.accountId), link, originOf(exchange));
    answer(exchange, redirect({ token: known(row.process?.session, 'a session'), ...partsOf(exchange) }));
  };
  const dispatch = async (exchange: Exchange): Promise<void> => {
    if (exchange.path === ISLAND_PATH) return sendIsland(exchange);
    const [first = '', second, ...rest] = exchange.path.slice(PAY_PATH.length + 1).split('/');
    exchange.route = routeOf(first, second);
    if (rest.length > 0) throw notFound();
    if (first === 'l') return visit(exchange, second ?? '');
    if (second === 'qr.svg' || second === 'logo') return image(exchange, first, second);
    return page(exchange, first, second);
  };
  return (exchange) =>
    dispatch(exchange).catch((error: unknown) => {
      const refusal = presentError(error, log, exchange.requestId);
      // Browsers show this status themselves; all other errors have a page.
      if (refusal.code === 'METHOD_NOT_ALLOWED') throw refusal;
      const { path, requestId } = exchange;
      answer(exchange, failurePage(refusal, { path, requestId, ...partsOf(exchange) }));
    });
}

/** The path for logs, without the token. */
function routeOf(first: string, second: string | undefined): string {
  if (first === 'l') return `${PAY_PATH}/l/{link}`;
  return `${PAY_PATH}/{session}${second === undefined ? '' : '/{act}'}`;
}

function partsOf({ request, search }: Exchange): Pick<PageRequest, 'query' | 'acceptLanguage'> {
  return { query: new URLSearchParams(search), acceptLanguage: request.headers['accept-language'] };
}

/** @throws {GatewayError} `RATE_LIMITED`. */
function consume(limiter: RateLimiter, key: string): void {
  const { allowed, resetSeconds } = limiter(key);
  if (allowed) return;
  noteLimit('page');
  throw new GatewayError('RATE_LIMITED', 'too many requests for this page', { retryAfter: resetSeconds });
}

/** Another site cannot know the token. Nevertheless, a form that the browser reports as cross-site is refused. */
function refuseForeign({ request }: Exchange): void {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    throw new GatewayError('FORBIDDEN', 'forms are accepted from the page itself only');
}

/** @returns a form of the page itself. @throws {GatewayError} `FORBIDDEN`, and the errors of `readForm`. */
function readOwnForm(exchange: Exchange): Promise<URLSearchParams> {
  refuseForeign(exchange);
  return readForm(exchange);
}

/** Headers that mark a prefetch: the current ones, those of old Chrome and Safari, and that of Firefox. */
const AHEAD = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'];

/** A prefetch has no visitor yet, so it opens no session and consumes no link of an identity check. */
function refuseAhead({ request }: Exchange): void {
  if (AHEAD.some((name) => /^(prefetch|preview)/.test(String(request.headers[name] ?? ''))))
    throw new GatewayError('UNAVAILABLE', 'this link must not be preloaded', { retryAfter: 1 });
}

function answer(exchange: Exchange, page: PageAnswer): void {
  const vary = 'accept-language';
  if ('location' in page) {
    const { status, location } = page;
    send(exchange, status, 'text/plain; charset=utf-8', '', { ...LEADING_HEADERS, vary, location });
    return;
  }
  const { status, body, policy, retryAfter, fileName } = page;
  sendText(exchange, status, 'text/html; charset=utf-8', body, {
    ...pageHeaders({ policy, vary }),
    ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
    ...(fileName !== undefined && { 'content-disposition': `attachment; filename="${fileName}"` }),
  });
}

const IMAGE_HEADERS = { 'content-security-policy': "default-src 'none'", 'referrer-policy': 'no-referrer' };

function sendIsland(exchange: Exchange): void {
  exchange.route = `${PAY_PATH}/{script}`;
  checkMethod(exchange.request.method, READ_METHODS);
  sendText(exchange, 200, 'text/javascript; charset=utf-8', ISLAND, { 'cache-control': FOR_EVER });
}

function sendQr(exchange: Exchange, row: ProcessRow): void {
  const content = qrContent(row);
  if (!content) throw notFound();
  send(exchange, 200, 'image/svg+xml', qrSvg(content), IMAGE_HEADERS);
}

async function sendLogo(
  exchange: Exchange,
  { database }: Services,
  { accountId }: ProcessRow,
): Promise<void> {
  const logo = await readLogo(database, accountId);
  if (!logo) throw notFound();
  send(exchange, 200, logo.type, logo.image, { ...IMAGE_HEADERS, 'cache-control': 'private, max-age=300' });
}

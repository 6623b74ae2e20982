/**
 * Calls from outside to rails: `/rails/<mode>/<rail>/…`. These paths need no key, because each rail identifies its own
 * callers.
 */
import { notFound } from '../base/errors/errors.ts';
import type { Services } from '../resolvers/services/context.ts';
import type { Exchange } from './http/http.ts';

/** Path of calls to rails. */
export const RAILS_PATH = '/rails';

const FORM = /^\/rails\/(sandbox|live)\/([A-Za-z-]{1,20})(?:\/(.*))?$/;

/** @returns the handler that passes a call to its rail. Throws `NOT_FOUND` when no rail accepts calls. */
export function railsServer({ forMode }: Pick<Services, 'forMode'>): (exchange: Exchange) => Promise<void> {
  return async (exchange) => {
    const { path, search, request, response, requestId } = exchange;
    const [, mode, name, rest = ''] = FORM.exec(path) ?? [];
    if (mode !== 'sandbox' && mode !== 'live') throw notFound();
    const rail = forMode(mode).railParts.find((each) => each.name === name);
    if (!rail?.part.handle) throw notFound();
    exchange.route = `${RAILS_PATH}/${mode}/${rail.name}`;
    response.setHeader('x-request-id', requestId);
    await rail.part.handle(request, response, search === '' ? rest : `${rest}?${search}`);
  };
}

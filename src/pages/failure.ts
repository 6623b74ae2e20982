/** The page of a request that has no session, or failed. */
import { ERRORS, type GatewayError } from '../base/errors.ts';
import { languageOf } from './language.ts';
import { policyOf } from './layout.ts';
import { messagePage } from './message-page.ts';
import { noticeOf, type PageAnswer, type PageRequest } from './serve-session.ts';
import { sayIn } from './words.ts';

/** @returns the page that says what went wrong, with the id to ask about it. */
export function failurePage(
  error: GatewayError,
  request: Pick<PageRequest, 'query' | 'acceptLanguage'> & {
    readonly path: string;
    readonly requestId: string;
  },
): PageAnswer {
  const language = languageOf(request.query.get('lang'), request.acceptLanguage);
  const say = sayIn(language);
  const { path, requestId } = request;
  const title = say(error.code === 'NOT_FOUND' ? 'missingTitle' : 'failedTitle');
  return {
    status: ERRORS[error.code].status,
    body: messagePage({ language, title, text: say(noticeOf(error)), path, requestId }),
    policy: policyOf(null),
    ...(error.retryAfter !== undefined && { retryAfter: error.retryAfter }),
  };
}

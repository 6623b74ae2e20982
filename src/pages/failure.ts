/** The page of a request that failed or has no session: one sentence, and the request id for support. */
import { ERRORS, type GatewayError } from '../base/errors/errors.ts';
import { html } from '../ui/html.ts';
import { chooseLanguage } from '../ui/language.ts';
import { layout, policyOf } from './layout.ts';
import { noticeOf, type PageAnswer, type PageRequest } from './serve-session.ts';
import { translatorIn } from './words.ts';

/** Known facts of the request. */
export interface FailedRequest extends Pick<PageRequest, 'query' | 'acceptLanguage'> {
  readonly path: string;
  readonly requestId: string;
}

/** @returns the page that describes the failure. */
export function failurePage(error: GatewayError, request: FailedRequest): PageAnswer {
  const { query, acceptLanguage, path, requestId } = request;
  const language = chooseLanguage(query.get('lang'), acceptLanguage);
  const translate = translatorIn(language);
  const isMissing = error.code === 'NOT_FOUND';
  const title = translate(isMissing ? 'missingTitle' : 'failedTitle');
  const body = layout({
    language,
    translate,
    title,
    branding: null,
    logo: null,
    languagePath: (other) => `${path}?lang=${other}`,
    isRefreshed: false,
    isTest: false,
    main: html`<main id="co"><div><h1>${title}</h1><p class="lead">${translate(noticeOf(error))}</p></div>${!isMissing && html`<p><a class="btn" href="${path}?lang=${language}">${translate('retry')}</a></p>`}<p><small>${translate('reference')} <code>${requestId}</code></small></p></main>`,
  });
  return {
    status: ERRORS[error.code].status,
    body,
    policy: policyOf(null),
    ...(error.retryAfter !== undefined && { retryAfter: error.retryAfter }),
  };
}

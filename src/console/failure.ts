/** The page of a failed request: its meaning, and the request id for support. */

import { ERRORS, type ErrorCode, type GatewayError } from '../base/errors/errors.ts';
import { CONSOLE_PATH } from '../base/pages/console-url.ts';
import { type Html, html } from '../ui/html.ts';
import { LANGUAGES, type Language, TAGS } from '../ui/language.ts';
import { STYLE } from './assets.ts';
import { pathTo } from './context.ts';
import { type Translate, translatorIn, type Word } from './words.ts';

const FAILURE_TEXTS: { readonly [Code in ErrorCode]?: readonly [title: Word, text: Word] } = {
  NOT_FOUND: ['missingTitle', 'missing'],
  UNAUTHORIZED: ['signInTitle', 'signInWhy'],
  FORBIDDEN: ['forbiddenTitle', 'forbidden'],
  INVALID_PARAMETER: ['badTitle', 'badWhy'],
  BAD_REQUEST: ['badTitle', 'badWhy'],
  RATE_LIMITED: ['failedTitle', 'tooMany'],
  UNAVAILABLE: ['failedTitle', 'away'],
};

/** Known facts of the request. */
export interface FailedRequest {
  readonly language: Language;
  readonly requestId: string;
  /** Whether the form belonged to another session. */
  readonly isForged?: boolean;
}

/** @returns the page, and its status. */
export function failurePage(
  error: GatewayError,
  { language, requestId, isForged }: FailedRequest,
): { readonly status: number; readonly body: string } {
  const translate = translatorIn(language);
  const [title] = wordsOf(error, isForged === true);
  const body = html`<!doctype html>
<html lang="${TAGS[language]}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow"><meta name="color-scheme" content="light dark"><title>${translate(title)}</title><link rel="stylesheet" href="${STYLE.path}"></head>
<body class="desk door-page"><main class="door"><section class="card stack">${failureText(error, { language, requestId, isForged: isForged === true })}
<p class="row">${(Object.keys(LANGUAGES) as Language[]).filter((each) => each !== language).map((each) => html`<a class="go" href="?lang=${each}" lang="${TAGS[each]}">${LANGUAGES[each]}</a>`)}</p></section></main></body></html>`;
  return { status: ERRORS[error.code].status, body: body.text };
}

/** @returns the title of the failure. */
export function failureTitle(error: GatewayError, language: Language): string {
  return translatorIn(language)(wordsOf(error, false)[0]);
}

/** @returns the failure, the next address, and the request id for support. */
export function failureText(
  error: GatewayError,
  { language, requestId, isForged = false }: FailedRequest,
): Html {
  const translate = translatorIn(language);
  const [title, text] = wordsOf(error, isForged);
  return html`<h1>${translate(title)}</h1><p>${translate(text)}</p>${text === 'badWhy' && html`<p class="small soft"><code>${error.message}</code></p>`}
<p>${nextStep(error, translate)}</p><p class="small soft">${translate('reference')} <code>${requestId}</code></p>`;
}

function wordsOf({ code }: GatewayError, isForged: boolean): readonly [Word, Word] {
  if (isForged) return ['formTitle', 'formWhy'];
  return FAILURE_TEXTS[code] ?? ['failedTitle', 'failed'];
}

function nextStep({ code }: GatewayError, translate: Translate) {
  if (code === 'UNAUTHORIZED')
    return html`<a class="btn primary full" href="${pathTo('/sign-in')}">${translate('signIn')}</a>`;
  return html`<a class="btn" href="${CONSOLE_PATH}">${translate('today')}</a>`;
}

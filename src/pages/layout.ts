/** What surrounds the content of every page: head, merchant, language, help. */
import { createHash } from 'node:crypto';
import type { Branding } from '../store/account/branding.ts';
import { Html, html } from '../ui/html.ts';
import { LANGUAGES, type Language, TAGS } from '../ui/language.ts';
import { ISLAND_PATH, STYLE } from './assets.ts';
import type { Say } from './words.ts';

/** What a page is put together from. */
export interface Layout {
  readonly language: Language;
  readonly say: Say;
  readonly title: string;
  /** Whose page it is; null where that is not known. */
  readonly branding: Branding | null;
  readonly logo: string | null;
  /** Path of the same page in another language. */
  readonly languagePath: (language: Language) => string;
  /** Whether a browser without script loads it again from time to time. */
  readonly isRefreshed: boolean;
  readonly isTest: boolean;
  readonly main: Html;
  readonly after?: Html | null;
}

const REFRESH_SECONDS = 10;

/** @returns the document. */
export function layout(parts: Layout): string {
  const { language, say, title, branding, logo } = parts;
  const merchant = branding?.displayName;
  return html`<!doctype html>
<html lang="${TAGS[language]}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}${merchant && ` · ${merchant}`}</title>
<meta name="robots" content="noindex, nofollow"><meta name="color-scheme" content="light dark">
<style>${new Html(styleOf(branding))}</style>
<script type="module" src="${ISLAND_PATH}"></script>
${parts.isRefreshed && html`<noscript><meta http-equiv="refresh" content="${REFRESH_SECONDS}"></noscript>`}</head>
<body>
<header>${parts.isTest && html`<p class="test">${say('testMode')}</p>`}
<div>${logo && html`<img src="${logo}" alt="" height="40">`}<b>${merchant && say('payTo', { merchant })}</b>
<nav aria-label="Language">${otherLanguages(parts)}</nav></div>
<p id="net" class="notice" role="status" hidden>${say('offline')}</p></header>
${parts.main}
${branding?.supportUrl && html`<footer><a href="${branding.supportUrl}" rel="noreferrer">${say('help')}</a></footer>`}
${parts.after}
</body></html>`.text;
}

/** @returns the `Content-Security-Policy` of a page: nothing from elsewhere, no script and no style but our own. */
export function policyOf(branding: Branding | null): string {
  const style = createHash('sha256').update(styleOf(branding)).digest('base64');
  const frames = branding?.frameHosts.length ? branding.frameHosts.join(' ') : "'none'";
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'sha256-${style}'`,
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${frames}`,
  ].join('; ');
}

function styleOf(branding: Branding | null): string {
  return branding?.accent ? `${STYLE}:root{--accent:${branding.accent}}` : STYLE;
}

function otherLanguages({ language, languagePath }: Layout): Html[] {
  const others = (Object.keys(LANGUAGES) as Language[]).filter((each) => each !== language);
  return others.map(
    (each) =>
      html`<a href="${languagePath(each)}" lang="${TAGS[each]}" hreflang="${TAGS[each]}">${LANGUAGES[each]}</a>`,
  );
}

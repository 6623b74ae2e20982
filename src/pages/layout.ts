/** The frame of every page: head, merchant and order, language, help. */
import { createHash } from 'node:crypto';
import type { Branding } from '../store/account/branding.ts';
import { Html, html } from '../ui/html.ts';
import { icon } from '../ui/icons.ts';
import { LANGUAGES, type Language, TAGS } from '../ui/language.ts';
import { initials } from '../ui/parts.ts';
import { OWN, policyFrom } from '../ui/policy.ts';
import { ISLAND_PATH, STYLE } from './assets.ts';
import type { Translate } from './words.ts';

/** Parts of a page. */
export interface Layout {
  readonly language: Language;
  readonly translate: Translate;
  readonly title: string;
  /** Account of the page; null where it is unknown. */
  readonly branding: Branding | null;
  readonly logo: string | null;
  /** Subject of the payment. */
  readonly order?: string | null;
  /** The amount, and the lines that belong to it. */
  readonly sum?: Html | null;
  /** Path of the same page in another language; null if that page has no address. */
  readonly languagePath: ((language: Language) => string) | null;
  /** Whether a browser without script reloads the page regularly. */
  readonly isRefreshed: boolean;
  readonly isTest: boolean;
  readonly main: Html;
  readonly foot?: Html | null;
  readonly after?: Html | null;
  /** Whether the page is a file to download, without script. */
  readonly isFile?: true;
}

const REFRESH_SECONDS = 10;

/** @returns the document. */
export function layout(parts: Layout): string {
  const { language, translate, title, branding } = parts;
  const merchant = branding?.displayName;
  return html`<!doctype html>
<html lang="${TAGS[language]}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<title>${title}${merchant && ` · ${merchant}`}</title>
<meta name="robots" content="noindex, nofollow"><meta name="color-scheme" content="light dark">
<style>${new Html(styleOf(branding))}</style>
${!parts.isFile && html`<script type="module" src="${ISLAND_PATH}"></script>`}
${parts.isRefreshed && html`<noscript><meta http-equiv="refresh" content="${REFRESH_SECONDS}"></noscript>`}</head>
<body class="pay">
${parts.isTest && html`<section class="test" aria-label="${translate('testLabel')}"><b>${translate('testMode')}</b> ${translate('testWhat')}</section>`}
<div class="split">
<header class="order">${who(parts)}${parts.sum}
<p id="net" class="note warn" role="status" hidden>${icon('warning')}<span>${translate('offline')}</span></p></header>
${parts.main}
<footer class="foot">${parts.foot}${branding?.supportUrl && html`<a href="${branding.supportUrl}" rel="noreferrer">${translate('help')}</a>`}<span>${icon('lock')} ${translate('paymentBy')}</span></footer>
</div>
${parts.after}
</body></html>`.text;
}

/** @returns the `Content-Security-Policy` of a page: no content from other origins, only our own script and style. */
export function policyOf(branding: Branding | null): string {
  const style = createHash('sha256').update(styleOf(branding)).digest('base64');
  const sources = { script: OWN, style: `'sha256-${style}'`, img: OWN, connect: OWN };
  return policyFrom(sources, branding?.frameHosts.length ? branding.frameHosts.join(' ') : undefined);
}

function styleOf(branding: Branding | null): string {
  return branding?.accent ? `${STYLE}:root{--accent:${branding.accent}}` : STYLE;
}

/** Payee and subject of the payment, and the link to the other language. */
function who(parts: Layout): Html {
  const { branding, logo, order, language, languagePath } = parts;
  const sign = logo
    ? html`<img class="logo" src="${logo}" alt="">`
    : branding && html`<span class="logo" aria-hidden="true">${initials(branding.displayName)}</span>`;
  const others = (Object.keys(LANGUAGES) as Language[]).filter((each) => each !== language);
  const links = others.map(
    (each) =>
      html`<a class="lang" href="${languagePath?.(each)}" lang="${TAGS[each]}" hreflang="${TAGS[each]}">${LANGUAGES[each]}</a>`,
  );
  return html`<div class="who">${sign}<div>${branding && html`<b>${branding.displayName}</b>`}${order && html`<small>${order}</small>`}</div>
${languagePath && html`<nav aria-label="${parts.translate('language')}">${links}</nav>`}</div>`;
}

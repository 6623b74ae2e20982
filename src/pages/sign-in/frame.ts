/** The frame of the sign-in pages: one narrow column, in the style of the console. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { CONSOLE_PATH } from '../../base/pages/console-url.ts';
import { type Html, type HtmlValue, html, Html as Text } from '../../ui/html.ts';
import { LANGUAGES, type Language, TAGS } from '../../ui/language.ts';
import { OWN, policyFrom } from '../../ui/policy.ts';
import { digestOf, sheet } from '../../ui/sheets.ts';
import { type Translator, translatorOf } from '../../ui/translate.ts';
import { SIGN_IN_WORDS, type SignInWord } from './words.ts';

/** Parts of a page. */
export interface DoorPage {
  readonly language: Language;
  /** Path of the page, without a query. */
  readonly path: string;
  readonly title: string;
  readonly isTest: boolean;
  readonly main: HtmlValue;
  readonly status?: number;
}

/** The script of passkeys: TypeScript without its types is JavaScript. */
export const PASSKEY_SCRIPT = stripTypeScriptTypes(
  readFileSync(new URL('../island/passkeys.ts', import.meta.url), 'utf8'),
);
/** Path of the script, which changes with its content so that it can be cached for ever. */
export const PASSKEY_SCRIPT_PATH = `${CONSOLE_PATH}/passkeys-${digestOf(PASSKEY_SCRIPT)}.js`;

/** Translates a text of these pages. */
export type TranslateSignIn = Translator<SignInWord>;

const STYLE = sheet('base', 'parts', 'lists', 'desk', 'needs');
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** The `Content-Security-Policy` of these pages. */
export const DOOR_POLICY = policyFrom({
  script: OWN,
  style: `'sha256-${STYLE_HASH}'`,
  img: OWN,
  connect: OWN,
});

/** @returns the function that formats the texts of these pages. */
export function signInTranslator(language: Language): TranslateSignIn {
  return translatorOf(SIGN_IN_WORDS, language);
}

/** @returns the document. */
export function doorPage({ language, path, title, isTest, main }: DoorPage): string {
  const translate = signInTranslator(language);
  const others = (Object.keys(LANGUAGES) as Language[]).filter((each) => each !== language);
  return html`<!doctype html>
<html lang="${TAGS[language]}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<title>${title} · Crossramp</title>
<meta name="robots" content="noindex, nofollow"><meta name="color-scheme" content="light dark">
<style>${new Text(STYLE)}</style>
<script type="module" src="${PASSKEY_SCRIPT_PATH}"></script></head>
<body class="desk door-page">
${isTest ? html`<section class="test" aria-label="${translate('testMode')}">${translate('testMode')}</section>` : html`<div></div>`}
<main class="door"><p class="row">${MARK} <b>Crossramp</b></p>
${main}
<p class="small soft">${others.map((each) => html`<a href="${path}?lang=${each}" lang="${TAGS[each]}" hreflang="${TAGS[each]}">${LANGUAGES[each]}</a>`)}</p>
</main>
</body></html>`.text;
}

const MARK: Html = new Text(
  '<svg viewBox="0 0 28 28" width="28" height="28" aria-hidden="true"><rect width="28" height="28" rx="6" fill="#0c5c6c"/><path d="M6 8.5h3.5c4.5 0 4.5 11 9 11H22M6 19.5h3.5c1.6 0 2.6-1.3 3.4-3M15.1 11.5c.8-1.700 1.800-3 3.400-3H22" fill="none" stroke="#fff" stroke-width="2.25" stroke-linecap="round"/></svg>',
);

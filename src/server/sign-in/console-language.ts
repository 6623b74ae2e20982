/**
 * Language of the console and its sign-in pages: chosen as for every page (`ui/language.ts`), and stored in a cookie.
 */
import { CONSOLE_PATH } from '../../base/pages/console-url.ts';
import { chooseLanguage, isLanguage, type Language } from '../../ui/language.ts';
import type { Exchange } from '../http/http.ts';

const COOKIE = 'lang';
const YEAR_SECONDS = 31_536_000;

/** @returns the language of the address's query, otherwise the stored language, otherwise the browser's. */
export function languageOfRequest({ request, search }: Exchange): Language {
  const requested = new URLSearchParams(search).get('lang');
  const cookie = new RegExp(`(?:^|;\\s*)${COOKIE}=(\\w+)`).exec(request.headers.cookie ?? '')?.[1];
  const chosen = requested !== null && isLanguage(requested) ? requested : (cookie ?? null);
  return chooseLanguage(chosen, request.headers['accept-language']);
}

/** @returns the cookie that stores the language of the address's query; null if it has none. */
export function languageCookie({ search }: Exchange): string | null {
  const requested = new URLSearchParams(search).get('lang');
  if (requested === null || !isLanguage(requested)) return null;
  return `${COOKIE}=${requested}; Path=${CONSOLE_PATH}; Max-Age=${YEAR_SECONDS}; HttpOnly; SameSite=Lax`;
}

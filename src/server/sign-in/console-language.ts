/** Language of the console and of its sign-in: chosen as for every page (`ui/language.ts`), and stored in a cookie. */
import { CONSOLE_PATH } from '../../base/pages/console-url.ts';
import { chooseLanguage, isLanguage, type Language } from '../../ui/language.ts';
import type { Exchange } from '../http/http.ts';

const COOKIE = 'lang';
const YEAR_SECONDS = 31_536_000;

/** @returns the language that the address asks for, else the one that was asked for before, else what the browser asks for. */
export function languageOfRequest({ request, search }: Exchange): Language {
  const requested = new URLSearchParams(search).get('lang');
  const cookie = new RegExp(`(?:^|;\\s*)${COOKIE}=(\\w+)`).exec(request.headers.cookie ?? '')?.[1];
  const chosen = requested !== null && isLanguage(requested) ? requested : (cookie ?? null);
  return chooseLanguage(chosen, request.headers['accept-language']);
}

/** @returns the cookie that keeps the language which an address asks for; null where it asks for none. */
export function languageCookie({ search }: Exchange): string | null {
  const requested = new URLSearchParams(search).get('lang');
  if (requested === null || !isLanguage(requested)) return null;
  return `${COOKIE}=${requested}; Path=${CONSOLE_PATH}; Max-Age=${YEAR_SECONDS}; HttpOnly; SameSite=Lax`;
}

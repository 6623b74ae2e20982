/** Languages of pages, and the choice of one for a reader; the console also remembers it (`server/sign-in/console-language.ts`). */
import { acceptedRanges } from '../base/text/accepted.ts';
import type { Label } from '../base/text/label.ts';

/** A supported language of the pages. */
export type Language = keyof Label;

/** Every language, under its own name. */
export const LANGUAGES: Readonly<Record<Language, string>> = { en: 'English', pt: 'Português' };
/** BCP 47 tags of the languages. */
export const TAGS: Readonly<Record<Language, string>> = { en: 'en', pt: 'pt-BR' };

/**
 * @param chosen - `lang` of the query, if present.
 * @param accepted - the `Accept-Language` header.
 * @returns the language to use; Portuguese by default, because payers use PIX.
 */
export function chooseLanguage(chosen: string | null, accepted: string | undefined): Language {
  if (chosen !== null && isLanguage(chosen)) return chosen;
  const best = acceptedRanges(accepted)
    .map(({ range, quality }) => ({ language: range.split('-')[0] ?? '', quality }))
    .filter(({ language, quality }) => isLanguage(language) && quality > 0)
    .sort((left, right) => right.quality - left.quality)[0];
  return (best?.language as Language | undefined) ?? 'pt';
}

/** @returns whether the pages have a language. */
export function isLanguage(text: string): text is Language {
  return Object.hasOwn(LANGUAGES, text);
}

/** Texts of the console, in both languages: the compiler finds a missing one. `{name}` is filled in. */
import type { Label } from '../base/text/label.ts';
import type { Language } from '../ui/language.ts';
import { type Translator, translatorOf } from '../ui/translate.ts';
import { BOOK_WORDS } from './words/books.ts';
import { EVIDENCE_WORDS } from './words/evidence.ts';
import { FRAME_WORDS } from './words/frame.ts';
import { HOME_WORDS } from './words/home.ts';
import { MED_WORDS } from './words/med.ts';
import { OPERATOR_WORDS } from './words/operator.ts';
import { RECONCILIATION_WORDS } from './words/reconciliation.ts';
import { REVIEW_WORDS } from './words/review.ts';
import { SCREEN_WORDS } from './words/screens.ts';
import { SETTINGS_WORDS } from './words/settings.ts';
import { TRANSACTION_WORDS } from './words/transactions.ts';
import { WEBHOOK_WORDS } from './words/webhooks.ts';

const WORDS = {
  ...FRAME_WORDS,
  ...TRANSACTION_WORDS,
  ...SCREEN_WORDS,
  ...HOME_WORDS,
  ...REVIEW_WORDS,
  ...EVIDENCE_WORDS,
  ...MED_WORDS,
  ...OPERATOR_WORDS,
  ...BOOK_WORDS,
  ...RECONCILIATION_WORDS,
  ...SETTINGS_WORDS,
  ...WEBHOOK_WORDS,
} as const satisfies Record<string, Label>;

/** Name of a text. */
export type Word = keyof typeof WORDS;

/** Translates a text into the language of the page. */
export type Translate = Translator<Word>;

/** @returns the function that formats texts in a language. */
export function translatorIn(language: Language): Translate {
  return translatorOf(WORDS, language);
}

/** @returns whether a name is that of a text. */
export function hasWord(name: string): name is Word {
  return Object.hasOwn(WORDS, name);
}

/** @returns the label of a name in data, such as a state; the name itself if there is none. */
export function translateName(
  translate: Translate,
  name: string,
  values?: Readonly<Record<string, string>>,
): string {
  return hasWord(name) ? translate(name, values) : name;
}

/**
 * Texts of pages in both languages: a table of texts, and a function that translates one of them. `{name}` in a text is
 * filled in.
 */
import type { Label } from '../base/text/label.ts';
import type { Language } from './language.ts';

/** Translates a text of a table into the language of the page. */
export type Translator<Word extends string> = (
  word: Word,
  values?: Readonly<Record<string, string>>,
) => string;

/** @returns the function that formats the texts of a table in a language. */
export function translatorOf<Word extends string>(
  words: Readonly<Record<Word, Label>>,
  language: Language,
): Translator<Word> {
  return (word, values = {}) => fillIn(words[word][language], values);
}

/**
 * @returns the text with its `{name}`s filled in; a missing value becomes empty, and a value that ends with a full stop gets
 * no second one.
 */
export function fillIn(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}(\.?)/g, (_, name: string, stop: string) => {
    const value = values[name] ?? '';
    return value.endsWith('.') ? value : value + stop;
  });
}

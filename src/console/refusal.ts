/** Explains in the reader's language why a form was refused and what to do, without names of the API. */
import type { GatewayError, Violation } from '../base/errors/errors.ts';
import type { Label } from '../base/text/label.ts';
import type { Language } from '../ui/language.ts';
import { timeText } from '../ui/times.ts';
import { fillIn } from '../ui/translate.ts';
import type { Refused } from './context.ts';
import { CHECK_VALUE, REASON_WORDS, VALUE_WORDS } from './words/refusal-reasons.ts';
import { REFUSAL_WORDS } from './words/refusals.ts';
import { translatorIn, type Word } from './words.ts';

/** The console's own message about a value that it cannot read, already in the language of the page. */
const OWN: readonly Word[] = [
  'isRequired',
  'mustBeNumber',
  'mustBeWhole',
  'mustBeMoment',
  'twoWays',
  'chooseOne',
  'destinationOther',
];

/** @returns the texts of a rejected form: one sentence, and the required input of each field. */
export function refusalOf(
  { code, message, violations }: GatewayError,
  language: Language,
): Pick<Refused, 'message' | 'violations'> {
  const fields = violations.map((each) => ({
    ...each,
    message: valueText({ ...each, code: each.code ?? code }, language),
  }));
  const [found] = violations.length > 0 ? [] : fitting(REASON_WORDS, message, language);
  const values = [...new Set(fields.map((each) => each.message))].join('. ');
  return {
    message: found ?? (values === '' ? REFUSAL_WORDS[code][language] : ended(values)),
    violations: fields,
  };
}

function ended(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}

function valueText({ message, code }: Violation, language: Language): string {
  if (OWN.some((word) => translatorIn(language)(word) === message)) return message;
  const [found] = fitting([...VALUE_WORDS, ...REASON_WORDS], message, language);
  return (
    found ??
    (code === undefined || code === 'INVALID_PARAMETER'
      ? CHECK_VALUE[language]
      : REFUSAL_WORDS[code][language])
  );
}

/** @returns the values in the notation of the language: decimals with its decimal sign, `time` as Brasília time. */
function valuesIn(values: Readonly<Record<string, string>>, language: Language): Record<string, string> {
  const point = (text: string) => (language === 'pt' ? text.replace(/^(\d+)\.(\d+)\b/, '$1,$2') : text);
  const written = (name: string, text: string) =>
    name === 'time' ? timeText(Date.parse(text), language, 'full') : point(text);
  return Object.fromEntries(Object.entries(values).map(([name, text]) => [name, written(name, text)]));
}

function fitting(
  table: readonly (readonly [message: RegExp, words: Label])[],
  message: string,
  language: Language,
): readonly string[] {
  return table.flatMap(([pattern, words]) => {
    const match = pattern.exec(message);
    return match ? [fillIn(words[language], valuesIn(match.groups ?? {}, language))] : [];
  });
}

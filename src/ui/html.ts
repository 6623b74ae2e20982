/** HTML as template literals: every value is escaped, except HTML from these templates. */

/** A piece of HTML. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Possible values in a template; null, undefined and false write nothing. */
export type HtmlValue = string | number | Html | null | undefined | false | readonly HtmlValue[];

/** Attributes of an element: true writes the name without a value; null, undefined and false write nothing. */
export type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const CHARACTERS = new Map(Object.entries(ESCAPES).map(([character, escaped]) => [escaped, character]));

/** @returns the template with its values in it. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let text = parts[0] as string;
  for (let at = 0; at < values.length; at++) text += written(values[at]) + parts[at + 1];
  return new Html(text);
}

/** @returns attributes of a tag, each with a space before it, under their names in the code. */
export function attributes(members: Attributes): Html {
  let text = '';
  for (const name in members) {
    const value = members[name];
    if (value === null || value === undefined || value === false) continue;
    text += value === true ? ` ${name}` : ` ${name}="${written(value)}"`;
  }
  return new Html(text);
}

/** @returns the text that a reader sees, without tags and with its characters unescaped. */
export function plainText(value: HtmlValue): string {
  const text = written(value).replace(/<[^>]*>/g, '');
  return text.replace(/&[a-z]+;|&#39;/g, (each) => CHARACTERS.get(each) ?? each);
}

function written(value: HtmlValue): string {
  if (typeof value === 'string') return escaped(value);
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'number') return String(value);
  let text = '';
  for (const each of value) text += written(each);
  return text;
}

/** Most texts have nothing to escape: testing is cheaper than replacing. */
function escaped(text: string): string {
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (character) => ESCAPES[character] as string) : text;
}

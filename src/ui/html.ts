/** HTML as template literals: every value is escaped, but for HTML that was made here. */

/** A piece of HTML. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What can stand in a template; nothing is written for null, undefined and false. */
export type HtmlValue = string | number | Html | null | undefined | false | readonly HtmlValue[];

/** Attributes of an element: true writes the name alone, null, undefined and false write nothing. */
export type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** @returns the template with its values in it. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(parts.reduce((text, part, at) => text + written(values[at - 1]) + part));
}

/** @returns attributes as they stand in a tag, each with a space before it. Their names are those of the code. */
export function attributes(given: Attributes): Html {
  const texts = Object.entries(given).map(([name, value]) => {
    if (value === null || value === undefined || value === false) return '';
    return value === true ? ` ${name}` : ` ${name}="${written(value)}"`;
  });
  return new Html(texts.join(''));
}

function written(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(written).join('');
  return String(value).replace(/[&<>"']/g, (character) => ESCAPES[character] as string);
}

/** Data from the page for its script, and helpers that every part of the script uses. */

/** Data from the page for its script. */
export interface PageData {
  readonly places: readonly (readonly [href: string, word: string, key: string])[];
  /** Kinds of records that can be created: path of the form, and name. */
  readonly kinds: readonly (readonly [href: string, word: string])[];
  /** The person's saved views. */
  readonly views: readonly (readonly [href: string, word: string])[];
  /** Address of the screen. */
  readonly here: string;
  /** The time on the clock of the account. */
  readonly now: string;
  readonly mayCreate: boolean;
  readonly csrf: string;
  readonly account: string;
}

/** Data of this page. */
export const pageData = JSON.parse(document.body.dataset.told || '{}') as PageData;
/** Texts in the language of the page. */
export const words = JSON.parse(document.body.dataset.words || '{}') as Readonly<Record<string, string>>;
/** Screens that the palette can open. */
export const { places } = pageData;
/** Path of the console. */
export const ROOT = '/console';

/** The element with this id. */
export function byId(id: string): HTMLElement | null {
  return document.getElementById(id);
}

/** Shows parts that need the script. */
export function enliven(root: ParentNode): void {
  root.querySelectorAll<HTMLElement>('[data-script], [data-copy], [data-print]').forEach((each) => {
    each.hidden = false;
  });
}

/** Announces a text to screen readers. */
export function announce(text: string): void {
  const output = byId('say');
  if (output) output.textContent = text;
}

/** Makes an element. */
export function make(tag: string, className: string, text = ''): HTMLElement {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

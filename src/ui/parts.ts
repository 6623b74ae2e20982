/** Parts of pages, named as their styles: status, names and values, copies, notes, steps, details, empty lists. */
import { type Attributes, attributes, type Html, type HtmlValue, html } from './html.ts';
import { type IconName, icon } from './icons.ts';

/** Meaning of a status for the reader. */
export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'idle';

/** The default icon of a tone. */
const SIGNS: Readonly<Record<Tone, IconName>> = {
  good: 'done',
  warn: 'warning',
  bad: 'failed',
  info: 'waiting',
  idle: 'clock',
};

/** @returns a status: icon, text and colour, always all three. A status with `isAlone` has a background of its own. */
export function badge(tone: Tone, word: HtmlValue, sign: IconName = SIGNS[tone], isAlone = false): Html {
  return html`<span class="badge ${tone}${isAlone && ' tint'}">${icon(sign)} ${word}</span>`;
}

/** A name and its value. */
export interface Pair {
  readonly name: HtmlValue;
  readonly value: HtmlValue;
  /** Whether the value goes below its name, as ids do. */
  readonly isTall?: boolean;
}

/** @returns a name and its value; null without a value. */
export function pair(name: HtmlValue, value: HtmlValue, isTall = false): Pair | null {
  return value === null || value === undefined || value === false || value === ''
    ? null
    : { name, value, isTall };
}

/** @returns a name, and below it an id in letters of one width. */
export function idPair(name: HtmlValue, value: HtmlValue): Pair | null {
  return pair(name, value && html`<span class="mono">${value}</span>`, true);
}

/** @returns names and values; null without any. */
export function keyValues(pairs: readonly (Pair | null)[], isSmall = false): Html | null {
  const shown = pairs.filter((each) => each !== null);
  if (shown.length === 0) return null;
  return html`<dl class="kv${isSmall && ' small'}">
${shown.map(({ name, value, isTall }) => html`<div${attributes({ class: isTall && 'tall' })}><dt>${name}</dt><dd>${value}</dd></div>`)}
</dl>`;
}

/** @returns a note to read before continuing; `isWarning` if money can be lost. */
export function note(sign: IconName, content: HtmlValue, isWarning = false): Html {
  return html`<p class="note${isWarning && ' warn'}">${icon(sign)}<span>${content}</span></p>`;
}

/** A value to be copied. */
export interface Copy {
  readonly id: string;
  /** Its name for screen readers, if none is visible above it. */
  readonly name?: HtmlValue;
  /** The displayed text. */
  readonly shown: HtmlValue;
  /** Text for the clipboard, if it differs from the visible one. */
  readonly text?: string;
  /** Whether the text is cut at the end of the line. */
  readonly isCut?: boolean;
  /** Its button, when inside the frame. */
  readonly button?: Html;
}

/** @returns the value in its frame. Without script, one tap selects the whole value. */
export function copyValue({ id, name, shown, text, isCut, button }: Copy): Html {
  const marks = attributes({ id, class: isCut === true && 'cut', 'data-text': text });
  return html`<p class="copy">${name && html`<span class="unseen">${name}</span>`}<code${marks}>${shown}</code>${button}</p>`;
}

/** @returns a whole address, with both ends in bold, because people compare them. */
export function address(text: string): Html {
  if (text.length < 20) return html`${text}`;
  return html`<b>${text.slice(0, 5)}</b>${text.slice(5, -6)}<b>${text.slice(-6)}</b>`;
}

/** A step of a process. */
export interface StepOf {
  readonly what: HtmlValue;
  /** Time, duration, or meaning of the step. */
  readonly more?: HtmlValue;
}

/** @returns past, current and next steps. The index `now` starts at 0; past the end, all steps are done. */
export function steps(list: readonly StepOf[], now: number): Html {
  return html`<ol class="steps">${list.map(({ what, more }, at) => {
    const status = at < now ? { class: 'done' } : at === now ? { 'aria-current': 'step' } : { class: 'next' };
    const marks = at === now ? html`<b>${what}</b>` : what;
    return html`<li${attributes(status)}><span class="dot">${at < now && icon('check')}</span><span>${marks}${more && html`<small>${more}</small>`}</span></li>`;
  })}</ol>`;
}

/** @returns a numbered list of instructions. */
export function how(list: readonly HtmlValue[]): Html {
  return html`<ol class="steps how">${list.map((what) => html`<li><span class="dot"></span><span>${what}</span></li>`)}</ol>`;
}

/** @returns details that open on request. */
export function more(title: HtmlValue, content: HtmlValue, shown: Attributes = {}): Html {
  return html`<details${attributes(shown)}><summary>${icon('turn')} ${title}</summary>${content}</details>`;
}

/** @returns the content of an empty list: the reason, and what to do. */
export function empty(sign: IconName, title: HtmlValue, content?: HtmlValue): Html {
  return html`<div class="empty">${icon(sign)}<b>${title}</b>${content && html`<span>${content}</span>`}</div>`;
}

/** @returns two to five views of the same content, as links; the present one is marked. */
export function segments(
  label: string,
  views: readonly { readonly href: string; readonly word: HtmlValue; readonly isCurrent: boolean }[],
): Html {
  return html`<nav class="seg" aria-label="${label}">${views.map(({ href, word, isCurrent }) => html`<a${attributes({ href, 'aria-current': isCurrent && 'page' })}>${word}</a>`)}</nav>`;
}

/** @returns a filter as text, with a link that removes it. */
export function chip(content: HtmlValue, href: string, removeWord: string): Html {
  return html`<span class="chip"><span>${content}</span><a href="${href}" aria-label="${removeWord}">${icon('close')}</a></span>`;
}

/** @returns a card: related content under a title. Cards are never nested. */
export function card(title: HtmlValue, content: HtmlValue, aside?: HtmlValue): Html {
  return html`<section class="card"><header><h2>${title}</h2>${aside}</header>${content}</section>`;
}

/** @returns the initials of a name, shown in place of a picture. */
export function initials(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  // "da", "de" and "and" are not names.
  const names = words.filter((word) => /^[\p{Lu}\p{N}]/u.test(word));
  const [first = '', last = ''] = names.length > 0 ? [names[0], names.slice(1).at(-1)] : words;
  return ([...first].slice(0, 1).join('') + [...last].slice(0, 1).join('')).toUpperCase();
}

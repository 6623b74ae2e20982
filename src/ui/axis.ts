/** The time axis: time, entry, and the effects of the entry below it. */
import { type Html, type HtmlValue, html } from './html.ts';
import { type IconName, icon } from './icons.ts';
import type { Tone } from './parts.ts';

/** An entry of the time axis. */
export interface Happening {
  /** A `<time>` element, to the millisecond. */
  readonly when: Html;
  readonly what: HtmlValue;
  readonly sign: IconName;
  readonly tone: Tone;
  /** A line under the entry. */
  readonly note?: HtmlValue;
  /** A card under the entry: a journal, a request. */
  readonly more?: HtmlValue;
}

/** @returns the axis, in the given order. */
export function axis(label: string, happenings: readonly Happening[]): Html {
  return html`<ol class="axis" aria-label="${label}">
${happenings.map(
  ({ when, what, sign, tone, note, more }) =>
    html`<li>${when}<span class="${tone}"><span class="dot">${icon(sign)}</span></span>
<div><h2>${what}</h2>${note && html`<p class="soft small">${note}</p>`}${more}</div></li>`,
)}
</ol>`;
}

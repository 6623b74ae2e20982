/** Work that waits for a person: the count of each kind, and the link to it. */
import { type Html, html } from '../../ui/html.ts';
import { icon } from '../../ui/icons.ts';
import { empty } from '../../ui/parts.ts';
import type { ScreenContext } from '../context.ts';
import type { Word } from '../words.ts';
import { count } from './lists.ts';

/** A kind of waiting work. */
export interface Task {
  readonly word: Word;
  /** Missing if the session may not see the count. */
  readonly count: number | undefined;
  /** Missing if the session cannot open the screen. */
  readonly href: string | null;
}

/** @returns the kinds with waiting work; or a text that there is none. */
export function taskList(
  { translate, language }: Pick<ScreenContext, 'translate' | 'language'>,
  all: readonly Task[],
): Html {
  const named = (word: Word, href: string | null) =>
    href === null ? html`<span>${translate(word)}</span>` : html`<a href="${href}">${translate(word)}</a>`;
  const items = all.flatMap(({ word, count: waiting = 0, href }) =>
    waiting > 0
      ? [
          html`<li class="warn"><span class="dot">${icon('warning')}</span>${named(word, href)}<b class="num">${count(waiting, language)}</b></li>`,
        ]
      : [],
  );
  return items.length > 0 ? html`<ul class="tasks">${items}</ul>` : empty('done', translate('nothingNeeds'));
}

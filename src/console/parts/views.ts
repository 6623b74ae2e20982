/** Views: screens with their filters that a person keeps under a name. */
import { type Html, html } from '../../ui/html.ts';
import { icon } from '../../ui/icons.ts';
import { type ScreenContext, sameWith } from '../context.ts';
import type { FrameFragment } from '../generated/graphql.ts';
import { actForm, field } from './form.ts';
import { PAGE_NAMES } from './lists.ts';

/** Parameters of an address for a single visit. */
const PASSING = ['done', 'became', 'code', 'lang', ...PAGE_NAMES] as const;

/** @returns the menu of the views: each leads to its screen, and the one that is shown now can be kept. Keys have none. */
export function viewMenu(context: ScreenContext, { person }: FrameFragment['viewer']): Html | null {
  if (!person) return null;
  const { say } = context;
  const here = sameWith(context, Object.fromEntries(PASSING.map((name) => [name, null])));
  const kept = person.savedViews.map(
    ({ name, path }) =>
      html`<div class="row"><a class="btn quiet" href="${path}"${path === here && html` aria-current="page"`}>${name}</a><span class="push">${actForm(context, { act: 'RemoveView', given: { name }, button: forget(say('remove', { what: name })) })}</span></div>`,
  );
  const name = { name: 'name', label: say('viewName'), isRequired: true };
  const form = actForm(context, {
    act: 'SaveView',
    given: { path: here },
    button: say('saveView'),
    kind: 'primary',
    fields: field(context, 'SaveView', name),
  });
  return html`<button class="btn pill quiet no-print" type="button" popovertarget="views">${icon('down')} ${say('views')}</button>
<div id="views" class="menu sheet" popover>${kept}<div class="in">${form}</div></div>`;
}

function forget(word: string): Html {
  return html`<button class="quiet" aria-label="${word}">${icon('close')}</button>`;
}

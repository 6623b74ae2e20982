/** Views: screens with their filters that a person stores under a name. */
import { type Html, html } from '../../ui/html.ts';
import { icon } from '../../ui/icons.ts';
import { type ScreenContext, sameWith } from '../context.ts';
import type { FrameFragment } from '../generated/graphql.ts';
import { actionForm, field } from './form.ts';
import { PAGE_NAMES } from './lists.ts';

/** Query parameters that a stored view leaves out. */
const PASSING = ['done', 'became', 'code', 'lang', ...PAGE_NAMES] as const;

/**
 * @returns the menu of the views: each leads to its screen, and the current one can be stored. API keys have no views.
 */
export function viewMenu(context: ScreenContext, { person }: FrameFragment['viewer']): Html | null {
  if (!person) return null;
  const { translate } = context;
  const here = sameWith(context, Object.fromEntries(PASSING.map((name) => [name, null])));
  const saved = person.savedViews.map(
    ({ name, path }) =>
      html`<div class="row"><a class="btn quiet" href="${path}"${path === here && html` aria-current="page"`}>${name}</a><span class="push">${actionForm(context, { action: 'RemoveView', preset: { name }, button: forget(translate('remove', { what: name })) })}</span></div>`,
  );
  const name = { name: 'name', label: translate('viewName'), isRequired: true };
  const form = actionForm(context, {
    action: 'SaveView',
    preset: { path: here },
    button: translate('saveView'),
    kind: 'primary',
    fields: field(context, 'SaveView', name),
  });
  return html`<button class="btn pill quiet no-print" type="button" popovertarget="views">${icon('down')} ${translate('views')}</button>
<div id="views" class="menu sheet" popover>${saved}<div class="in">${form}</div></div>`;
}

function forget(word: string): Html {
  return html`<button class="quiet" aria-label="${word}">${icon('close')}</button>`;
}

/** Sandbox only: play money for a balance, and a clock that can be moved. */
import { type Html, html } from '../../ui/html.ts';
import type { ScreenContext } from '../context.ts';
import type { DevelopersQuery } from '../generated/graphql.ts';
import { wholeMoment } from './figures.ts';
import { actForm, field } from './form.ts';
import { section } from './lists.ts';

/** @returns the forms of the sandbox; null when the session may send none. */
export function playMoney(
  context: ScreenContext,
  currencies: DevelopersQuery['currencies'],
  now: string,
): Html | null {
  const { say, language } = context;
  const forms = [fundForm(context, currencies), clockForm(context)].filter((form) => form !== null);
  if (forms.length === 0) return null;
  const time = html`<p>${say('clockShows')} <b data-live="clock">${wholeMoment(now, language, 'second')}</b></p>`;
  return section('sandbox', say('sandbox'), html`<div class="in form stack">${time}${forms}</div>`);
}

function fundForm(context: ScreenContext, currencies: DevelopersQuery['currencies']): Html | null {
  const { say } = context;
  const act = 'SandboxFund';
  const options = currencies.map(({ code, displayName }) => [code, displayName] as const);
  const fields = html`<h3>${say('playMoney')}</h3>${field(context, act, { name: 'currency', label: say('currency'), options })}${field(context, act, { name: 'amount', label: say('amount'), inputmode: 'decimal', isRequired: true })}`;
  return actForm(context, { act, button: say('credit_it'), fields });
}

function clockForm(context: ScreenContext): Html | null {
  const { say } = context;
  const act = 'SandboxAdvanceClock';
  const by = { name: 'by', label: say('moveBy'), hint: say('moveByHint'), isRequired: true };
  const fields = html`<h3>${say('sandboxClock')}</h3>${field(context, act, by)}`;
  return actForm(context, { act, button: say('moveClock'), fields });
}

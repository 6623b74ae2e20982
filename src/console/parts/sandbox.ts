/** Sandbox only: play money for a balance, and a clock that can be moved. */
import { type Html, html } from '../../ui/html.ts';
import type { ScreenContext } from '../context.ts';
import type { DevelopersQuery } from '../generated/graphql.ts';
import { fullTime } from './figures.ts';
import { actionForm, field } from './form.ts';
import { section } from './lists.ts';

/** @returns the forms of the sandbox; null when the session may send none. */
export function playMoney(
  context: ScreenContext,
  currencies: DevelopersQuery['currencies'],
  now: string,
): Html | null {
  const { translate, language } = context;
  const forms = [fundForm(context, currencies), clockForm(context)].filter((form) => form !== null);
  if (forms.length === 0) return null;
  const time = html`<p>${translate('clockShows')} <b data-live="clock">${fullTime(now, language, 'second')}</b></p>`;
  return section('sandbox', translate('sandbox'), html`<div class="in form stack">${time}${forms}</div>`);
}

function fundForm(context: ScreenContext, currencies: DevelopersQuery['currencies']): Html | null {
  const { translate } = context;
  const action = 'SandboxFund';
  const options = currencies.map(({ code, displayName }) => [code, displayName] as const);
  const fields = html`<h3>${translate('playMoney')}</h3>${field(context, action, { name: 'currency', label: translate('currency'), options })}${field(context, action, { name: 'amount', label: translate('amount'), inputmode: 'decimal', isRequired: true })}`;
  return actionForm(context, { action, button: translate('credit_it'), fields });
}

function clockForm(context: ScreenContext): Html | null {
  const { translate } = context;
  const action = 'SandboxAdvanceClock';
  const by = { name: 'by', label: translate('moveBy'), hint: translate('moveByHint'), isRequired: true };
  const fields = html`<h3>${translate('sandboxClock')}</h3>${field(context, action, by)}`;
  return actionForm(context, { action, button: translate('moveClock'), fields });
}

/** What only the sandbox has: play money for a balance, and a clock that can be moved. */
import { type Html, html } from '../../ui/html.ts';
import type { Desk } from '../desk.ts';
import type { DevelopersQuery } from '../generated/graphql.ts';
import { wholeMoment } from './figures.ts';
import { actForm, field } from './form.ts';
import { section } from './lists.ts';

/** @returns the forms of the sandbox; nothing where the session may send none. */
export function playMoney(desk: Desk, currencies: DevelopersQuery['currencies'], now: string): Html | null {
  const { say, language } = desk;
  const forms = [fundForm(desk, currencies), clockForm(desk)].filter((form) => form !== null);
  if (forms.length === 0) return null;
  const time = html`<p>${say('clockShows')} <b data-live="clock">${wholeMoment(now, language, 'second')}</b></p>`;
  return section('sandbox', say('sandbox'), html`<div class="in form stack">${time}${forms}</div>`);
}

function fundForm(desk: Desk, currencies: DevelopersQuery['currencies']): Html | null {
  const { say } = desk;
  const act = 'SandboxFund';
  const options = currencies.map(({ code, displayName }) => [code, displayName] as const);
  const fields = html`<h3>${say('playMoney')}</h3>${field(desk, act, { name: 'currency', label: say('currency'), options })}${field(desk, act, { name: 'amount', label: say('amount'), inputmode: 'decimal', isRequired: true })}`;
  return actForm(desk, { act, button: say('credit_it'), fields });
}

function clockForm(desk: Desk): Html | null {
  const { say } = desk;
  const act = 'SandboxAdvanceClock';
  const by = { name: 'by', label: say('moveBy'), hint: say('moveByHint'), isRequired: true };
  const fields = html`<h3>${say('sandboxClock')}</h3>${field(desk, act, by)}`;
  return actForm(desk, { act, button: say('moveClock'), fields });
}

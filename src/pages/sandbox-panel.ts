/** Panel on pages of sandbox accounts: possible scenarios as labelled buttons, and failures that can be planned. */
import type { Label } from '../base/text/label.ts';
import type { PossibleScenarios, ScenarioName } from '../resolvers/services/sandbox.ts';
import { type Html, html } from '../ui/html.ts';
import { icon } from '../ui/icons.ts';
import { more } from '../ui/parts.ts';
import { SCENARIO_WORDS } from '../ui/sandbox-words.ts';
import { pathOf, type SessionPage } from './page.ts';

/** The compiler finds a scenario without a label. */
const WORDS: Readonly<Record<ScenarioName, Label>> = SCENARIO_WORDS;

/** @returns the panel; it is open, and stays open after each button. */
export function sandboxPanel(page: SessionPage, { now, later }: PossibleScenarios): Html {
  const { translate, session } = page;
  if (!session.isPaidByPayer) return html``;
  return html`<aside class="sandbox no-print" id="box" aria-label="Sandbox"><h2>${icon('flask')} ${translate('sandboxTitle')}</h2>
${now.length > 0 ? buttons(page, now) : html`<p class="soft">${translate('sandboxNothing')}</p>`}
${later.length > 0 && more(translate('sandboxLater'), buttons(page, later))}</aside>`;
}

function buttons(page: SessionPage, names: readonly ScenarioName[]): Html {
  return html`<form class="row" method="post" action="${pathOf(page, 'sandbox')}">
${names.map((name) => html`<button name="scenario" value="${name}">${WORDS[name][page.language]}</button>`)}
</form>`;
}

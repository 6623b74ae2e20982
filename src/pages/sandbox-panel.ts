/** On pages of sandbox accounts: every scenario of the sandbox as a button. */
import type { Scenario } from '../resolvers/services/sandbox.ts';
import { type Html, html } from '../ui/html.ts';
import { pathOf, type SessionPage } from './page.ts';

/** @returns the panel; what a scenario does is told in English, as the rest of the sandbox. */
export function sandboxPanel(page: SessionPage, scenarios: readonly Scenario[]): Html {
  const { say } = page;
  return html`<aside class="sandbox" aria-label="Sandbox"><details><summary>${say('sandboxTitle')}</summary>
<form method="post" action="${pathOf(page, 'sandbox')}">
${scenarios.map(({ name, doc }) => html`<button class="second" name="scenario" value="${name}" title="${doc}">${name}</button>`)}
</form></details></aside>`;
}

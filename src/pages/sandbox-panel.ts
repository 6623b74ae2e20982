/** In test mode: every scenario of the sandbox as a button, and its clock. */
import type { Scenario } from '../resolvers/sandbox.ts';
import { type Html, html } from './html.ts';
import { pathOf, type SessionPage } from './page.ts';

/** How far the clock can be set ahead at once. */
export const CLOCK_STEPS = ['1m', '15m', '1h', '1d'] as const;

/** @returns the panel; what a scenario does is told in English, as the rest of the sandbox. */
export function sandboxPanel(page: SessionPage, scenarios: readonly Scenario[]): Html {
  const { say } = page;
  return html`<aside class="sandbox" aria-label="Sandbox"><details><summary>${say('sandboxTitle')}</summary>
<form method="post" action="${pathOf(page, 'sandbox')}">
${scenarios.map(({ name, doc }) => html`<button class="second" name="scenario" value="${name}" title="${doc}">${name}</button>`)}
</form>
<form method="post" action="${pathOf(page, 'clock')}"><p>${say('sandboxClock')}</p>
${CLOCK_STEPS.map((step) => html`<button class="second" name="advance" value="${step}">+${step}</button>`)}
</form></details></aside>`;
}

/** Accessibility of a page in a browser, by axe. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
/** Rules that depend on colours, and so on whether the page is light or dark. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/**
 * The page must allow scripts of strangers: open it with `bypassCSP` where its policy forbids them. `resultTypes` and a return of
 * violations alone spare a selector and a copy for each element of each rule that passes.
 * @param rules - all that axe runs by default, or those of colours.
 * @returns a line for each element that violates a rule.
 */
export async function axeViolations(page: Page, rules: 'all' | 'colours' = 'all'): Promise<string[]> {
  // A page that a form has loaded anew has lost it.
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(AXE);
  const runOnly = rules === 'all' ? {} : { runOnly: { type: 'rule', values: COLOUR_RULES } };
  const options = JSON.stringify({ resultTypes: ['violations'], ...runOnly });
  const found = await page.evaluate<readonly Violation[]>(
    `axe.run(document, ${options}).then(({ violations }) => violations)`,
  );
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

/** What a person does with a form in a browser: finds it, opens what hides it, fills it in, sends it, and sees what came of it. */
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** @returns the form of an act; what it has `given`, and a button with this value, tell it from others of the same act. */
export function formOf(
  page: Page,
  action: string,
  given: Readonly<Record<string, string>> = {},
  pressed?: string,
): Locator {
  const hidden = Object.entries(given).map(
    ([name, value]) => `:has(input[type=hidden][name="${name}"][value="${value}"])`,
  );
  const button = pressed === undefined ? '' : `:has(button[value="${pressed}"])`;
  return page.locator(`form[action="/console/acts/${action}"]${hidden.join('')}${button}`);
}

/** Opens the menu or the parts of the page that the form stands in. */
export async function reveal(page: Page, form: Locator): Promise<void> {
  expect(await form.count(), `forms on ${page.url()}`).toBe(1);
  const menu = page.locator('[popover]', { has: form });
  if (await menu.count()) await page.locator(`[popovertarget="${await menu.getAttribute('id')}"]`).click();
  for (const part of await page.locator('details:not([open])', { has: form }).all())
    await part.locator('> summary').click();
  expect(await form.isVisible(), 'the form is in sight').toBe(true);
}

/** Types, chooses and ticks; each field has to have a label. */
export async function fillIn(
  form: Locator,
  typed: Readonly<Record<string, string | readonly string[]>> = {},
): Promise<void> {
  for (const [name, given] of Object.entries(typed)) {
    if (typeof given !== 'string') {
      for (const value of given) await form.locator(`[name="${name}"][value="${value}"]`).check();
      continue;
    }
    const field = form.locator(`[name="${name}"]:not([type=hidden])`);
    const { tag, label } = await field.evaluate((each) => ({
      tag: each.tagName,
      label: (each as HTMLInputElement).labels?.[0]?.innerText ?? '',
    }));
    expect(label, `label of ${name}`).not.toBe('');
    if ((await field.getAttribute('type')) === 'file') await field.setInputFiles(pdfNamed(given));
    else await (tag === 'SELECT' ? field.selectOption(given) : field.fill(given));
  }
}

function pdfNamed(name: string) {
  const buffer = Buffer.from('%PDF-1.4\ntrailer <<>>\n%%EOF\n');
  return { name, mimeType: 'application/pdf', buffer };
}

/** Presses the button of the form: the one of a value, where it has several. */
export async function press(form: Locator, value?: string): Promise<void> {
  await form.locator(value === undefined ? 'button:not([name])' : `button[value="${value}"]`).click();
}

/** Shows the passkey that is asked for; the form is sent again then. */
export async function showPasskey(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1, name: 'Confirm it’s you' }).waitFor();
  await page.getByRole('button', { name: 'Confirm with passkey' }).click();
}

/** Sees that the act is done, and what the page says of it besides. */
export async function seeDone(page: Page, action: string, seen?: string): Promise<void> {
  const refused = page.locator('main [role=alert] .note');
  await refused.or(page.locator('main [role=status] .note')).first().waitFor();
  expect(await refused.allInnerTexts(), 'what was refused').toEqual([]);
  await page.waitForURL((url) => url.searchParams.get('done') === action);
  if (seen) await page.locator('main').getByText(seen).filter({ visible: true }).first().waitFor();
}

/** @returns what is shown this once; it stands neither on the page before nor in any address. */
export async function takeShown(page: Page, title = ''): Promise<string> {
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
  const shown = await page.locator('#secret').innerText();
  await page.getByRole('link', { name: 'Done' }).click();
  await page
    .getByRole('heading', { level: 1 })
    .and(page.locator(`h1:not(:text-is("${title}"))`))
    .waitFor();
  expect(await page.content()).not.toContain(shown);
  return shown;
}

/**
 * Goal: an account sees and changes what it decides itself: protection, own limits, the look of its pages, sites that may use its keys
 * (C-21, C-22, C-40). Method: pages and forms of the real application.
 */
import { beforeAll, expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { visit } from '../support/console.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';

const SETTINGS = '/console/settings';
const app = useApp();
let owner: SignedInForTest;

beforeAll(async () => {
  owner = await signInAs(app, app.accountId, { email: 'rita@shop.invalid', role: 'owner' });
});

const open = async (path = SETTINGS, person = owner) => (await visit(app, person, path)).text;
const send = (action: string, form: Readonly<Record<string, string | readonly string[]>>) =>
  visit(app, owner, `/console/acts/${action}`, { form: { back: SETTINGS, ...form } });
const origins = async () => {
  const { json } = await app.graphql('{ viewer { account { allowedOrigins } } }');
  return json.data.viewer.account.allowedOrigins;
};

test('settings are shown in both languages; a viewer has no form', async () => {
  const page = await open(`${SETTINGS}?lang=en`);
  expect(page).toMatch(/<dt>Waiting period for new destinations<\/dt><dd>Immediately<\/dd>/);
  expect(page).toMatch(/Require a second approval above \(per day\)<\/dt><dd>Never<\/dd>/);
  expect(await open(`${SETTINGS}?lang=pt`)).toContain('<h1>Configurações</h1>');
  const viewer = await signInAs(app, app.accountId, { email: 'leo@shop.invalid', role: 'viewer' });
  const seen = await open(SETTINGS, viewer);
  expect([seen.includes('Immediately'), /acts\/(?:Update|Reset|End)/.test(seen)]).toEqual([true, false]);
});

test('C-21: of two limits the tighter one applies, and the other is shown beside it', async () => {
  const set = (amountMax: string) =>
    send('UpdateTemplateLimits', { template: 'onramp', part: 'change', amountMax });
  expect((await set('1,234.50')).status).toBe(303);
  expect(await open()).toMatch(/R\$1,234\.50<div class="small soft">platform: R\$[\d,]+\.00<\/div>/);
  const wrong = await set('1.000');
  expect(wrong.status).toBe(400);
  expect(wrong.text).toMatch(/id="UpdateTemplateLimits-onramp-change-amountMax-wrong"/);
});

test('C-40: a loosening of a protection waits, is seen, and can be withdrawn', async () => {
  expect((await send('UpdateAccountSettings', { whitelistCoolingSeconds: '5400' })).status).toBe(303);
  expect(await open()).toContain('<dd>5,400 s</dd>');
  expect((await send('UpdateAccountSettings', { whitelistCoolingSeconds: '0' })).status).toBe(303);
  const page = await open();
  expect(page).toMatch(/<th scope="row"[^>]*>Waiting period for destinations<\/th><td[^>]*>Immediately</);
  // The form as it is shown, with one field changed: the waiting change of another one stays.
  const shown = { whitelistCoolingSeconds: '5400', afterLock: 'REPRICE' };
  const rules = {
    ...{ part: 'rules', ...shown, approvalAbove: '100' },
    ...{ 'shown.whitelistCoolingSeconds': '5400', 'shown.afterLock': 'REPRICE', 'shown.approvalAbove': '' },
  };
  expect((await send('UpdateAccountSettings', rules)).status).toBe(303);
  expect(await open()).toContain('Pending changes');
  await send('CancelSettingChange', { setting: 'WHITELIST_COOLING_SECONDS' });
  expect(await open()).not.toContain('Pending changes');
});

test('one site is added and another removed; an invalid one is refused at its field', async () => {
  const [shop, till] = ['https://shop.example.com', 'https://till.example.com'];
  await send('UpdateAllowedOrigins', { origins: [shop] });
  await send('UpdateAllowedOrigins', { origins: [shop, till], replaces: [shop] });
  const late = await send('UpdateAllowedOrigins', { origins: [till], replaces: [till] });
  expect([late.status, /Someone else changed this list/.test(late.text)]).toEqual([409, true]);
  expect(await origins()).toEqual([shop, till]);
  const page = await open();
  const removal = new RegExp(
    `<form method="post" action="/console/acts/UpdateAllowedOrigins"(?:(?!</form>)[^])*name="origins" value="${till}"(?:(?!</form>)[^])*name="replaces" value="${shop}"(?:(?!</form>)[^])*</form>`,
  );
  expect(page).toMatch(removal);
  const addition = { part: 'addition', origins: [shop, till, 'shop'], replaces: [shop, till] };
  const wrong = await send('UpdateAllowedOrigins', addition);
  expect(wrong.status).toBe(400);
  expect(wrong.text).toMatch(/name="origins" value="shop"[^>]*aria-invalid="true"/);
  await send('UpdateAllowedOrigins', { origins: [till], replaces: [shop, till] });
  expect(await origins()).toEqual([till]);
  await send('UpdateAllowedOrigins', { replaces: [till] });
  expect(await origins()).toEqual([]);
});

test('a site that may show the pages is added, and the last one removed', async () => {
  const shop = 'https://shop.example.com';
  expect((await send('UpdateBranding', { part: 'addition', frameHosts: shop })).status).toBe(303);
  expect(await open()).toContain(`<th scope="row">${shop}</th>`);
  expect((await send('UpdateBranding', { part: 'x', cleared: 'frameHosts' })).status).toBe(409);
  await send('UpdateBranding', { part: shop, cleared: 'frameHosts', replacesFrameHosts: shop });
  expect(await open()).not.toContain(`${shop}</th>`);
});

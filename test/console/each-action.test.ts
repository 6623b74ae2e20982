/**
 * Goal: whoever may do an act does it in a browser, with script and without: the form is found on its screen, filled in, confirmed
 * where it asks, and the page, the data and the audit log say what was done (C-40). Method: a table with a row for each
 * mutation that the console has, walked twice in Chromium on one gateway. With script people have a passkey that was shown too
 * long ago, so that it is asked for exactly where C-40 says; without script nobody has one.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ACTIONS, type ActionName } from '../../src/base/access/actions.ts';
import { PASSKEY_ACTIONS } from '../../src/base/access/passkey-actions.ts';
import { startWebhooks, type WebhookWorker } from '../../src/webhooks/worker.ts';
import { hasBrowser } from '../support/browser.ts';
import { FORMS } from '../support/mutations.ts';
import { SILENT } from '../support/webhooks.ts';
import { ACCOUNT_ROWS } from './actions/account-rows.ts';
import { COMPLIANCE_ROWS } from './actions/compliance-rows.ts';
import { fillIn, formOf, press, reveal, seeDone, showPasskey, takeShown } from './actions/forms.ts';
import { MED_ROWS } from './actions/med-rows.ts';
import { OPERATOR_ROWS } from './actions/operator-rows.ts';
import type { ActRow } from './actions/row.ts';
import { SETTINGS_ROWS } from './actions/settings-rows.ts';
import { addressOf, useStage, WAYS, type Way } from './actions/stage.ts';
import { TRANSACTION_ROWS } from './actions/transaction-rows.ts';
import { TREASURY_ROWS } from './actions/treasury-rows.ts';
import { WEBHOOK_ROWS } from './actions/webhook-rows.ts';

const ROWS: readonly ActRow[] = [
  ...TRANSACTION_ROWS,
  ...ACCOUNT_ROWS,
  ...SETTINGS_ROWS,
  ...OPERATOR_ROWS,
  ...COMPLIANCE_ROWS,
  ...TREASURY_ROWS,
  ...MED_ROWS,
  ...WEBHOOK_ROWS,
];

const stage = useStage();
let worker: WebhookWorker;

beforeAll(() => {
  worker = startWebhooks(stage.app.services, SILENT, { allowsLoopback: true });
});
afterAll(() => worker?.stop());

test('every action of the console has a row, and every row an action', () => {
  expect([...new Set(ROWS.map(({ act: action }) => action))].sort()).toEqual(
    FORMS.map(({ name }) => name).sort(),
  );
});

/** The act of a row, as the audit log has it. */
function entryOf({ act: action, entry }: ActRow): ActionName {
  if (entry) return entry;
  const { field } = FORMS.find(({ name }) => name === action) ?? { field: '' };
  const found = Object.entries(ACTIONS).filter(([, { mutations }]) =>
    (mutations as readonly string[]).includes(field),
  );
  expect(found).toHaveLength(1);
  return found[0]?.[0] as ActionName;
}

const WALKS = ROWS.flatMap((row, at) =>
  WAYS.map((way) => [[row.act, row.about].filter(Boolean).join(': '), way, row, `w${at}`] as const),
);

const FILES = [
  '/console/transactions?externalCode=order-1001',
  '/console/statement?currency=USDT_TRX',
].flatMap((path) => WAYS.map((way) => [path, way] as const));

describe.runIf(hasBrowser)('filtered lists', () => {
  test.each(FILES)('is had as a file: %s, %s', async (path, way) => {
    const { page } = stage.person('shop', way);
    await page.goto(addressOf(stage, path));
    await page.getByRole('button', { name: 'Export' }).click();
    const link = page.getByRole('link', { name: 'CSV', exact: true });
    const [file] = await Promise.all([page.waitForEvent('download'), link.click()]);
    expect(file.suggestedFilename()).toMatch(/\.csv$/);
    const { text } = await stage.app.get((await link.getAttribute('href')) ?? '');
    expect(text.split('\n').length).toBeGreaterThan(2);
    expect(readFileSync(await file.path(), 'utf8')).toBe(text);
  });
});

describe.runIf(hasBrowser)('an act', () => {
  test.each(WALKS)('%s, %s', async (_name, way, row, mark) =>
    walk(row, way, mark + (way === 'with script' ? 's' : 'p')));
});

async function walk(row: ActRow, way: Way, mark: string): Promise<void> {
  const person = stage.person(row.who, way);
  const { page } = person;
  const situation = await row.begin(stage, { way, mark });
  await page.goto(addressOf(stage, situation.path));
  await stage.letPasskeyAge(person);
  await stage.newActs(person);
  page.problems.length = 0;

  const form = formOf(page, row.act, situation.given, situation.pressed);
  await reveal(page, form);
  await fillIn(form, situation.typed);
  await press(form, situation.review ? 'confirm' : situation.pressed);
  if (situation.review) await press(page.locator('#confirm'));
  if (situation.isAskedFirst) await press(formOf(page, row.act, { dryRun: 'false' }));
  const action = entryOf(row);
  const isHeld = way === 'with script' && (row.needsPasskey || PASSKEY_ACTIONS.includes(action));
  if (isHeld) await showPasskey(page);

  const shown = situation.isShownOnce ? await takeShown(page, situation.seen) : '';
  if (!situation.isShownOnce) await seeDone(page, row.act, situation.seen);
  const actions = await stage.newActs(person);
  const expected = Array<ActionName>(row.entries ?? 1).fill(action);
  const before = [
    ...(situation.review === 'priced' ? ['quote.create'] : []),
    ...(isHeld ? ['session.confirm'] : []),
  ];
  expect(actions.map((each) => each.act)).toEqual([...before, ...expected]);
  if (situation.object) expect(actions.at(-1)?.object).toBe(situation.object);
  await situation.check(shown);
  expect(page.problems.filter((problem) => !(isHeld && /status of 403/.test(problem)))).toEqual([]);
}

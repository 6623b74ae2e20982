/**
 * Goal: the form of an action says what the action means at the present step. Method: transactions put at their step on the real
 * engine, where no worker moves them on, and the pages of people who may act on them.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import type { StepName } from '../../src/base/ids/step-name.ts';
import { createAccount, platformAccount } from '../../src/store/account/accounts.ts';
import { setAheadMs } from '../../src/store/rails/sandbox.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { PARTS_MAX } from '../../src/templates/returns.ts';
import { endToEndIdOf, newName, returnIdOf, stand } from '../resolvers/inbound/harness.ts';
import { useApp } from '../support/app.ts';
import { visit } from '../support/console.ts';
import { fundAccount } from '../support/fund-account.ts';
import { DURING_MS } from '../support/machine.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';
import { placesOf } from '../support/places.ts';

const app = useApp({ role: 'serve' });

beforeAll(() => setAheadMs(app.database, DURING_MS - Date.now()));

/** A transaction of a new account that is at a step, and the account's owner. */
async function at(template: string, step: StepName) {
  const accountId = await createAccount(app.database, 'Forms', { templates: [template], mode: 'sandbox' });
  const owner = await signInAs(app, accountId, { email: `o${accountId}@example.com`, role: 'owner' });
  const place = placesOf(REGISTRY.of(template)).find((each) => each.step === step);
  if (!place) throw new Error(`no place at ${step}`);
  const { end2end, id } = await stand(app.services, accountId, place);
  await fundAccount(app.database, accountId, { currency: 'USDT_TRX', amount: '500' });
  return { accountId, owner, end2end, id };
}

/** A form of an act on a page: what it says, and what it sends. */
function formOf(page: string, action: string, end2end: string): string {
  const forms = page.match(/<details class="ask"[\s\S]*?<\/details>/g) ?? [];
  const found = forms.find((each) => each.includes(`/acts/${action}"`) && each.includes(end2end));
  expect(found, page).toBeDefined();
  return found ?? '';
}

describe('C-35: the refund of a payment', () => {
  let owner: SignedInForTest;
  let end2end: string;
  let id: bigint;
  const form = async (language = 'en') =>
    formOf(
      (await visit(app, owner, `/console/transactions/${end2end}?lang=${language}`)).text,
      'RefundPayment',
      end2end,
    );
  const AMOUNT = /<input [^>]*name="amount"[^>]*>/;

  beforeAll(async () => {
    ({ owner, end2end, id } = await at('onramp', 'success/DONE'));
  });

  test('for all or a part may have an empty amount, and explains its figures', async () => {
    const text = await form();
    expect(text).toContain('Leave the amount empty to refund everything.');
    expect(AMOUNT.exec(text)?.[0]).not.toContain('required');
    expect(text).toContain('For R$550.00:');
  });

  test('needs an amount while a part is under way, and explains why', async () => {
    const part = `mutation { refundPayment(input: { end2end: "${end2end}", amount: "40" }) { transaction { end2end } errors { code } } }`;
    expect((await owner.graphql(part)).json.data.refundPayment).toEqual({
      transaction: { end2end },
      errors: [],
    });
    const [en, pt] = [await form(), await form('pt')];
    expect(AMOUNT.exec(en)?.[0]).toContain('required');
    expect(en).toContain('Another partial refund is under way.');
    expect(en).toContain('Up to R$509.99 can be refunded');
    expect(en).toContain('For R$509.99:');
    expect(en).not.toContain('Leave the amount empty');
    expect(pt).toContain('Outra devolução parcial está em andamento.');
  });

  test('has no amount once the payment has the most parts', async () => {
    await app.owner.query(
      `update transaction set process = jsonb_set(process, '{returns}', (
         select jsonb_agg(jsonb_build_object('returnId', 'D' || n, 'kind', 'part', 'state', 'failed', 'amount', '0.01',
           'requestedAt', '2026-07-01T11:30:00Z')) from generate_series(1, ${PARTS_MAX}) n))
       where id = ${id}`,
    );
    const text = await form();
    expect(text).toContain('Sends all that is left of the payment back to the payer by PIX');
    expect(text).not.toMatch(AMOUNT);
  });
});

let risk: SignedInForTest;
beforeAll(async () => {
  const platform = await platformAccount(app.database, 'sandbox');
  risk = await signInAs(app, platform, { email: 'risk@gateway.invalid', role: 'platform_risk' });
});

test('C-34: money in suspense can be sent back, unless it is a payout that came back', async () => {
  const endToEndId = endToEndIdOf(newName());
  const payment = { kind: 'payment', txid: null, endToEndId, amount: '12.00', payerTaxId: null } as const;
  await app.services.receive({ ...payment, settledAt: new Date(DURING_MS).toISOString() });
  const actions = async () =>
    (await visit(app, risk, '/console/operator')).text.match(/acts\/(?:Assign|Return)Suspense/g);
  expect(await actions()).toEqual(['acts/AssignSuspense', 'acts/ReturnSuspense']);
  const returned = { kind: 'payout_returned', endToEndId: endToEndIdOf(newName()), amount: '7.00' } as const;
  await app.services.receive({ ...returned, returnId: returnIdOf(newName()) });
  expect((await actions())?.toSorted()).toEqual([
    'acts/AssignSuspense',
    'acts/AssignSuspense',
    'acts/ReturnSuspense',
  ]);
});

describe('C-33: the release of a hold', () => {
  test.each([
    ['offramp_instant', 'The deposit is credited to the account’s balance and the transaction ends.'],
    ['onramp', 'The transaction continues from where it stopped.'],
    ['withdraw_dash_same_curr', 'The transaction continues from where it stopped.'],
  ])('of %s says what follows', async (template, text) => {
    const { end2end, accountId } = await at(template, 'compliance/UNCOMPLIANT');
    const page = (await visit(app, risk, `/console/review/case?id=HOLD:${accountId}:${end2end}`)).text;
    expect(formOf(page, 'ReleaseHold', end2end)).toContain(text);
    expect(formOf(page, 'RejectHold', end2end)).toContain('sent back to where it came from');
  });
});

/**
 * Goal: a deposit of another amount than ordered is paid out to nobody who could not have ordered that amount (C-21, C-40).
 * Method: offramps of small amounts to payees; more arrives, and the account or the payer converts it.
 */
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { known } from '../../src/base/errors/assert.ts';
import { EFFECT_PERFORMERS } from '../../src/resolvers/engine/perform-effects.ts';
import { readSession } from '../../src/resolvers/payer/payment-session.ts';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { findProcess } from '../../src/store/engine/processes.ts';
import { useApp } from '../support/app.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { newCustomer } from '../support/limits.ts';

const app = useApp();
const { ask, create, trigger, until, refusal, stepNow } = graphqlClient(app, () => app.apiKey);
let desk: string;
beforeAll(async () => {
  desk = (await app.addKey(await platformAccount(app.database, 'sandbox'), ['read', 'platform:risk'])).apiKey;
});

/** @returns an offramp of 60 BRL to the payee, with a deposit of another amount. */
async function heldDeposit(taxId: string, usdt: string): Promise<string> {
  const { transaction } = await create('createOfframp', {
    ...{ currency: 'USDT_TRX', amount: { brl: '60' }, from: 'EXTERNAL' },
    ...{ clientName: 'Rui Costa', clientTaxId: taxId, pixKey: taxId, pixKeyType: 'CPF' },
  });
  await until(transaction.end2end, 'crypto_deposit/WAITING_DEPOSIT');
  await trigger(transaction.end2end, 'deposit-wrong', usdt);
  await until(
    transaction.end2end,
    Number(usdt) > 60 ? 'crypto_deposit/OVERPAID' : 'crypto_deposit/UNDERPAID',
  );
  return transaction.end2end;
}

const resolve = (end2end: string, resolution: string) =>
  `mutation { resolveDeposit(input: { end2end: "${end2end}", resolution: ${resolution} }) { transaction { component state } errors { code message path } } }`;

const freeze = (taxId: string) =>
  ask(
    `mutation { freezeCustomer(input: { account: "${app.accountId}", taxId: "${taxId}", reason: "court order" }) { customerCase { id } errors { code } } }`,
    {},
    desk,
  );

test('C-40: the deposit of a frozen payee is neither converted nor kept, and nothing reveals the reason', async () => {
  const taxId = newCustomer();
  const end2end = await heldDeposit(taxId, '5');
  const listed = async () =>
    (
      await ask(`{ transaction(end2end: "${end2end}") { possibleActions { action } } }`)
    ).transaction.possibleActions.map((each: { action: string }) => each.action);
  const ofPayer = async () =>
    (
      await readSession(
        app.services,
        known(await findProcess(app.database, app.accountId, end2end), 'the offramp'),
      )
    ).actions;
  expect(await listed()).toEqual(['REQUOTE_DEPOSIT', 'KEEP_DEPOSIT', 'REFUND_DEPOSIT']);
  expect(await ofPayer()).toEqual(['refund_deposit', 'requote_deposit']);
  await freeze(taxId);
  expect(await listed()).toEqual(['REFUND_DEPOSIT']);
  expect(await ofPayer()).toEqual(['refund_deposit']);
  for (const resolution of ['REQUOTE', 'KEEP']) {
    const refused = await refusal(resolve(end2end, resolution));
    expect(refused.code).toBe('STEP_CONFLICT');
    expect(JSON.stringify(refused)).not.toMatch(/frozen|case/i);
  }
  expect(await stepNow(end2end)).toBe('crypto_deposit/UNDERPAID');
});

test('C-21: a deposit above the step-up limit is not converted for a payee who was checked for a small order', async () => {
  const end2end = await heldDeposit(newCustomer(), '4000');
  expect((await refusal(resolve(end2end, 'REQUOTE'))).code).toBe('LIMIT_EXCEEDED');
  expect(await stepNow(end2end)).toBe('crypto_deposit/OVERPAID');
  await ask(resolve(end2end, 'KEEP'));
  await until(end2end, 'partial_success/DONE');
});

test('a deposit below the step-up limit is converted', async () => {
  const end2end = await heldDeposit(newCustomer(), '100');
  await ask(resolve(end2end, 'REQUOTE'));
  await until(end2end, 'success/DONE');
});

test.each(['swap', 'send_funds'] as const)('C-40: %s waits while the payee is frozen', async (effect) => {
  const taxId = newCustomer();
  const row = known(
    await findProcess(app.database, app.accountId, await heldDeposit(taxId, '5')),
    'the offramp',
  );
  const perform = () => EFFECT_PERFORMERS[effect](app.services, { key: randomUUID(), row }, {});
  await freeze(taxId);
  await expect(perform()).rejects.toThrow(/frozen, case \d+: nothing leaves/);
});

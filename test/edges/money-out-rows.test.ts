/**
 * Goal: only keys and people with the scope `move` let money out, whatever the row of the table *money out* (C-25, C-40). Method: a key
 * of each scope and a person of each role tries each row, by GraphQL; what is not theirs is refused before anything is looked up.
 */

import { beforeAll, expect, test } from 'vitest';
import type { Scope } from '../../src/base/access/api-key.ts';
import { ACCOUNT_ROLES, type Role, scopesOf } from '../../src/base/access/roles.ts';
import { RULED_KINDS, type RuledKind } from '../../src/templates/out-kinds.ts';
import { useApp } from '../support/app.ts';
import { signInAs } from '../support/people.ts';
import { errorsIn } from '../support/refusals.ts';

const app = useApp();
const PAYEE = 'pixKey: "ana@example.com", pixKeyType: EMAIL, clientName: "Ana", clientTaxId: "52998224725"';
const QUOTED = 'CRX00000000000000000000000000';
let priced = QUOTED;
let shop: Awaited<ReturnType<typeof app.addAccount>>;

/** Ways to ask for each kind; those of a transaction name one that waits for it, or none that there is. */
const ROWS: Readonly<Record<RuledKind, readonly (() => string)[]>> = {
  withdrawal: [
    () =>
      'mutation { createWithdrawal(input: { amountReceived: "1", currency: "USDT_TRX", groupId: "grp_none" }) { transaction { end2end } errors { code message path } } }',
    () =>
      `mutation { approveWithdrawal(input: { end2end: "${QUOTED}" }) { transaction { end2end } errors { code message path } } }`,
  ],
  payout: [
    () =>
      `mutation { createOfframp(input: { currency: "USDT_TRX", amount: { brl: "10" }, ${PAYEE} }) { transaction { end2end } errors { code message path } } }`,
    () =>
      `mutation { acceptQuote(input: { end2end: "${priced}" }) { transaction { end2end } errors { code message path } } }`,
    () =>
      `mutation { provideIdentity(input: { end2end: "${priced}", ${PAYEE} }) { transaction { end2end } errors { code message path } } }`,
    () =>
      `mutation { approveMoneyOut(input: { end2end: "${QUOTED}" }) { transaction { end2end } errors { code message path } } }`,
  ],
  refund: [
    () =>
      `mutation { refundPayment(input: { end2end: "${QUOTED}" }) { transaction { end2end } errors { code message path } } }`,
  ],
  redirect: [
    () =>
      `mutation { resolveDeposit(input: { end2end: "${QUOTED}", resolution: REFUND, address: "TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD" }) { transaction { end2end } errors { code message path } } }`,
  ],
};

beforeAll(async () => {
  shop = await app.addAccount();
  await app.post('/v2/sandbox/fund', { currency: 'USDT_TRX', amount: '500' }, { key: shop.apiKey });
  const { json } = await app.graphql(
    'mutation { createOfframp(input: { currency: "USDT_TRX", amount: { brl: "10" }, accept: false }) { transaction { end2end } errors { code message path } } }',
    {},
    { key: shop.apiKey },
  );
  priced = json.data.createOfframp.transaction.end2end;
});

test('each kind has a row', () => {
  expect(Object.keys(ROWS).sort()).toEqual(Object.keys(RULED_KINDS).sort());
});

const isRefused = ({ json }: { json: { errors?: { extensions: { code: string } }[] } }) =>
  errorsIn(json)?.[0]?.extensions.code === 'FORBIDDEN';

test.each<Scope>(['read', 'create', 'admin', 'move'])('C-25: a key with the scope %s', async (scope) => {
  const { apiKey } = await app.addKey(shop.accountId, [...new Set<Scope>(['read', scope])]);
  for (const query of Object.values(ROWS).flat())
    expect(isRefused(await app.graphql(query(), {}, { key: apiKey })), query()).toBe(scope !== 'move');
});

test.each(Object.keys(ACCOUNT_ROLES) as Role[])('C-25: a person with the role %s', async (role) => {
  const { graphql } = await signInAs(app, shop.accountId, { email: `${role}@rows.invalid`, role });
  const isMover = (scopesOf(role) as readonly Scope[]).includes('move');
  for (const query of Object.values(ROWS).flat())
    expect(isRefused(await graphql(query())), query()).toBe(!isMover);
});

/**
 * Goal: the suffix of an exact amount is what it is called, and never a fee (C-21, L32). Method: offramps of one amount from
 * outside, whose suffixes differ; their published record, and their journals.
 */
import { expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { graphqlClient } from '../support/graphql-client.ts';

const app = useApp();
const { ask, trigger, until } = graphqlClient(app, () => app.apiKey);
const OFFRAMP = {
  ...{ currency_entry_paid_code: 'USDT_TRX', amount_paid: 100, from: 'external' },
  ...{
    client_name: 'Ana Souza',
    client_tax_id: '52998224725',
    pix_key: 'ana@example.com',
    pix_key_type: 'email',
  },
};

/** What an offramp booked on a house account, in units of the currency; what came in is above zero. */
async function booked(end2end: string, house: string): Promise<number> {
  const { rows } = await app.owner.query(
    `select sum(l.delta / power(10, a.scale))::float8 as sum from transaction t
      join ledger_line l on l.account_id = t.account_id and l.transaction_id = t.id
      join ledger_account a on a.account_id = l.account_id and a.id = l.ledger_account_id
     where t.end2end = $1 and a.house = $2`,
    [end2end, house],
  );
  return Math.abs(rows[0].sum);
}

test('C-21: two deposits with other suffixes have the same price and fees; each suffix is booked as dust', async () => {
  const made = [await app.post('/v2/offramp', OFFRAMP), await app.post('/v2/offramp', OFFRAMP)];
  const facts = [];
  for (const { json, status } of made) {
    expect(status).toBe(201);
    const { end2end, attributes } = json;
    await trigger(end2end, 'deposit');
    await trigger(end2end, 'deposit-confirm');
    await until(end2end, 'success/DONE');
    const query = `{ transaction(end2end: "${end2end}") { ... on OfframpInstant { fees amountReceived } } }`;
    const { fees, amountReceived } = (await ask(query)).transaction;
    const suffix = Number(attributes.exact_deposit_amount) - 100;
    expect(suffix).toBeGreaterThan(0);
    expect(suffix).toBeLessThan(0.01);
    expect(await booked(end2end, 'R.dust')).toBeCloseTo(suffix, 6);
    expect(await booked(end2end, 'R.fee')).toBe(Number(fees));
    facts.push({ address: attributes.deposit_address, suffix, fees, amountReceived });
  }
  const [one, other] = facts;
  // Their addresses differ too: the suffix is the second sign by which a deposit is recognised.
  expect(other?.address).not.toBe(one?.address);
  expect([other?.fees, other?.amountReceived]).toEqual([one?.fees, one?.amountReceived]);
});

/** What was ordered of a network is never changed, not by the application either: only what became of it is. */
import { expect, test } from 'vitest';
import { useDatabase } from '../../support/database.ts';

const given = useDatabase();
const AT = '2026-11-22T12:00:00Z';

test('an order to a network stores its whole input', async () => {
  await given.owner.query(
    `insert into chain_order (mode, network, key, intent, currency, to_address, amount_minor, from_address, due_at, ordered_at)
     values ('live', 'ETH', 'k', 'payout', 'USDC_ETH', '0x1', 5, '0x2', $1, $1)`,
    [AT],
  );
  for (const change of [
    'to_address = $1::text',
    'amount_minor = length($1::text)',
    'fee_minor = length($1::text)',
    'key_index = length($1::text)',
    'deposit_index = length($1::text)',
    'proof = to_jsonb($1::text)',
    `ordered_at = ordered_at + length($1::text) * interval '1 day'`,
  ])
    await expect(given.owner.query(`update chain_order set ${change}`, ['x'])).rejects.toThrow(/not changed/);
  await given.owner.query(`update chain_order set tries = 1, last_error = 'away'`);
  const { rows } = await given.owner.query('select tries, fee_minor, to_address from chain_order');
  expect(rows).toEqual([{ tries: 1, fee_minor: '0', to_address: '0x1' }]);
});

/**
 * Goal: a database with transactions keeps their volumes when it begins to count by day (C-21). Method: the statements of the
 * migration, on transactions of the test.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { importAccount } from '../../src/resolvers/account/import-account.ts';
import { verifyVolumes } from '../../src/store/engine/verify-volumes.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { HISTORY, useApp } from '../support/app.ts';
import { newCustomer, newShop, stepOf } from '../support/limits.ts';
import { useOneDay } from '../support/one-day.ts';

const SQL = readFileSync(
  new URL('../../prisma/migrations/20261123120000_customer_volumes/migration.sql', import.meta.url),
  'utf8',
);
const FILL = SQL.slice(SQL.indexOf('insert into volume_day'), SQL.indexOf('grant select'));

const RECOUNT = readFileSync(
  new URL('../../prisma/migrations/20261203020000_payments_disputed_in_part/migration.sql', import.meta.url),
  'utf8',
);

useOneDay();
const app = useApp();

test('C-21: what was paid in the last days counts on its day in Brasília; what came to nothing does not', async () => {
  const { owner } = app;
  const id = String(app.accountId);
  await owner.query('delete from volume_day');
  await owner.query('delete from customer');
  await owner.query(
    `update transaction set created_at = date_trunc('day', now()) + interval '1 hour', client_tax_id = '529.982.247-25'
      where account_id = $1 and client_tax_id is not null`,
    [id],
  );
  await owner.query(FILL);
  const { rows } = await owner.query(
    `select v.subject, v.day = (now() at time zone 'UTC')::date - 1 as is_day_before, v.open::float8 as open,
        v.paid = (select sum(case when source_currency = 'BRL' then source_amount else target_amount end) from transaction
          where account_id = $1 and client_tax_id is not null and component in ('success', 'partial_success')
            and (component = 'success' or source_currency = 'BRL')) as is_sum
      from volume_day v`,
    [id],
  );
  // One o'clock in UTC is the evening before in Brasília.
  expect(rows).toEqual([{ subject: '52998224725', is_day_before: true, open: 0, is_sum: true }]);
  const customers = await owner.query('select tax_id, level from customer');
  expect(customers.rows).toEqual([{ tax_id: '52998224725', level: 'BASIC' }]);
});

test('C-21, C-70: imported history counts on the day of its creation, once', async () => {
  const { accountId } = await app.addAccount();
  const take = () => importAccount(app.database, REGISTRY, accountId, 'history.ndjson', HISTORY.split('\n'));
  const counted = async () =>
    (
      await app.owner.query(
        `select subject, day::text, open::text, paid::float8 as paid from volume_day where account_id = $1 order by 1, 2`,
        [String(accountId)],
      )
    ).rows;
  await take();
  const { rows } = await app.owner.query(
    `select client_tax_id_key as subject, (created_at at time zone 'America/Sao_Paulo')::date::text as day, '0' as open,
        sum(case when source_currency = 'BRL' then source_amount else target_amount end)::float8 as paid
      from transaction where account_id = $1 and client_tax_id is not null and component in ('success', 'partial_success')
        and (component = 'success' or source_currency = 'BRL') group by 1, 2 order by 1, 2`,
    [String(accountId)],
  );
  expect(rows.length).toBeGreaterThan(0);
  expect(await counted()).toEqual(rows);
  await take();
  expect(await counted()).toEqual(rows);
});

test('C-21: payments that were disputed in part count again, once; those of which nothing is left do not', async () => {
  const shop = await newShop(app);
  await shop.limit({ daily: '50000', stepUp: '1000000' });
  const settledAtMs = (await app.services.clock.nowMs()) - 1_000;
  const disputed = async (taxId: string, amounts: readonly string[]) => {
    const id = await shop.charge(taxId, '550', 'onramp');
    await shop.pay(id, settledAtMs);
    await shop.reach(id, 'success/DONE');
    for (const [index, amount] of amounts.entries()) {
      await shop.tell(id, { on: 'dispute_opened', disputeId: `inf-${index}`, amount });
      const { row } = await shop.tell(id, { on: 'dispute_accepted', disputeId: `inf-${index}` });
      expect(stepOf(row)).toBe('dispute/ACCEPTED');
    }
    return shop.volumes(taxId);
  };
  const [ana, bruno] = [newCustomer(), newCustomer()];
  const volumes = await disputed(ana, ['100', '49.99']);
  await disputed(bruno, ['100', '450']);
  const volumesOfAna = await disputed(ana, ['550']);
  expect(volumesOfAna).toEqual(volumes);
  // As the versions before left it.
  const id = String(shop.accountId);
  await app.owner.query(`update transaction set process = process - 'counted' where account_id = $1`, [id]);
  await app.owner.query('update volume_day set paid = 0 where account_id = $1 and subject = $2', [id, ana]);
  expect((await verifyVolumes(app.database, shop.accountId)).length).toBeGreaterThan(0);
  for (let run = 0; run < 2; run++) {
    await app.owner.query(RECOUNT);
    expect(await shop.volumes(ana)).toEqual(volumes);
    expect(await shop.volumes(bruno)).toEqual([]);
    expect(await verifyVolumes(app.database, shop.accountId)).toEqual([]);
  }
});

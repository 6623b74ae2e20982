/**
 * Goal: volumes of customers count imported history, and payments that were disputed in part (C-21). Method: the volumes beside what the
 * transactions say.
 */
import { expect, test } from 'vitest';
import { importAccount } from '../../../src/resolvers/history/import-account.ts';
import { verifyVolumes } from '../../../src/store/engine/verify-volumes.ts';
import { REGISTRY } from '../../../src/templates/index.ts';
import { useApp } from '../../support/app.ts';
import { newCustomer, newShop, stepOf } from '../../support/limits.ts';
import { useOneDay } from '../../support/one-day.ts';
import { HISTORY } from '../../support/sandbox.ts';

useOneDay();
const app = useApp();

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

test('C-21: a payment that was disputed in part counts whole until nothing is left of it', async () => {
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
  expect(await shop.volumes(bruno)).toEqual([]);
  expect(await verifyVolumes(app.database, shop.accountId)).toEqual([]);
});

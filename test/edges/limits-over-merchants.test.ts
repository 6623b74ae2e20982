/**
 * Goal: where the operator wants it, limits count a customer over all merchants (C-21). Method: two merchants, creations over HTTP, also many
 * at once; a gateway with that setting, and one without.
 */
import { describe, expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { newCustomer, newShop } from '../support/limits.ts';

const app = useApp({ limitsOver: 'operator' });

describe('limits over all merchants', () => {
  test('C-21: volumes of a customer at one merchant count at another', async () => {
    const [one, other] = [await newShop(app), await newShop(app)];
    for (const shop of [one, other]) await shop.limit({ daily: '1000', stepUp: '900' });
    const taxId = newCustomer();
    expect((await one.checkout(taxId, '600')).status).toBe(201);
    const refused = await other.checkout(taxId, '600');
    expect([refused.status, refused.json.code]).toEqual([422, 'LIMIT_EXCEEDED']);
    expect((await other.checkout(newCustomer(), '600')).status).toBe(201);
    const { json } = await other.checkout(taxId, '350');
    await other.reach(json.end2end, 'valida_id_v2/PENDING');
  });

  test('C-21: no two merchants pass a limit together', async () => {
    const shops = await Promise.all(Array.from({ length: 4 }, () => newShop(app)));
    for (const shop of shops) await shop.limit({ daily: '1000', stepUp: '5000' });
    const customers = [newCustomer(), newCustomer(), newCustomer()];
    const answers = await Promise.all(
      shops.flatMap((shop) =>
        customers.flatMap((taxId) =>
          Array.from({ length: 3 }, async () => ({ taxId, answer: await shop.checkout(taxId, '300') })),
        ),
      ),
    );
    for (const taxId of customers) {
      const made = answers.filter((each) => each.taxId === taxId && each.answer.status === 201);
      expect(made).toHaveLength(3);
    }
    expect(new Set(answers.map(({ answer }) => answer.status))).toEqual(new Set([201, 422]));
  });

  test('C-21: sandbox and live do not count together', async () => {
    const shop = await newShop(app);
    await shop.limit({ daily: '1000' });
    const taxId = newCustomer();
    expect((await shop.checkout(taxId, '900')).status).toBe(201);
    const { rows } = await app.owner.query(
      `select a.mode from volume_day v join account a on a.id = v.account_id where v.subject = $1`,
      [taxId],
    );
    expect(rows).toEqual([{ mode: 'sandbox' }]);
  });
});

/**
 * Goal: the rule for money out requires the scope `move` itself, whatever an action before it has checked (C-25). Method: the engine of
 * the application, given a refund and a withdrawal by authors of each scope.
 */
import { expect, test } from 'vitest';
import { SCOPES } from '../../../src/base/access/api-key.ts';
import { emptyProcess } from '../../../src/resolvers/orders/create-transaction.ts';
import type { AdvanceRequest } from '../../../src/resolvers/services/advance.ts';
import { useApp } from '../../support/app.ts';
import { MOVER } from '../../support/mover.ts';
import { whitelist } from '../../support/rest-routes.ts';
import { inboundOf, pixFor } from '../inbound/support.ts';

const app = useApp();
const { onramp, reach, rowOf } = inboundOf(app);
const WALLET = { network: 'TRX', target: 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD' } as const;
const REFUSED = { code: 'FORBIDDEN', message: expect.stringContaining('scope "move"') };

test('C-25: money leaves by an author with the scope move only', async () => {
  const merchant = await app.addAccount();
  await whitelist(app, merchant.accountId, 'grp-scope', [WALLET]);
  const { end2end } = await onramp(merchant);
  const unpaid = await rowOf(end2end);
  await app.services.receive(pixFor(unpaid));
  await reach(unpaid, 'success/DONE');
  const { accountId, id } = await rowOf(end2end);
  const moves: Omit<AdvanceRequest, 'author'>[] = [
    { target: { accountId, transactionId: id }, trigger: { on: 'payment_refunded', amount: '1' } },
    {
      target: {
        create: {
          ...emptyProcess(accountId, 'withdraw_dash_same_curr', Date.now(), null),
          ...{ sourceCurrency: 'USDT_TRX', sourceAmount: '1', targetCurrency: 'USDT_TRX', targetAmount: '1' },
          ...{ wallet: WALLET.target, groupId: 'grp-scope', process: { createdBy: null, worth: '5' } },
        },
      },
      trigger: { on: 'created' },
    },
  ];
  for (const move of moves) {
    for (const scope of SCOPES.filter((each) => each !== 'move'))
      await expect(app.services.advance({ ...move, author: { ...MOVER, scope } })).rejects.toMatchObject(
        REFUSED,
      );
    expect(await app.services.advance({ ...move, author: MOVER })).toMatchObject({ code: 'ADVANCED' });
  }
});

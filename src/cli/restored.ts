/** `crossramp restored rails|list|begin|release|match|dismiss`. */
import { Command } from 'commander';
import { currencyOfLedger } from '../base/money/currency.ts';
import { fromMinor } from '../base/money/money.ts';
import { isoMillis } from '../base/time/instant.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import {
  dismissPayment,
  matchPayment,
  PAYMENTS_MAX,
  type RailAfterRestore,
  readRestoredRails,
  readUnknownPayments,
  releaseRail,
  stopRails,
} from '../resolvers/rails/decide-restore.ts';
import type { UnknownPayment } from '../store/rails/unknown-payments.ts';
import { lists, uses } from './command.ts';
import { platformOption } from './output.ts';

/** Rails after a restore of the database, and payments that are not in the books. */
export function restoredCommand(): Command {
  const restored = new Command('restored').description(
    'Shows which rails are stopped after a restore of the database, and decides about payments that left after the restored time.',
  );
  const rails = restored
    .command('rails')
    .description(
      'Lists the rails that send money, after a restore. A rail that is not cleared sends nothing.',
    )
    .addOption(platformOption());
  lists(rails, {
    run: (context) => readRestoredRails(context),
    row: railShown,
    columns: {
      ...{ RAIL: 'rail', SINCE: 'since', CLEARED: 'clearedAt', BY: 'clearedBy' },
      ...{ REASON: 'reason', OBSTACLE: 'trouble' },
    },
    none: 'the database was not restored, or no rails are configured',
  });
  const list = restored
    .command('list')
    .description(
      `Lists payments that left after the restored time and are not in the books, with the orders that each blocks; ${PAYMENTS_MAX} at most.`,
    )
    .option('--all', 'also those that are decided')
    .addOption(platformOption());
  lists(list, {
    run: (context, { all = false }: { all?: boolean }) => readUnknownPayments(context, { isOpen: !all }),
    row: paymentShown,
    columns: {
      ...{ ID: 'id', RAIL: 'rail', KIND: 'kind', AMOUNT: 'amount', CURRENCY: 'currency', TO: 'destination' },
      ...{ SENT: 'sentAt', STATE: 'state', NAME: 'name' },
      HOLDS: ({ holds, holdsTotal }) =>
        [...holds, ...(holdsTotal > holds.length ? [`of ${holdsTotal}`] : [])].join(' '),
    },
    right: ['AMOUNT'],
    none: 'no payment has to be decided',
  });
  const begin = restored
    .command('begin')
    .description(
      'Stops all rails until they are scanned for payments since a time. Only needed if the gateway does not notice a restore itself.',
    )
    .requiredOption('--since <time>', 'RFC 3339 time to which the database was restored, or an earlier one')
    .addOption(platformOption());
  uses(begin, {
    run: (context, { since }: { since: string }) => stopRails(context, { name: '--since', value: since }),
    json: (_done, { since }) => ({ since }),
    text: (_done, { since }) => `the rails are stopped until they were scanned for payments since ${since}`,
  });
  decisions(restored);
  return restored;
}

function decisions(restored: Command): void {
  const release = restored
    .command('release')
    .description(
      'Lets a rail send again without a scan for its payments. Compare its statement with the books before.',
    )
    .argument('<rail>', 'pix, or a network such as ETH')
    .requiredOption('--reason <text>', 'why; 1 to 200 characters')
    .addOption(platformOption());
  uses(release, {
    run: (context, { reason }: { reason: string }, rail: string) =>
      releaseRail(context, rail, { name: '--reason', value: reason }, checksOf(context)),
    json: (_done, _options, rail) => ({ rail, state: 'released' }),
    text: (_done, _options, rail) => `${rail} sends again`,
  });
  const match = restored
    .command('match')
    .description(
      'Matches a payment with an order that it blocks. The order is not sent, and gets the outcome of the payment.',
    )
    .argument('<id>', 'id of the payment')
    .requiredOption('--order <key>', 'key of the order, as the list shows it')
    .addOption(platformOption());
  uses(match, {
    run: (context, { order }: { order: string }, id: string) =>
      matchPayment(context, id, { name: '--order', value: order }),
    json: (_done, { order }, id) => ({ id, state: 'matched', order }),
    text: (_done, { order }, id) => `payment ${id} is that of ${order}, which is not sent`,
  });
  const dismiss = restored
    .command('dismiss')
    .description(
      'Decides that a payment belongs to no order of this gateway. The orders that it blocked are sent.',
    )
    .argument('<id>', 'id of the payment')
    .requiredOption('--reason <text>', 'why, and how the payment was booked; 1 to 200 characters')
    .addOption(platformOption());
  uses(dismiss, {
    run: (context, { reason }: { reason: string }, id: string) =>
      dismissPayment(context, id, { name: '--reason', value: reason }, checksOf(context)),
    json: (_done, _options, id) => ({ id, state: 'dismissed' }),
    text: (_done, _options, id) => `payment ${id} is that of no order`,
  });
}

function railShown({ rail, sinceMs, clearedAt, clearedBy, reason, trouble }: RailAfterRestore) {
  return {
    ...{ rail, since: new Date(sinceMs).toISOString(), clearedAt: clearedAt && isoMillis(clearedAt) },
    ...{ clearedBy, reason, trouble },
  };
}

function paymentShown({ id, amountMinor, sentAt, heldOrders, heldCount, ...payment }: UnknownPayment) {
  const { rail, kind, currency, destination, state, name, orderKey, decidedBy, reason } = payment;
  const amount = fromMinor(BigInt(amountMinor), currencyOfLedger(currency).decimals);
  return {
    ...{ id: String(id), rail, kind, amount, currency, destination, sentAt: isoMillis(sentAt), state, name },
    ...{ holds: heldOrders, holdsTotal: heldCount, order: orderKey, decidedBy, reason },
  };
}

/** `crossramp order list|settle`. */
import { Command } from 'commander';
import { invalidParameters } from '../base/errors/errors.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { ORDERS_MAX, openOrders, settleOrder } from '../resolvers/inbound/settle-order.ts';
import type { PixOrder } from '../store/rails/pix-orders.ts';
import { lists, uses } from './command.ts';
import { platformOption } from './output.ts';

interface Outcome {
  readonly done?: string;
  readonly notDone?: string;
}

/** Orders that the PIX provider has not decided. */
export function orderCommand(): Command {
  const order = new Command('order').description(
    'Shows orders to the PIX provider that it has not decided, and settles one by hand.',
  );
  const list = order
    .command('list')
    .description(`Lists the oldest ${ORDERS_MAX} orders that the provider has not decided.`)
    .addOption(platformOption());
  lists(list, {
    run: (context) => openOrders(context),
    row: shown,
    columns: {
      ...{ KEY: 'key', KIND: 'kind', AMOUNT: 'amount', PLACED: 'placedAt', LEFT: 'sentAt' },
      ...{ ACCOUNT: 'account', 'AT THE PROVIDER': 'pspId' },
    },
    right: ['AMOUNT'],
    none: 'none is open',
  });
  const settle = order
    .command('settle')
    .description(
      'Settles an order by hand when the provider cannot tell its outcome. The provider is queried again first. Give --done or --not-done.',
    )
    .argument('<key>', 'key of the order')
    .addOption(platformOption())
    .option('--done <id>', 'it was carried out: EndToEndId of the payout, or rtrId of the return')
    .option(
      '--not-done <text>',
      'it was not and will not be carried out; name who confirmed this, 1 to 200 characters',
    );
  uses(settle, {
    run: (context, { done, notDone }: Outcome, key: string) => {
      if ((done === undefined) === (notDone === undefined))
        throw invalidParameters([
          { parameter: '--done', message: 'or --not-done is needed, and only one of them' },
        ]);
      const [as, name] =
        done === undefined ? (['NOT_DONE', '--not-done'] as const) : (['DONE', '--done'] as const);
      const evidence = { name, value: done ?? notDone ?? '' };
      return settleOrder(context, { key, as, evidence }, checksOf(context));
    },
    json: shown,
    text: (_settled, { done }, key) => `${key} is settled as ${done === undefined ? 'not ' : ''}done`,
  });
  return order;
}

function shown({ accountId, placedAtMs, sentAtMs, ...order }: PixOrder) {
  const { key, kind, amount, pspId, endToEndId, isDone } = order;
  return {
    ...{ key, kind, account: String(accountId), amount, pspId, endToEndId, isDone },
    placedAt: new Date(placedAtMs).toISOString(),
    sentAt: new Date(sentAtMs).toISOString(),
  };
}

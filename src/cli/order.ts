/** `crossramp order list|settle`. */
import { Command } from 'commander';
import { invalidParameters } from '../base/errors.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { ORDERS_MAX, openOrders, type SettledAs, settleOrder } from '../resolvers/inbound/settle-order.ts';
import type { PixOrder } from '../store/rails/pix-orders.ts';
import { answer, jsonOption, table } from './output.ts';
import { asPlatform } from './with-store.ts';

interface Options {
  readonly live?: boolean;
  readonly json?: boolean;
}

const HEADING = ['KEY', 'KIND', 'AMOUNT', 'PLACED', 'LEFT', 'ACCOUNT', 'AT THE PROVIDER'];

/** Orders to the provider of PIX that it has not decided. */
export function orderCommand(): Command {
  const order = new Command('order').description(
    'Shows orders to the PIX provider that it has not decided, and settles one by hand.',
  );
  withMode(order.command('list'))
    .description(`Lists the oldest ${ORDERS_MAX} orders that the provider has not decided.`)
    .action(list);
  withMode(order.command('settle'))
    .description(
      'Settles an order by hand when the provider cannot tell its outcome. The provider is asked once more before. Give --done or --not-done.',
    )
    .argument('<key>', 'key of the order')
    .option('--done <id>', 'it was carried out: EndToEndId of the payout, or rtrId of the return')
    .option(
      '--not-done <text>',
      'it was not and will not be carried out; name who confirmed this, 1 to 200 characters',
    )
    .action(settle);
  return order;
}

async function list(options: Options): Promise<void> {
  const orders = await asPlatform(options, (context) =>
    openOrders(context, { name: 'limit', value: ORDERS_MAX }),
  );
  const shown = orders.map(shownOf);
  const rows = shown.map((row) => [
    row.key,
    row.kind,
    row.amount,
    row.placedAt,
    row.sentAt,
    row.account,
    row.pspId,
  ]);
  answer(options, shown, rows.length === 0 ? 'none is open' : table([HEADING, ...rows], [2]));
}

async function settle(
  key: string,
  { done, notDone, ...options }: Options & { done?: string; notDone?: string },
): Promise<void> {
  if ((done === undefined) === (notDone === undefined))
    throw invalidParameters([
      { parameter: '--done', message: 'or --not-done is needed, and only one of them' },
    ]);
  const as: SettledAs = done === undefined ? 'NOT_DONE' : 'DONE';
  const evidence = { name: done === undefined ? '--not-done' : '--done', value: done ?? notDone ?? '' };
  const settled = await asPlatform(options, (context) =>
    settleOrder(context, { key, as, evidence }, checksOf(context)),
  );
  answer(options, shownOf(settled), `${key} is settled as ${done === undefined ? 'not ' : ''}done`);
}

function shownOf({
  key,
  kind,
  accountId,
  amount,
  pspId,
  endToEndId,
  isDone,
  placedAtMs,
  sentAtMs,
}: PixOrder) {
  return {
    key,
    kind,
    account: String(accountId),
    amount,
    pspId,
    endToEndId,
    isDone,
    placedAt: new Date(placedAtMs).toISOString(),
    sentAt: new Date(sentAtMs).toISOString(),
  };
}

function withMode(command: Command): Command {
  return command
    .option('--live', 'work on live accounts (default: sandbox accounts)')
    .addOption(jsonOption());
}

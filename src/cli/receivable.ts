/** `crossramp receivable list|settle`: receivables from account holders. */
import { Command, Option } from 'commander';
import { currencyOfLedger } from '../base/money/currency.ts';
import { fromMinor } from '../base/money/money.ts';
import { type ReceivableSource, settleReceivable } from '../resolvers/ledger/book-house.ts';
import { listReceivables } from '../resolvers/ledger/list-receivables.ts';
import { columnsText, limitOption, uses } from './command.ts';
import { type Keyed, named, onceAs } from './once-as.ts';
import { platformOption, withAmount } from './output.ts';

interface Settlement extends Keyed {
  readonly account: string;
  readonly source: ReceivableSource;
  readonly currency: string;
  readonly amount: string;
}

/** Receivables from account holders after lost disputes and dropped deposits. */
export function receivableCommand(): Command {
  const receivable = new Command('receivable').description(
    'Lists and settles receivables from account holders after lost disputes and dropped deposits.',
  );
  const list = receivable
    .command('list')
    .description('Lists receivables, by account and currency.')
    .addOption(platformOption())
    .addOption(limitOption('entries', 1_000, 100));
  uses(list, {
    run: async (context, { limit }: { limit: number }) => {
      const { rows, total } = await listReceivables(context, { limit, isBackward: false });
      const receivables = rows.map(({ accountId, accountName, currency, amountMinor }) => ({
        ...{ account: String(accountId), accountName, currency },
        amount: fromMinor(amountMinor, currencyOfLedger(currency).decimals),
      }));
      return { total: Number(total), receivables };
    },
    text: ({ total, receivables }) => {
      const columns = {
        ACCOUNT: 'account',
        OWED: 'amount',
        CURRENCY: 'currency',
        NAME: 'accountName',
      } as const;
      return receivables.length === 0
        ? 'nothing is owed'
        : `${columnsText(receivables, columns, ['ACCOUNT', 'OWED'])}\n\n${receivables.length} of ${total}`;
    },
  });
  const settle = receivable
    .command('settle')
    .description('Settles a receivable from an account holder, or a part of it.')
    .requiredOption('--account <id>', 'id of the account, or "sandbox"')
    .addOption(
      new Option('--source <source>', 'what settles it: the balance of the account, or capital of the house')
        .choices(['balance', 'capital'] satisfies ReceivableSource[])
        .makeOptionMandatory(),
    );
  uses(withAmount(settle), {
    run: (context, { idempotencyKey, ...options }: Settlement) => {
      const { account, source, currency, amount } = options;
      const body = { account, live: false, how: source, currency, amount };
      return onceAs(context, 'receivable.settle', { idempotencyKey, body }, (attempt, checks) =>
        settleReceivable(context, named(options, 'currency', 'amount'), source, attempt, checks),
      );
    },
    text: ({ amount, currency, journalId }) => `${amount} ${currency} booked (journal ${journalId})`,
  });
  return receivable;
}

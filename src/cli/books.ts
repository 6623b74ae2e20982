/** `crossramp receivable list|settle` and `crossramp capital book`: the operator's books. */
import { Command, InvalidArgumentError, Option } from 'commander';
import type { ActName } from '../base/acts.ts';
import { currencyOfLedger } from '../base/currency.ts';
import { fromMinor } from '../base/money.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { type Attempt, once } from '../resolvers/checks/once.ts';
import {
  type Booking,
  type BookingInput,
  bookCapital,
  type CapitalDirection,
  type ReceivableSource,
  settleReceivable,
} from '../resolvers/ledger/book-house.ts';
import { listReceivables } from '../resolvers/ledger/list-receivables.ts';
import { type Context, requireAct } from '../resolvers/services/context.ts';
import { accountNamed, accountOrPlatform, answer, jsonOption, table } from './output.ts';
import { operatorContext, withServices } from './with-store.ts';

interface ListOptions {
  readonly live?: boolean;
  readonly limit: number;
  readonly json?: boolean;
}

interface BookOptions {
  readonly currency: string;
  readonly amount: string;
  readonly idempotencyKey?: string;
  readonly json?: boolean;
}

const LIMIT_MAX = 1_000;
const HEADING = ['ACCOUNT', 'OWED', 'CURRENCY', 'NAME'];

/** What account holders owe the house after lost disputes and dropped deposits. */
export function receivableCommand(): Command {
  const receivable = new Command('receivable').description(
    'Lists and settles what account holders owe the house after lost disputes and dropped deposits.',
  );
  receivable
    .command('list')
    .description('Lists what is owed, by account and currency.')
    .option('--live', 'work on live accounts (default: sandbox accounts)')
    .option('--limit <number>', `number of entries to show, 1 to ${LIMIT_MAX}`, parseLimit, 100)
    .addOption(jsonOption())
    .action(list);
  withAmount(
    receivable
      .command('settle')
      .description('Settles what an account holder owes, or a part of it.')
      .requiredOption('--account <id>', 'id of the account, or "sandbox"')
      .addOption(
        new Option(
          '--source <source>',
          'what settles it: the balance of the account, or capital of the house',
        )
          .choices(['balance', 'capital'] satisfies ReceivableSource[])
          .makeOptionMandatory(),
      ),
  ).action((options: BookOptions & { account: string; source: ReceivableSource }) =>
    book(options, { act: 'receivable.settle', ...options, how: options.source }, (context, input, attempt) =>
      settleReceivable(context, input, options.source, attempt, checksOf(context)),
    ),
  );
  return receivable;
}

/** Capital of the house. */
export function capitalCommand(): Command {
  const capital = new Command('capital').description('Books capital of the house.');
  withAmount(
    capital
      .command('book')
      .description('Books capital that comes in or goes out: BRL at the settlement bank, coins in custody.')
      .addOption(
        new Option('--direction <direction>', 'whether it comes in or goes out')
          .choices(['in', 'out'] satisfies CapitalDirection[])
          .makeOptionMandatory(),
      )
      .option('--live', 'work on live accounts (default: sandbox accounts)'),
  ).action((options: BookOptions & { direction: CapitalDirection; live?: boolean }) =>
    book(
      options,
      { act: 'capital.book', account: 'platform', live: options.live === true, how: options.direction },
      (context, input, attempt) => bookCapital(context, input, options.direction, attempt, checksOf(context)),
    ),
  );
  return capital;
}

function withAmount(command: Command): Command {
  return command
    .requiredOption(
      '--currency <code>',
      'raw code, display name, or an asset that exists on one network only',
    )
    .requiredOption('--amount <decimal>', 'above zero, with no more decimals than the currency has')
    .option('--idempotency-key <key>', 'the same command with the same key books once; kept for 24 hours')
    .addOption(jsonOption());
}

async function list({ live, limit, ...options }: ListOptions): Promise<void> {
  const { rows, total } = await withServices(async (services) => {
    const platform = await accountOrPlatform(services.database, { account: 'platform', live: live ?? false });
    return listReceivables(await operatorContext(services, platform), { limit, isBackward: false });
  });
  const shown = rows.map(({ accountId, accountName, currency, amountMinor }) => ({
    account: String(accountId),
    accountName,
    currency,
    amount: fromMinor(amountMinor, currencyOfLedger(currency).decimals),
  }));
  const lines = shown.map(({ account, accountName, currency, amount }) => [
    account,
    amount,
    currency,
    accountName,
  ]);
  answer(
    options,
    { total: Number(total), receivables: shown },
    shown.length === 0
      ? 'nothing is owed'
      : `${table([HEADING, ...lines], [0, 1])}\n\n${shown.length} of ${total}`,
  );
}

interface Act {
  readonly act: ActName;
  readonly account: string;
  readonly live?: boolean;
  /** What besides currency and amount tells two commands apart. */
  readonly how: string;
}

/** Books once under the key of the command, where it has one. */
async function book(
  { currency, amount, idempotencyKey, ...options }: BookOptions,
  { act, account, live = false, how }: Act,
  work: (context: Context, input: BookingInput, attempt: Attempt) => Promise<Booking>,
): Promise<void> {
  const input = {
    currency: { name: '--currency', value: currency },
    amount: { name: '--amount', value: amount },
  };
  const booking: Booking = await withServices(async (services) => {
    const context = await operatorContext(
      services,
      account === 'platform'
        ? await accountOrPlatform(services.database, { account, live })
        : await accountNamed(services.database, account),
    );
    requireAct(context, act);
    const request = {
      key: idempotencyKey,
      parameter: '--idempotency-key',
      route: `crossramp ${act}`,
      body: JSON.stringify({ account, live, how, currency, amount }),
    };
    const done = await once(context, request, async (attempt) => ({
      status: 200,
      answer: JSON.stringify(await work(context, input, attempt)),
    }));
    return JSON.parse(done.answer);
  });
  answer(options, booking, `${booking.amount} ${booking.currency} booked (journal ${booking.journalId})`);
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX)
    throw new InvalidArgumentError(`Expected a whole number from 1 to ${LIMIT_MAX}.`);
  return limit;
}

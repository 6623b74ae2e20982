/**
 * `crossramp treasury` and `crossramp books`: the house's position, the trial balance, profit and loss, and the close
 * of a day.
 */
import { Command } from 'commander';
import type { Named } from '../base/errors/violations.ts';
import { currencyOfLedger } from '../base/money/currency.ts';
import { HOLDERS } from '../ledger/chart.ts';
import { closeBooks, FIRST_CLOSE_DAYS, readCloses } from '../resolvers/ledger/close-books.ts';
import {
  type BookKind,
  type PeriodInput,
  profitAndLoss,
  readTreasury,
  trialBalance,
} from '../resolvers/ledger/read-books.ts';
import type { Context } from '../resolvers/services/context.ts';
import { type Cell, CSV_FORMS, csvLine } from '../wire/csv.ts';
import { columnsText, limitOption, uses } from './command.ts';
import { type Keyed, onceAs } from './once-as.ts';
import { answer, jsonOption, platformOption, table } from './output.ts';
import { asPlatform } from './with-store.ts';

/** Value of a currency without a rate. */
const NOT_VALUED = 'not valued';
const CLOSES_MAX = 400;

interface PeriodOptions {
  readonly account?: string;
  readonly live?: boolean;
  readonly json?: boolean;
  readonly from?: string;
  readonly to?: string;
  readonly csv?: boolean;
}

/** Current assets, receivables and earnings of the house. */
export function treasuryCommand(): Command {
  const treasury = withFilter(new Command('treasury')).description(
    'Shows assets, liabilities and current earnings of the house, by kind of ledger account and currency.',
  );
  uses(treasury, {
    on: asPlatform,
    run: (context, { account }: PeriodOptions) => readTreasury(context, named('--account', account)),
    json: (lines) => ({ lines }),
    text: (lines) => {
      const rows = lines.map((line) => [...kindOf(line), line.balance, line.calculatedBrl ?? NOT_VALUED]);
      const heading = ['ACCOUNT', 'CURRENCY', 'BALANCE', 'BRL'];
      return rows.length === 0 ? 'the books are empty' : table([heading, ...rows], [2, 3]);
    },
  });
  return treasury;
}

/** The books of a period, and the close of a day. */
export function booksCommand(): Command {
  const books = new Command('books').description('Shows the books of a period, and closes days.');
  shows(
    books
      .command('trial-balance')
      .description('Shows balances before a period, debits, credits and balances after it.'),
    trialBalance,
    ['ACCOUNT', 'CURRENCY', 'OPENING', 'DEBITS', 'CREDITS', 'CLOSING'],
    ({ lines }) =>
      lines.map((line) => [...kindOf(line), line.opening, line.debits, line.credits, line.closing]),
  );
  shows(
    books
      .command('profit-and-loss')
      .description(
        'Shows earnings and costs of the house in a period, and the currencies that it bought and sold.',
      ),
    profitAndLoss,
    ['ACCOUNT', 'CURRENCY', 'AMOUNT', 'BRL'],
    ({ lines, net, position }) => {
      const amounts = (name: string, all: typeof net) =>
        all.map(({ currency, amount }) => [name, displayName(currency), amount, '']);
      const of = lines.map((line) => [...kindOf(line), line.amount, line.calculatedBrl ?? NOT_VALUED]);
      return [...of, ...amounts('net', net), ...amounts('position', position)];
    },
  );
  addClose(books);
  const closes = books
    .command('closes')
    .addOption(platformOption())
    .description('Lists the days that are closed, the newest first.')
    .addOption(limitOption('days', CLOSES_MAX, 31));
  uses(closes, {
    run: async (context, { limit }: { limit: number }) => {
      const { rows } = await readCloses(context, { limit, below: null, above: null, isBackward: false });
      return rows.map(({ id: _, ...close }) => close);
    },
    json: (days) => ({ closes: days }),
    text: (days) => {
      const columns = { DAY: 'day', MOVED: 'ledgerAccounts', BY: 'closedBy', HASH: 'hash' } as const;
      return days.length === 0 ? 'no day is closed' : columnsText(days, columns, ['MOVED']);
    },
  });
  return books;
}

function addClose(books: Command): void {
  const close = books
    .command('close')
    .addOption(platformOption())
    .description('Closes the books of a day in Brasília: no journal can be added to that day any more.')
    .requiredOption('--day <day>', 'YYYY-MM-DD: the day after the last that is closed')
    .option('--begin', `start with this day, even if it is more than ${FIRST_CLOSE_DAYS} days ago`)
    .option('--idempotency-key <key>', 'the same command with the same key closes once; kept for 24 hours');
  uses(close, {
    run: (context, options: Keyed & { day: string; begin?: boolean }) => {
      const { day, begin = false, live = false, idempotencyKey } = options;
      const body = { day, live, ...(begin && { begin }) };
      return onceAs(context, 'books.close', { idempotencyKey, body }, (attempt) =>
        closeBooks(context, { name: '--day', value: day }, { name: '--begin', value: begin }, attempt),
      );
    },
    text: ({ day, ledgerAccounts, hash }) =>
      `${day} is closed: ${ledgerAccounts} ledger accounts moved, hash ${hash}`,
  });
}

function withFilter(command: Command): Command {
  return command
    .option('--account <id>', 'only this account (default: all accounts)')
    .addOption(platformOption());
}

/** Gives a command a period, and prints the books of it as a table, as JSON or as CSV. */
function shows<Books extends { readonly from: string; readonly to: string }>(
  command: Command,
  read: (context: Context, period: PeriodInput) => Promise<Books>,
  heading: readonly string[],
  rowsOf: (books: Books) => readonly (readonly string[])[],
): void {
  withFilter(command)
    .addOption(jsonOption())
    .option('--from <day>', 'first day in Brasília, YYYY-MM-DD (default: first day of the month of --to)')
    .option('--to <day>', 'last day in Brasília, YYYY-MM-DD (default: today)')
    .option('--csv', 'answer as CSV')
    .action(async (options: PeriodOptions) => {
      const { from, to, account } = options;
      const period = {
        from: named('--from', from),
        to: named('--to', to),
        account: named('--account', account),
      };
      const found = await asPlatform(options, (context) => read(context, period));
      const rows = [heading, ...rowsOf(found)];
      const shown = rows.length === 1 ? 'nothing moved' : table(rows, [2, 3, 4, 5]);
      const csv = () => rows.map((row) => csvLine(CSV_FORMS.en, row.map(cellOf)).trimEnd()).join('\n');
      if (options.csv) answer({}, found, csv());
      else answer(options, found, `${found.from} to ${found.to}\n${shown}`);
    });
}

/** Amounts stay numbers, also negative ones. */
function cellOf(text: string): Cell {
  return /^-?\d+(\.\d+)?$/.test(text) ? { amount: text } : text;
}

function kindOf({ house, currency }: BookKind): string[] {
  return [house ?? HOLDERS, displayName(currency)];
}

function displayName(currency: string): string {
  return currencyOfLedger(currency).displayName;
}

function named(name: string, value: string | undefined): Named | undefined {
  return value === undefined ? undefined : { name, value };
}

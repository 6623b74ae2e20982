/** `crossramp treasury` and `crossramp books`: what the house has, the trial balance, profit and loss, and the close of a day. */
import { Command, InvalidArgumentError } from 'commander';
import { currencyOfLedger } from '../base/currency.ts';
import type { Named } from '../base/violations.ts';
import { once } from '../resolvers/checks/once.ts';
import { CLOSES_MAX, closeBooks, FIRST_CLOSE_DAYS, listBookCloses } from '../resolvers/ledger/close-books.ts';
import {
  type BookKind,
  type PeriodInput,
  profitAndLoss,
  readTreasury,
  trialBalance,
} from '../resolvers/ledger/read-books.ts';
import { requireAct } from '../resolvers/services/context.ts';
import type { BookClose } from '../store/ledger/book-closes.ts';
import { type Cell, CSV_FORMS, csvLine } from '../wire/csv.ts';
import { answer, jsonOption, table } from './output.ts';
import { asPlatform } from './with-store.ts';

/** Of a currency without a rate. */
const NOT_VALUED = 'not valued';

interface Options {
  readonly account?: string;
  readonly live?: boolean;
  readonly json?: boolean;
}

interface PeriodOptions extends Options {
  readonly from?: string;
  readonly to?: string;
  readonly csv?: boolean;
}

const HOLDERS = 'account holders';

/** What the house has, owes and earned, now. */
export function treasuryCommand(): Command {
  return withAccount(new Command('treasury'))
    .description('Shows what the house has, owes and earned now, by kind of ledger account and currency.')
    .action(async ({ account, ...options }: Options) => {
      const lines = await asPlatform(options, (context) =>
        readTreasury(context, named('--account', account)),
      );
      const rows = lines.map((line) => [...kindOf(line), line.balance, line.calculatedBrl ?? NOT_VALUED]);
      const shown =
        lines.length === 0
          ? 'the books are empty'
          : table([['ACCOUNT', 'CURRENCY', 'BALANCE', 'BRL'], ...rows], [2, 3]);
      answer(options, { lines }, shown);
    });
}

/** The books of a period, and the close of a day. */
export function booksCommand(): Command {
  const books = new Command('books').description('Shows the books of a period, and closes days.');
  withPeriod(books.command('trial-balance'))
    .description('Shows balances before a period, debits, credits and balances after it.')
    .action(async (options: PeriodOptions) => {
      const trial = await asPlatform(options, (context) => trialBalance(context, periodOf(options)));
      const rows = trial.lines.map((line) => [
        ...kindOf(line),
        line.opening,
        line.debits,
        line.credits,
        line.closing,
      ]);
      show(options, trial, [['ACCOUNT', 'CURRENCY', 'OPENING', 'DEBITS', 'CREDITS', 'CLOSING'], ...rows]);
    });
  withPeriod(books.command('profit-and-loss'))
    .description('Shows what the house earned and spent in a period, and what it bought and sold.')
    .action(async (options: PeriodOptions) => {
      const result = await asPlatform(options, (context) => profitAndLoss(context, periodOf(options)));
      const amounts = (name: string, all: typeof result.net) =>
        all.map(({ currency, amount }) => [name, displayName(currency), amount, '']);
      const rows = [
        ...result.lines.map((line) => [...kindOf(line), line.amount, line.calculatedBrl ?? NOT_VALUED]),
        ...amounts('net', result.net),
        ...amounts('position', result.position),
      ];
      show(options, result, [['ACCOUNT', 'CURRENCY', 'AMOUNT', 'BRL'], ...rows]);
    });
  withMode(books.command('close'))
    .description('Closes the books of a day in Brasília: no journal can be added to that day any more.')
    .requiredOption('--day <day>', 'YYYY-MM-DD: the day after the last that is closed')
    .option('--begin', `start with this day, even if it is more than ${FIRST_CLOSE_DAYS} days ago`)
    .option('--idempotency-key <key>', 'the same command with the same key closes once; kept for 24 hours')
    .action(close);
  withMode(books.command('closes'))
    .description('Lists the days that are closed, the newest first.')
    .option('--limit <number>', `number of days to show, 1 to ${CLOSES_MAX}`, parseLimit, 31)
    .action(async ({ limit, ...options }: Options & { limit: number }) => {
      const closes = await asPlatform(options, (context) =>
        listBookCloses(context, { first: { name: '--limit', value: limit }, before: undefined }),
      );
      const rows = closes.map(({ day, ledgerAccounts, closedBy, hash }) => [
        day,
        String(ledgerAccounts),
        closedBy,
        hash,
      ]);
      const shown = table([['DAY', 'MOVED', 'BY', 'HASH'], ...rows], [1]);
      answer(options, { closes }, rows.length === 0 ? 'no day is closed' : shown);
    });
  return books;
}

async function close({
  day,
  begin = false,
  idempotencyKey,
  ...options
}: Options & { day: string; begin?: boolean; idempotencyKey?: string }): Promise<void> {
  const closed: BookClose = await asPlatform(options, async (context) => {
    requireAct(context, 'books.close');
    const request = {
      key: idempotencyKey,
      parameter: '--idempotency-key',
      route: 'crossramp books.close',
      body: JSON.stringify({ day, live: options.live === true, ...(begin && { begin }) }),
    };
    const done = await once(context, request, async (attempt) => ({
      status: 200,
      answer: JSON.stringify(
        await closeBooks(context, { name: '--day', value: day }, { name: '--begin', value: begin }, attempt),
      ),
    }));
    return JSON.parse(done.answer);
  });
  answer(
    options,
    closed,
    `${closed.day} is closed: ${closed.ledgerAccounts} ledger accounts moved, hash ${closed.hash}`,
  );
}

function withMode(command: Command): Command {
  return command
    .option('--live', 'work on live accounts (default: sandbox accounts)')
    .addOption(jsonOption());
}

function withAccount(command: Command): Command {
  return withMode(command.option('--account <id>', 'only this account (default: all accounts)'));
}

function withPeriod(command: Command): Command {
  return withAccount(command)
    .option('--from <day>', 'first day in Brasília, YYYY-MM-DD (default: first day of the month of --to)')
    .option('--to <day>', 'last day in Brasília, YYYY-MM-DD (default: today)')
    .option('--csv', 'answer as CSV');
}

function periodOf({ from, to, account }: PeriodOptions): PeriodInput {
  return { from: named('--from', from), to: named('--to', to), account: named('--account', account) };
}

function show(
  options: PeriodOptions,
  value: { readonly from: string; readonly to: string },
  rows: readonly (readonly string[])[],
): void {
  const shown = rows.length === 1 ? 'nothing moved' : table(rows, [2, 3, 4, 5]);
  const csv = rows.map((row) => csvLine(CSV_FORMS.en, row.map(cellOf)).trimEnd()).join('\n');
  if (options.csv) answer({}, value, csv);
  else answer(options, value, `${value.from} to ${value.to}\n${shown}`);
}

/** Amounts stay numbers, also those below zero. */
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

function parseLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > CLOSES_MAX)
    throw new InvalidArgumentError(`Expected a whole number from 1 to ${CLOSES_MAX}.`);
  return limit;
}

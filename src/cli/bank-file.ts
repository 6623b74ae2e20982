/** `crossramp reconcile --file`: options for the form of the file, and the output of the command. */
import { createReadStream } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { known } from '../base/errors/assert.ts';
import type { BankFileSummary, ShownMovement } from '../resolvers/reconciliation/bank-entries.ts';
import { isOpen, readReconciliation } from '../resolvers/reconciliation/reconcile.ts';
import { previewFile, reconcileFile } from '../resolvers/reconciliation/reconcile-file.ts';
import { BANK_FORM_NAMES, type BankFormName } from '../wire/bank/bank-forms.ts';
import {
  type BankForm,
  COLUMN_MEMBERS,
  type ColumnMember,
  DATE_ORDERS,
  DEFAULT_FORM,
  SIGN_RULES,
  SKIP_REASONS,
} from '../wire/bank/bank-row.ts';
import { answer, table, writePart } from './output.ts';
import { reportText } from './reconciliation-text.ts';
import { asPlatform } from './with-store.ts';

/** Options of the form of a file. */
export interface BankFileOptions {
  readonly bank?: BankFormName;
  readonly columns?: BankForm['columns'];
  readonly bankAccount?: string;
  readonly decimalMark?: ',' | '.';
  readonly dates?: BankForm['dates'];
  readonly signs?: BankForm['signs'];
  readonly skip?: readonly string[];
  readonly preview?: boolean;
  readonly live?: boolean;
  readonly json?: boolean;
}

/**
 * Keeps garbage small: a long file would let the young generation grow by 100 MB, and the old one far beyond what is used
 * (decision 0090).
 */
const SMALL_HEAP = '--semi-space-growth-factor=1 --heap-growing-percent=25';
const COLUMN = /^([a-z]+)=(.+)$/;

/** Adds the options of the form of a file. */
export function bankFileOptions(command: Command): Command {
  return command
    .option(
      '--preview',
      'with --file: print what is read (movements, sums, skipped rows) and compare and store nothing',
    )
    .addOption(
      new Option('--bank <bank>', 'form of the CSV files of a bank; other options count first').choices(
        BANK_FORM_NAMES,
      ),
    )
    .option(
      '--columns <names>',
      `columns of a CSV file: date=Data,credit=Crédito,debit=Débito, or date=#1,amount=#3 in a file without a heading; members are ${COLUMN_MEMBERS.join(', ')}`,
      parseColumns,
    )
    .option('--bank-account <account>', 'read only this account of the file, such as 12345-6')
    .addOption(
      new Option('--decimal-mark <mark>', 'decimal mark of amounts (default: as each amount has it)').choices(
        [',', '.'],
      ),
    )
    .addOption(
      new Option('--dates <order>', 'order of the numbers of a day in CSV')
        .choices(DATE_ORDERS)
        .default(DEFAULT_FORM.dates),
    )
    .addOption(
      new Option(
        '--signs <rule>',
        'amounts whose sign is against their type (DEBIT, D): checked refuses the file, type makes unsigned debits negative, amount ignores the type',
      )
        .choices(SIGN_RULES)
        .default(DEFAULT_FORM.signs),
    )
    .option('--skip <words...>', 'skip rows whose text begins with one of these');
}

/** Prints the reports of a file; a file that was read before prints its former reports. */
export async function fileReports(options: BankFileOptions, path: string): Promise<void> {
  setFlagsFromString(SMALL_HEAP);
  const { bank, columns = {}, bankAccount = null, decimalMark = null } = options;
  const { dates = DEFAULT_FORM.dates, signs = DEFAULT_FORM.signs, skip = [] } = options;
  const pairs = { columns, account: bankAccount, decimalMark, dates, signs, skip };
  const form: BankForm = bank === undefined ? pairs : { ...pairs, bank };
  const file = { parameter: '--file', bytes: () => createReadStream(path), form };
  if (options.preview) {
    const read = await asPlatform(options, (context) => previewFile(context, file));
    return answer(options, { file: read }, summaryText(read));
  }
  await asPlatform(options, async (context) => {
    const { file: read, reportIds } = await reconcileFile(context, file);
    await writePart(options.json ? `{"file":${JSON.stringify(read)},"reports":[` : `${summaryText(read)}\n`);
    for (const [index, id] of reportIds.entries()) {
      const report = known(await readReconciliation(context, id), 'a report that was just stored');
      const json = () => `${index > 0 ? ',' : ''}${JSON.stringify({ ...report, isOpen: isOpen(report) })}`;
      await writePart(options.json ? json() : `${reportText(report)}\n`);
      if (isOpen(report)) process.exitCode = 1;
    }
    if (options.json) await writePart(']}\n');
  });
}

function parseColumns(text: string): BankForm['columns'] {
  const pairs = text.split(',').map((each) => {
    const [, member = '', name = ''] = COLUMN.exec(each.trim()) ?? [];
    if (!isMember(member))
      throw new InvalidArgumentError(
        `Expected members of ${COLUMN_MEMBERS.join(', ')}, such as date=Data,amount=Valor,text=Histórico.`,
      );
    return [member, name] as const;
  });
  const columns = Object.fromEntries(pairs);
  const names = Object.values(columns);
  if (names.length < pairs.length || new Set(names).size < names.length)
    throw new InvalidArgumentError('Expected each member and each column once.');
  const numbers = names.filter((name) => /^#[1-9]\d{0,2}$/.test(name)).length;
  if (
    numbers > 0 &&
    (numbers < names.length || !columns.date || !(columns.amount ?? columns.credit ?? columns.debit))
  )
    throw new InvalidArgumentError('Expected numbers for all columns, date and amount among them.');
  return columns;
}

function isMember(text: string): text is ColumnMember {
  return (COLUMN_MEMBERS as readonly string[]).includes(text);
}

function summaryText(read: BankFileSummary): string {
  const { account, movements, incoming, outgoing, first, last, skipped, skippedRows } = read;
  const { comparedBalances, balanceDifferences } = read;
  const head = `${movements} movements of ${account ?? 'an account that the file does not name'}: BRL ${incoming} in, ${outgoing} out`;
  const ends = [first, last].flatMap((each) => (each ? [shownCells(each)] : []));
  const rows = skippedRows.map(({ place: position, why, text }) => [position, SKIP_REASONS[why], text]);
  return [
    head,
    table(
      [
        ['', 'PLACE', 'DAY', 'AMOUNT', 'ID', 'TEXT'],
        ...ends.map((cells, at) => [at === 0 ? 'first' : 'last', ...cells]),
      ],
      [3],
    ),
    comparedBalances > 0 &&
      `${comparedBalances} balances compared with the movements, ${balanceDifferences.length} of them differ`,
    balanceDifferences.length > 0 &&
      table(
        [
          ['PLACE', 'DAY', 'BALANCE', 'BY MOVEMENTS'],
          ...balanceDifferences.map(({ place: position, day, balance, calculated }) => [
            position,
            day ?? '',
            balance,
            calculated,
          ]),
        ],
        [2, 3],
      ),
    skipped > 0 &&
      `${skipped} rows skipped${skipped > rows.length ? `, of which these are the first ${rows.length}` : ''}`,
    rows.length > 0 && table([['PLACE', 'WHY', 'TEXT'], ...rows]),
  ]
    .filter(Boolean)
    .join('\n');
}

function shownCells({ place: position, day, amount, id, text }: ShownMovement): string[] {
  return [position, day, amount, id, text];
}

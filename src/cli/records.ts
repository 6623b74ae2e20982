/** `crossramp records`: what authorities ask to be recorded of transactions, of a month and all accounts. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { parseDay } from '../base/instant.ts';
import { exportRecordsOf, type Wanted } from '../resolvers/account/export-records.ts';
import { listAccounts } from '../store/account/accounts.ts';
import { writePart } from './output.ts';
import { operatorContext, withServices } from './with-store.ts';

const FORMATS = {
  csv: { format: 'csv', language: 'en' },
  'csv-pt': { format: 'csv', language: 'pt' },
  jsonl: { format: 'jsonl', language: 'en' },
} as const satisfies Readonly<Record<string, Omit<Wanted, 'month'>>>;

interface Options {
  readonly month: string;
  readonly format: keyof typeof FORMATS;
  readonly live?: boolean;
  readonly json?: boolean;
}

/** The command `records`. */
export function recordsCommand(): Command {
  return new Command('records')
    .description(
      'Writes the facts that are recorded for authorities about the transactions of a month, of all accounts, to standard output. The output is data, not an official file.',
    )
    .requiredOption('--month <month>', 'YYYY-MM, of days in UTC', parseMonth)
    .addOption(
      new Option('--format <format>', 'how it is written').choices(Object.keys(FORMATS)).default('csv'),
    )
    .option('--live', 'work on live accounts (default: sandbox accounts)')
    .option('--json', 'the same as --format jsonl')
    .action(write);
}

async function write({ month, format, json = false, live = false }: Options): Promise<void> {
  await withServices(async (services) => {
    const mode = live ? 'live' : 'sandbox';
    const accounts = (await listAccounts(services.database)).filter((each) => each.mode === mode);
    const contexts = await Promise.all(accounts.map(({ id }) => operatorContext(services, id)));
    const wanted = { month, ...FORMATS[json ? 'jsonl' : format] };
    for await (const part of exportRecordsOf(contexts, services.registry, wanted)) await writePart(part);
  });
}

function parseMonth(text: string): string {
  const day = parseDay(`${text}-01`);
  if (day === undefined) throw new InvalidArgumentError('A month is YYYY-MM, such as 2026-11.');
  return text;
}

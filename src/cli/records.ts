/** `crossramp records`: facts for authorities about the transactions that were completed in a month, of all accounts. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { parseDay } from '../base/time/instant.ts';
import { BRASILIA, ZONES, type Zone } from '../base/time/zone.ts';
import { exportRecordsOf, type Wanted } from '../resolvers/exports/export-records.ts';
import { listAccounts } from '../store/account/accounts.ts';
import { writePart } from './output.ts';
import { operatorContext, withServices } from './with-store.ts';

const FORMATS = {
  csv: { format: 'csv', language: 'en' },
  'csv-pt': { format: 'csv', language: 'pt' },
  jsonl: { format: 'jsonl', language: 'en' },
} as const satisfies Readonly<Record<string, Omit<Wanted, 'month' | 'zone'>>>;

interface Options {
  readonly month: string;
  readonly zone: Zone;
  readonly format: keyof typeof FORMATS;
  readonly live?: boolean;
  readonly json?: boolean;
}

/** The command `records`. */
export function recordsCommand(): Command {
  return new Command('records')
    .description(
      'Writes facts for authorities about the transactions of all accounts that were completed in a month to standard output. The output is data, not an official file.',
    )
    .requiredOption('--month <month>', 'YYYY-MM', parseMonth)
    .addOption(
      new Option('--format <format>', 'how it is written').choices(Object.keys(FORMATS)).default('csv'),
    )
    .addOption(new Option('--zone <zone>', 'zone of the month and of times').choices(ZONES).default(BRASILIA))
    .option('--live', 'work on live accounts (default: sandbox accounts)')
    .option('--json', 'the same as --format jsonl')
    .action(write);
}

async function write({ month, zone, format, json = false, live = false }: Options): Promise<void> {
  await withServices(async (services) => {
    const mode = live ? 'live' : 'sandbox';
    const accounts = (await listAccounts(services.database)).filter((each) => each.mode === mode);
    const contexts = await Promise.all(accounts.map(({ id }) => operatorContext(services, id)));
    const wanted = { month, zone, ...FORMATS[json ? 'jsonl' : format] };
    for await (const part of exportRecordsOf(contexts, services.registry, wanted)) await writePart(part);
  });
}

function parseMonth(text: string): string {
  const day = parseDay(`${text}-01`);
  if (day === undefined) throw new InvalidArgumentError('A month is YYYY-MM, such as 2026-11.');
  return text;
}

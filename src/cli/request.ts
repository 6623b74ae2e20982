/** `crossramp request list`: what an account's keys, people and payers asked, and how it was answered. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { isoMillis } from '../base/instant.ts';
import { readRequestLog } from '../resolvers/account/read-requests.ts';
import { accountOrPlatform, answer, jsonOption, table } from './output.ts';
import { operatorContext, withServices } from './with-store.ts';

interface ListOptions {
  readonly account: string;
  readonly live?: boolean;
  readonly statusClass?: string;
  readonly actor?: string;
  readonly request?: string;
  readonly transaction?: string;
  readonly limit: number;
  readonly json?: boolean;
}

const LIMIT_MAX = 1_000;

/** The request log. */
export function requestCommand(): Command {
  const request = new Command('request').description('Reads the request log of an account.');
  request
    .command('list')
    .description('Lists the newest requests of the last days (REQUEST_LOG_DAYS).')
    .addOption(
      new Option(
        '--account <id>',
        'id of the account, "sandbox", or "platform" for keys of the operator',
      ).default('sandbox'),
    )
    .option('--live', 'with --account platform: the platform of live accounts')
    .addOption(
      new Option('--status-class <digit>', 'only statuses with this first digit: 4 for 400 to 499').choices([
        '2',
        '3',
        '4',
        '5',
      ]),
    )
    .option('--actor <id>', 'only requests of this key or person')
    .option('--request <id>', 'only the request with this X-Request-Id')
    .option('--transaction <end2end>', 'only requests about this transaction')
    .option('--limit <number>', `number of requests to show, 1 to ${LIMIT_MAX}`, parseLimit, 20)
    .addOption(jsonOption())
    .action(list);
  return request;
}

async function list(options: ListOptions): Promise<void> {
  const entries = await withServices(async (services) => {
    const context = await operatorContext(services, await accountOrPlatform(services.database, options));
    const input = {
      actorId: options.actor,
      requestId: options.request,
      end2end: options.transaction,
      statusClass: options.statusClass === undefined ? undefined : Number(options.statusClass),
    };
    const slice = { after: null, before: null, isNewestFirst: true, limit: options.limit };
    return (await readRequestLog(context, input, slice)).entries;
  });
  const shown = entries.map(({ id: _id, ...entry }) => ({ ...entry, at: isoMillis(entry.at) }));
  const rows = shown.map((entry) => [
    entry.at,
    `${entry.method} ${entry.route}`,
    entry.operation ?? '',
    String(entry.status),
    String(entry.durationMs),
    `${entry.actorKind} ${entry.actorName ?? entry.actorId}`,
    entry.errorCode ?? '',
    entry.requestId,
  ]);
  const heading = ['AT', 'ROUTE', 'OPERATION', 'STATUS', 'MS', 'BY', 'ERROR', 'REQUEST'];
  answer(options, shown, rows.length === 0 ? 'no requests' : table([heading, ...rows], [3, 4]));
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX)
    throw new InvalidArgumentError(`Expected a whole number from 1 to ${LIMIT_MAX}.`);
  return limit;
}

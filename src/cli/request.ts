/** `crossramp request list`: requests of an account's keys, people and payers, and their responses. */
import { Command, Option } from 'commander';
import { isoMillis } from '../base/time/instant.ts';
import { readRequestLog } from '../resolvers/audit/read-requests.ts';
import { limitOption, lists } from './command.ts';
import { LIVE_HOLDER } from './output.ts';
import { asHolder } from './with-store.ts';

interface Options {
  readonly statusClass?: string;
  readonly actor?: string;
  readonly request?: string;
  readonly transaction?: string;
  readonly limit: number;
}

/** The request log. */
export function requestCommand(): Command {
  const request = new Command('request').description('Reads the request log of an account.');
  const list = request
    .command('list')
    .description('Lists the newest requests of the last days (REQUEST_LOG_DAYS).')
    .option(
      '--account <id>',
      'id of the account, "sandbox", or "platform" for keys of the operator',
      'sandbox',
    )
    .option('--live', LIVE_HOLDER)
    .addOption(
      new Option('--status-class <digit>', 'only statuses with this first digit: 4 for 400 to 499').choices([
        ...'2345',
      ]),
    )
    .option('--actor <id>', 'only requests of this key or person')
    .option('--request <id>', 'only the request with this X-Request-Id')
    .option('--transaction <end2end>', 'only requests about this transaction')
    .addOption(limitOption('requests', 1_000, 20));
  lists(list, {
    on: asHolder,
    run: async (context, { statusClass, actor, request: id, transaction, limit }: Options) => {
      const input = {
        ...{ actorId: actor, requestId: id, end2end: transaction },
        statusClass: statusClass === undefined ? undefined : Number(statusClass),
      };
      const slice = { after: null, before: null, isNewestFirst: true, limit };
      return (await readRequestLog(context, input, slice)).entries;
    },
    row: ({ id: _id, ...entry }) => ({ ...entry, at: isoMillis(entry.at) }),
    columns: {
      AT: 'at',
      ROUTE: ({ method, route }) => `${method} ${route}`,
      ...{ OPERATION: 'operation', STATUS: 'status', MS: 'durationMs' },
      BY: ({ actorKind, actorName, actorId }) => `${actorKind} ${actorName ?? actorId}`,
      ...{ ERROR: 'errorCode', REQUEST: 'requestId' },
    },
    right: ['STATUS', 'MS'],
    none: 'no requests',
  });
  return request;
}

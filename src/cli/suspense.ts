/** `crossramp suspense list|assign|return`. */
import { Command, Option } from 'commander';
import { currencyOfLedger } from '../base/currency.ts';
import { isoMillis } from '../base/instant.ts';
import { fromMinor } from '../base/money.ts';
import { assignSuspense, returnSuspense } from '../resolvers/inbound/decide-suspense.ts';
import { listSuspense } from '../resolvers/inbound/list-suspense.ts';
import { maskNews } from '../resolvers/inbound/mask-news.ts';
import type { Context } from '../resolvers/services/context.ts';
import { type SuspenseRow, type SuspenseState, whatBecameOf } from '../store/engine/suspense.ts';
import { answer, jsonOption, liveOption, modeAccountOption, revealOption, table } from './output.ts';
import { asOperator } from './webhook.ts';

interface Options {
  readonly account: string;
  readonly live?: boolean;
  readonly reveal?: boolean;
  readonly json?: boolean;
}

const LIMIT = 100;
const STATES: readonly SuspenseState[] = ['open', 'assigned', 'returning', 'returned', 'dropped'];
const HEADING = ['ID', 'OPENED', 'ACCOUNT', 'AMOUNT', 'CURRENCY', 'REASON', 'STATE', 'TRANSACTION'];

/** Money that came and that no transaction took. */
export function suspenseCommand(): Command {
  const suspense = new Command('suspense').description(
    'Lists money that arrived and that no transaction took, and assigns or returns it.',
  );
  suspense
    .command('list')
    .description(`Lists the newest ${LIMIT} entries of all sandbox or all live accounts.`)
    .addOption(new Option('--state <state>', 'only entries in this state').choices(STATES))
    .addOption(modeAccountOption())
    .addOption(liveOption())
    .addOption(revealOption())
    .addOption(jsonOption())
    .action(list);
  suspense
    .command('assign')
    .description('Credits the money of an entry to the balance of an account.')
    .argument('<id>', 'id of the entry')
    .requiredOption('--account <id>', 'the account that gets it: its id, or "sandbox"')
    .addOption(revealOption())
    .addOption(jsonOption())
    .action((id: string, options: Options) =>
      decide(options, (context) => assignSuspense(context, id, String(context.caller.accountId))),
    );
  suspense
    .command('return')
    .description('Sends the money of an entry back to where it came from.')
    .argument('<id>', 'id of the entry')
    .addOption(modeAccountOption())
    .addOption(liveOption())
    .addOption(revealOption())
    .addOption(jsonOption())
    .action((id: string, options: Options) => decide(options, (context) => returnSuspense(context, id)));
  return suspense;
}

async function list(options: Options & { state?: SuspenseState }): Promise<void> {
  const slice = { limit: LIMIT, below: null, above: null, isBackward: false };
  const { rows } = await asOperator(options, (context) =>
    listSuspense(context, options.state ?? null, slice),
  );
  const lines = rows.map((row) => [
    String(row.id),
    isoMillis(row.openedAt),
    String(row.accountId),
    amountOf(row),
    row.currency,
    row.reason,
    row.state,
    row.end2end ?? '',
  ]);
  answer(
    options,
    rows.map((row) => shown(row, options)),
    rows.length === 0 ? 'nothing' : table([HEADING, ...lines], [3]),
  );
}

async function decide(options: Options, work: (context: Context) => Promise<SuspenseRow>): Promise<void> {
  const row = await asOperator(options, work);
  answer(options, shown(row, options), `suspense entry ${row.id} ${whatBecameOf(row)}`);
}

function amountOf({ amountMinor, currency }: SuspenseRow): string {
  return fromMinor(amountMinor, currencyOfLedger(currency).decimals);
}

function shown(row: SuspenseRow, { reveal }: Options) {
  const { amountMinor, id, accountId, transactionId, assignedTo, openedAt, decidedAt, news, ...rest } = row;
  return {
    id: String(id),
    account: String(accountId),
    amount: amountOf(row),
    assignedTo: assignedTo === null ? null : String(assignedTo),
    openedAt: isoMillis(openedAt),
    decidedAt: decidedAt && isoMillis(decidedAt),
    ...rest,
    news: reveal ? news : maskNews(news),
  };
}

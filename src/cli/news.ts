/** `crossramp news list|retry|close`. */
import { Command, Option } from 'commander';
import { isoMillis } from '../base/instant.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { closeNewsByHand, retryNewsNow } from '../resolvers/inbound/decide-news.ts';
import { listNews } from '../resolvers/inbound/list-news.ts';
import { maskNews } from '../resolvers/inbound/mask-news.ts';
import type { AnyOutcome } from '../store/engine/news.ts';
import { LISTED_NEWS_STATES, type ListedNews, type ListedNewsState } from '../store/engine/news-list.ts';
import { answer, jsonOption, liveOption, modeAccountOption, revealOption, table } from './output.ts';
import { asOperator } from './webhook.ts';

interface Options {
  readonly account: string;
  readonly live?: boolean;
  readonly state?: ListedNewsState;
  readonly reveal?: boolean;
  readonly json?: boolean;
}

const LIMIT = 100;
/** What became of news, to follow its id. */
const OUTCOMES: Readonly<Record<AnyOutcome, string>> = {
  step: 'was taken by its transaction',
  suspense: 'is booked in suspense',
  noted: 'is noted: nothing had to be done',
  pending: 'could not be settled, and is tried again',
  failed: 'could not be settled, and is not tried again',
  closed: 'is closed',
};
const HEADING = ['ID', 'SEEN', 'KIND', 'STATE', 'TRIES', 'NEXT TRY', 'ACCOUNT', 'TRANSACTION', 'LAST ERROR'];

/** What rails told. */
export function newsCommand(): Command {
  const news = new Command('news').description(
    'Lists reports of rails that are not settled or need a look, and retries or closes them.',
  );
  news
    .command('list')
    .description(
      `Lists the newest ${LIMIT} unsettled messages of rails and fraud reports, of sandbox or live accounts.`,
    )
    .addOption(
      new Option('--state <state>', 'only news in this state').choices(Object.keys(LISTED_NEWS_STATES)),
    )
    .addOption(modeAccountOption())
    .addOption(liveOption())
    .addOption(revealOption())
    .addOption(jsonOption())
    .action(list);
  news
    .command('retry')
    .description('Processes an unsettled message of a rail again now.')
    .argument('<id>', 'id of the news')
    .addOption(modeAccountOption())
    .addOption(liveOption())
    .addOption(jsonOption())
    .action(retry);
  news
    .command('close')
    .description(
      'Closes news that needs no further action: it is not tried again. News of money that came cannot be closed.',
    )
    .argument('<id>', 'id of the news')
    .requiredOption('--reason <text>', 'why it needs no further action; 1 to 200 characters')
    .addOption(modeAccountOption())
    .addOption(liveOption())
    .addOption(revealOption())
    .addOption(jsonOption())
    .action(close);
  return news;
}

async function retry(id: string, options: Options): Promise<void> {
  const outcome = await asOperator(options, (context) => retryNewsNow(context, id));
  answer(options, { id, outcome }, `news ${id} ${OUTCOMES[outcome]}`);
}

async function close(id: string, { reason, ...options }: Options & { reason: string }): Promise<void> {
  const closed = await asOperator(options, (context) =>
    closeNewsByHand(context, id, { name: '--reason', value: reason }, checksOf(context)),
  );
  answer(options, shown(closed, options), `news ${id} is closed`);
}

async function list(options: Options): Promise<void> {
  const slice = { limit: LIMIT, below: null, above: null, isBackward: false };
  const { rows } = await asOperator(options, (context) => listNews(context, options.state ?? null, slice));
  const lines = rows.map((row) => [
    String(row.id),
    isoMillis(row.seenAt),
    row.kind,
    row.state,
    String(row.attempts),
    row.dueAt ? isoMillis(row.dueAt) : '',
    String(row.accountId ?? ''),
    row.end2end ?? '',
    row.lastError ?? '',
  ]);
  answer(
    options,
    rows.map((row) => shown(row, options)),
    rows.length === 0 ? 'nothing' : table([HEADING, ...lines], [4]),
  );
}

function shown(row: ListedNews, { reveal }: Options) {
  const { id, accountId, dueAt, seenAt, attempts, body, closedAt, ...rest } = row;
  return {
    id: String(id),
    ...rest,
    tries: attempts,
    account: accountId === null ? null : String(accountId),
    nextTryAt: dueAt && isoMillis(dueAt),
    seenAt: isoMillis(seenAt),
    closedAt: closedAt && isoMillis(closedAt),
    news: reveal ? body : maskNews(body),
  };
}

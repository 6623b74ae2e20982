/** `crossramp news list`. */
import { Command, Option } from 'commander';
import { isoMillis } from '../base/instant.ts';
import { listNews } from '../resolvers/inbound/list-news.ts';
import { maskNews } from '../resolvers/inbound/mask-news.ts';
import { LISTED_NEWS_STATES, type ListedNews, type ListedNewsState } from '../store/engine/news-list.ts';
import { answer, jsonOption, readAccountOption, revealOption, table } from './output.ts';
import { asOperator } from './webhook.ts';

interface Options {
  readonly account: string;
  readonly state?: ListedNewsState;
  readonly reveal?: boolean;
  readonly json?: boolean;
}

const LIMIT = 100;
const HEADING = ['ID', 'SEEN', 'KIND', 'STATE', 'TRIES', 'NEXT TRY', 'ACCOUNT', 'TRANSACTION', 'LAST ERROR'];

/** What rails told. */
export function newsCommand(): Command {
  const news = new Command('news').description('Shows what rails told and what is to be looked at.');
  news
    .command('list')
    .description(
      `Lists the newest ${LIMIT} that are not settled, or report fraud, of the mode of the account.`,
    )
    .addOption(
      new Option('--state <state>', 'only news in this state').choices(Object.keys(LISTED_NEWS_STATES)),
    )
    .addOption(readAccountOption())
    .addOption(revealOption())
    .addOption(jsonOption())
    .action(list);
  return news;
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

function shown({ id, accountId, dueAt, seenAt, attempts, body, ...rest }: ListedNews, { reveal }: Options) {
  return {
    id: String(id),
    ...rest,
    tries: attempts,
    account: accountId === null ? null : String(accountId),
    nextTryAt: dueAt && isoMillis(dueAt),
    seenAt: isoMillis(seenAt),
    news: reveal ? body : maskNews(body),
  };
}

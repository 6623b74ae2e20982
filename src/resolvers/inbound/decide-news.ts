/** The operator's decisions about unsettled rail events: retry, or close by hand with a reason (C-34). */

import { known } from '../../base/errors/assert.ts';
import { GatewayError, notFound } from '../../base/errors/errors.ts';
import type { Named } from '../../base/errors/violations.ts';
import type { Instant } from '../../base/time/instant.ts';
import { platformAccount } from '../../store/account/accounts.ts';
import type { Tx } from '../../store/connection/database.ts';
import { type Author, appendAudit, auditEntry } from '../../store/engine/audit.ts';
import { type AnyOutcome, closeNews, tryNewsAgain } from '../../store/engine/news.ts';
import { type FoundNews, findNews } from '../../store/engine/news-list.ts';
import type { CreationChecks } from '../checks/check-creation.ts';
import { type Attempt, UNKEYED } from '../checks/once.ts';
import { authorOf, type Context, requireAct } from '../services/context.ts';
import { withAccounts } from '../services/lock-accounts.ts';
import type { News } from '../services/news.ts';
import { moneyOf } from './rail-events.ts';

const ID = /^[1-9]\d{0,17}$/;

/**
 * Retries a rail event now. If it still cannot be settled, its count of attempts restarts.
 *
 * @returns the event with its outcome.
 * @throws {GatewayError} `FORBIDDEN`; `NOT_FOUND`; `STEP_CONFLICT` unless it is not settled.
 */
export async function retryNewsNow(
  context: Context,
  id: string,
  attempt: Attempt = UNKEYED,
): Promise<AnyOutcome> {
  requireAct(context, 'news.retry');
  const news = await findOwnNews(context, id);
  if (attempt.made !== null) return news.outcome;
  const author = authorOf(context, 'news.retry');
  await decide(context, news, { author, attempt, after: { state: 'pending' } }, (tx) =>
    tryNewsAgain(tx, news.id, context.database.nowMs()),
  );
  // A failure now is retried like that of any other event.
  await context.receive(news.body as News).catch(() => {});
  return (await findOwnNews(context, id)).outcome;
}

/**
 * Closes a rail event by hand: it is not retried, even when the rail sends it again. Events about money that arrived
 * cannot be closed.
 *
 * @param given - the reason, 1 to 200 characters.
 * @returns the event after it.
 * @throws {GatewayError} `INVALID_PARAMETER`, and as `retryNewsNow`; `STEP_CONFLICT` also for money that arrived.
 */
export async function closeNewsByHand(
  context: Context,
  id: string,
  given: Named,
  checks: CreationChecks,
  attempt: Attempt = UNKEYED,
): Promise<FoundNews> {
  requireAct(context, 'news.close');
  const checked = checks.reference(given);
  checks.refuse();
  const reason = known(checked, 'a reason');
  const news = await findOwnNews(context, id);
  if (attempt.made !== null) return news;
  if (moneyOf(news.body as News))
    throw new GatewayError(
      'STEP_CONFLICT',
      `news ${id} is about money that came, which must be booked: try it again`,
    );
  const author = authorOf(context, 'news.close');
  await decide(context, news, { author, attempt, after: { state: 'closed', reason } }, (tx, at) =>
    closeNews(tx, news.id, { reason, by: author.actorId, at }),
  );
  return findOwnNews(context, id);
}

/** @returns news of the caller's mode. @throws {GatewayError} `NOT_FOUND`. */
export async function findOwnNews({ database, mode }: Context, id: string): Promise<FoundNews> {
  const news = ID.test(id) ? await findNews(database, BigInt(id), mode) : undefined;
  if (!news) throw notFound();
  return news;
}

/** Decides under the lock of the account that the news is for, and writes to its audit log; to the platform's where the account is not known. */
async function decide(
  context: Context,
  { id, kind, accountId, attempts, lastError }: FoundNews,
  { author, attempt, after }: { readonly author: Author; readonly attempt: Attempt; readonly after: object },
  work: (tx: Tx, at: Instant) => Promise<boolean>,
): Promise<void> {
  const { database, mode } = context;
  const concerned = accountId ?? (await platformAccount(database, mode));
  await withAccounts(context, [concerned], async (tx, { heads, ...time }) => {
    const now = known(await findNews(tx, id, mode), 'news');
    if (!(await work(tx, time.at)))
      throw new GatewayError(
        'STEP_CONFLICT',
        `news ${id} is ${now.outcome === 'closed' ? 'closed' : 'settled'}`,
      );
    await attempt.bind(tx, String(id));
    const before = { state: now.outcome, kind, tries: attempts, lastError };
    const entry = auditEntry(author, { kind: 'rail_news', id: String(id) }, time, { before, after });
    for (const head of heads.values()) await appendAudit(tx, head, [entry]);
  });
}

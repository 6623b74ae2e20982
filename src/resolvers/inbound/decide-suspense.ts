/** What the operator decides about money in suspense: it is credited to an account, or goes back where it came from (C-34). */
import { assert } from '../../base/assert.ts';
import { BRL, currencyOfLedger } from '../../base/currency.ts';
import { returnIdOf } from '../../base/end-to-end-id.ts';
import { GatewayError, notFound } from '../../base/errors.ts';
import * as journals from '../../ledger/journals.ts';
import type { Journal } from '../../ledger/posting.ts';
import type { Tx } from '../../store/database.ts';
import { appendAudit, auditEntry } from '../../store/engine/audit.ts';
import { decideSuspense, findSuspense, type SuspenseRow, whatBecameOf } from '../../store/engine/suspense.ts';
import { postJournals } from '../../store/ledger/posting.ts';
import { holderMeant } from '../checks/act-on-account.ts';
import { type Attempt, UNKEYED } from '../checks/once.ts';
import { authorOf, type Context, requireAct } from '../services/context.ts';
import { withAccounts } from '../services/lock-accounts.ts';
import type { ArrivalNews } from '../services/news.ts';
import { orderReturn } from './return-suspense.ts';

/** Pause before the order of a return is placed again, if the first one failed. */
const AGAIN_MS = 2_000;
const ID = /^[1-9]\d{0,17}$/;

/**
 * Credits money in suspense to the balance of an account: the one that it lies with, or another of the same mode.
 *
 * @returns the entry after it.
 * @throws {GatewayError} `FORBIDDEN`; `NOT_FOUND` unless both exist in the key's mode; `STEP_CONFLICT` unless it is open.
 */
export async function assignSuspense(
  context: Context,
  id: string,
  accountId: string,
  attempt: Attempt = UNKEYED,
): Promise<SuspenseRow> {
  requireAct(context, 'suspense.assign');
  const entry = await findEntry(context, id);
  if (attempt.made !== null) return entry;
  const assignedTo = await holderMeant(context, accountId);
  const after = { state: 'assigned', assignedTo } as const;
  return decide(context, entry, { ...after, attempt }, (tx, at) => post(tx, entry, assignedTo, at));
}

/**
 * Sends money in suspense back to where it came from; the entry is `returning` until the rail says that it went, and open again if the rail refuses.
 *
 * @returns the entry after it.
 * @throws {GatewayError} as `assignSuspense`, also for a payout that came back; `LIMIT_EXCEEDED` when a deposit does not cover the network's fee.
 */
export async function returnSuspense(
  context: Context,
  id: string,
  attempt: Attempt = UNKEYED,
): Promise<SuspenseRow> {
  requireAct(context, 'suspense.return');
  const entry = await findEntry(context, id);
  if (attempt.made !== null) return entry;
  if ((entry.news as ArrivalNews).kind === 'payout_returned')
    throw new GatewayError('STEP_CONFLICT', 'a payout that came back cannot be sent back: assign it');
  const currency = currencyOfLedger(entry.currency);
  const isCovered =
    currency.code === BRL.code ||
    BigInt(entry.amountMinor) > (await context.rails.chain.networkFee(currency));
  if (!isCovered) throw new GatewayError('LIMIT_EXCEEDED', 'the deposit does not cover the network fee');
  const after = { state: 'returning', assignedTo: null } as const;
  const decided = await decide(context, entry, { ...after, attempt }, async () => {});
  // An order that does not get through is placed again when it is due, by the retries of news, which say so in the log.
  await orderReturn(context, decided).catch(() => {});
  return findEntry(context, id);
}

/** @returns an entry that there is, whoever asks: to the operator alone. @throws {GatewayError} `NOT_FOUND`. */
export async function findEntry({ database, mode }: Context, id: string): Promise<SuspenseRow> {
  const entry = ID.test(id) ? await findSuspense(database, BigInt(id), mode) : undefined;
  if (!entry) throw notFound();
  return entry;
}

/** Decides under the locks of both accounts, and writes to the audit log of each. */
async function decide(
  context: Context,
  { id, accountId, currency, amountMinor, news }: SuspenseRow,
  after: Pick<SuspenseRow, 'state' | 'assignedTo'> & { readonly attempt: Attempt },
  work: (tx: Tx, at: Date) => Promise<void>,
): Promise<SuspenseRow> {
  const { mode, notifier } = context;
  const act = after.state === 'assigned' ? 'suspense.assign' : 'suspense.return';
  const author = authorOf(context, act);
  const concerned = [accountId, ...(after.assignedTo === null ? [] : [after.assignedTo])];
  const decided = await withAccounts(context, concerned, async (tx, { heads, nowMs, at: decidedAt }) => {
    const at = new Date(nowMs);
    const now = await findSuspense(tx, id, mode);
    assert(now, 'an entry stays where it is');
    if (now.state !== 'open')
      throw new GatewayError('STEP_CONFLICT', `suspense entry ${id} ${whatBecameOf(now)}`);
    await work(tx, at);
    const { state, assignedTo } = after;
    const goesByPix = state === 'returning' && (news as ArrivalNews).kind === 'payment';
    const decision = {
      state,
      assignedTo,
      returnId: goesByPix
        ? returnIdOf({ ispb: context.rails.pix.ispb, at }, `suspense:${id}:${nowMs}`)
        : null,
      decidedBy: author.actorId,
      decidedAt,
      dueMs: after.state === 'returning' ? Date.now() + AGAIN_MS : null,
    };
    await decideSuspense(tx, id, decision);
    await after.attempt.bind(tx, String(id));
    const facts = {
      before: { state: now.state, currency, amountMinor },
      after: {
        state: after.state,
        ...(after.assignedTo !== null && { account: String(after.assignedTo) }),
      },
    };
    const object = { kind: 'suspense_entry', id: String(id) } as const;
    // Both the account that had the money and the one that got it have an entry; only the first names the other.
    for (const head of heads.values()) {
      const isFirst = head.accountId === accountId;
      const told = isFirst ? { ...facts, before: { ...facts.before, account: String(accountId) } } : facts;
      await appendAudit(tx, head, [auditEntry(author, object, decidedAt, told)]);
    }
    return { ...now, ...decision };
  });
  notifier.notify(concerned);
  return decided;
}

/** A journal never crosses account holders: what goes to another one goes over the clearing accounts of both. */
async function post(tx: Tx, entry: SuspenseRow, assignedTo: bigint, at: Date): Promise<void> {
  const { id, accountId, transactionId } = entry;
  const currency = currencyOfLedger(entry.currency);
  const amount = BigInt(entry.amountMinor);
  const isOwn = assignedTo === accountId;
  const posted: readonly (readonly [bigint, Journal])[] = isOwn
    ? [[accountId, journals.suspenseAssigned(currency, amount)]]
    : [
        [accountId, journals.suspenseGiven(currency, amount)],
        [assignedTo, journals.suspenseTaken(currency, amount)],
      ];
  const outcomes = await postJournals(
    tx,
    [...posted, [assignedTo, journals.depositKept(currency, amount)] as const].map(([holder, journal]) => ({
      accountId: holder,
      ref: `suspense:${id}:${journal.name}`,
      transactionId: holder === accountId ? transactionId : null,
      journal,
    })),
    at,
  );
  assert(
    outcomes.every(({ code }) => code === 'POSTED'),
    'what lies in suspense can be assigned',
  );
}

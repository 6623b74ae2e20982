/** The operator's decisions about money in suspense: credit to an account, or return to its origin (C-34). */
import { ACTIONS, type ActionName } from '../../base/access/actions.ts';
import { assert } from '../../base/errors/assert.ts';
import { GatewayError, notFound, overLimit } from '../../base/errors/errors.ts';
import type { Named } from '../../base/errors/violations.ts';
import { BRL, currencyOfLedger } from '../../base/money/currency.ts';
import { returnIdOf } from '../../base/pix/end-to-end-id.ts';
import { type Instant, instantOf } from '../../base/time/instant.ts';
import * as journals from '../../ledger/journals.ts';
import type { Journal } from '../../ledger/posting.ts';
import type { Tx } from '../../store/connection/database.ts';
import {
  decideSuspense,
  describeState,
  findSuspense,
  makeDueAgain,
  proposeSuspense,
  type SuspenseRow,
} from '../../store/engine/suspense.ts';
import { postJournals } from '../../store/ledger/posting.ts';
import { readDisputeState } from '../../store/rails/med-cases.ts';
import { audited, type WriteDown } from '../checks/audited.ts';
import type { CreationChecks } from '../checks/check-creation.ts';
import { holderMeant } from '../checks/context-on-account.ts';
import { type Attempt, UNKEYED } from '../checks/once.ts';
import { refuseSanctionedSender } from '../screening/screen-transaction.ts';
import { payerSubject } from '../screening/subjects.ts';
import { authorOf, type Context, requirePermission } from '../services/context.ts';
import type { ArrivalEvent } from '../services/rail-event.ts';
import type { ScreeningSubject } from '../services/rails.ts';
import { isSecondDecision } from '../settings/second-person.ts';
import { orderReturn } from './return-suspense.ts';

/** Pause before the order of a return is placed again, if the first one failed. */
const AGAIN_MS = 2_000;
const ID = /^[1-9]\d{0,17}$/;
/** A decision ends the proposal. */
const UNPROPOSED = { proposedTo: null, proposedBy: null } as const;

/**
 * Credits money in suspense to the balance of the account that it is booked for. Another account of the same mode is
 * proposed, and gets it when another person approves (C-25).
 *
 * @param input - the reason, 1 to 200 characters, for the audit log; likewise of the other decisions.
 * @returns the entry after it.
 * @throws {GatewayError} `FORBIDDEN`; `INVALID_PARAMETER`; `NOT_FOUND` unless both exist in the key's mode; `STEP_CONFLICT` unless
 *   it is open, for another account while one is proposed, where its sender is on a list of sanctions, and where a dispute holds or
 *   took it.
 */
export async function assignSuspense(
  context: Context,
  id: string,
  accountId: string,
  input: Named,
  checks: CreationChecks,
  attempt: Attempt = UNKEYED,
): Promise<SuspenseRow> {
  const action = 'suspense.assign';
  requirePermission(context, action);
  const reason = checks.reasonOf(input);
  const entry = await findEntry(context, id);
  if (attempt.made !== null) return entry;
  const wanted = await holderMeant(context, accountId);
  await refuseSanctionedSender(context, entry, senderOf(entry));
  if (wanted === entry.accountId)
    return underLock(context, entry, { action, reason, assignedTo: wanted, attempt }, (tx, now, time) =>
      creditNow(context, tx, now, { action, assignedTo: wanted }, time),
    );
  return underLock(context, entry, { action, reason, attempt }, async (tx, now) => {
    if (now.proposedTo !== null) throw conflict(now);
    return propose(context, tx, now, wanted);
  });
}

/**
 * Credits money in suspense to the account that another person proposed; once the access of that person has ended, the caller
 * becomes the proposer.
 *
 * @param accountId - account of the approved proposal: a newer proposal cannot slip in between the approver's reading and the
 * credit.
 * @returns the entry after it.
 * @throws {GatewayError} as `assignSuspense`; `FORBIDDEN` for the proposer and those who count as one maker with them (C-40);
 *   `STEP_CONFLICT` unless this account is proposed.
 */
export async function approveSuspense(
  context: Context,
  id: string,
  accountId: string,
  input: Named,
  checks: CreationChecks,
  attempt: Attempt = UNKEYED,
): Promise<SuspenseRow> {
  const action = 'suspense.approve';
  requirePermission(context, action);
  const reason = checks.reasonOf(input);
  const entry = await findEntry(context, id);
  if (attempt.made !== null) return entry;
  const assignedTo = await holderMeant(context, accountId);
  // The sender may have been listed after the proposal.
  await refuseSanctionedSender(context, entry, senderOf(entry));
  const decision = { action, reason, assignedTo, attempt } as const;
  return underLock(context, entry, decision, async (tx, now, time) => {
    if (now.proposedBy === null || now.proposedTo !== assignedTo) throw conflict(now);
    const { nowMs } = time;
    const both = { first: now.proposedBy, scope: ACTIONS[action].scope, nowMs } as const;
    const subject = 'money in suspense for another account';
    if (await isSecondDecision(context, tx, { ...both, subject }))
      return { ...(await creditNow(context, tx, now, decision, time)), maker: now.proposedBy };
    return propose(context, tx, now, assignedTo);
  });
}

/**
 * Rejects the account that was proposed for money in suspense. @throws as `approveSuspense`, but its proposer may reject it
 * as well.
 */
export async function rejectSuspense(
  context: Context,
  id: string,
  input: Named,
  checks: CreationChecks,
  attempt: Attempt = UNKEYED,
): Promise<SuspenseRow> {
  const action = 'suspense.reject';
  requirePermission(context, action);
  const reason = checks.reasonOf(input);
  const entry = await findEntry(context, id);
  if (attempt.made !== null) return entry;
  return underLock(context, entry, { action, reason, attempt }, async (tx, now) => {
    if (now.proposedTo === null) throw conflict(now);
    await proposeSuspense(tx, entry.id, UNPROPOSED);
    return { now: { ...now, ...UNPROPOSED }, after: { state: now.state }, maker: now.proposedBy };
  });
}

/**
 * Sends money in suspense back to its sender; the entry is `returning` until the rail reports that the money was sent, and
 * open again if the rail refuses. An entry whose order failed too often for automatic retries is ordered again, under the
 * same key.
 *
 * @returns the entry after it.
 * @throws {GatewayError} as `assignSuspense`, also for a payout that came back; `LIMIT_EXCEEDED` when a deposit does not
 * cover the network's fee.
 */
export async function returnSuspense(
  context: Context,
  id: string,
  input: Named,
  checks: CreationChecks,
  attempt: Attempt = UNKEYED,
): Promise<SuspenseRow> {
  const action = 'suspense.return';
  requirePermission(context, action);
  const reason = checks.reasonOf(input);
  const entry = await findEntry(context, id);
  if (attempt.made !== null) return entry;
  if ((entry.railEvent as ArrivalEvent).kind === 'payout_returned')
    throw new GatewayError('STEP_CONFLICT', 'a payout that came back cannot be sent back: assign it');
  const currency = currencyOfLedger(entry.currency);
  // The rail may have received the first order of a stuck entry: then the fee of that order counts.
  const isCovered =
    entry.isStuck ||
    currency.code === BRL.code ||
    BigInt(entry.amountMinor) > (await context.rails.chain.networkFee(currency));
  if (!isCovered) throw overLimit('the deposit does not cover the network fee', { kind: 'network_fee' });
  await refuseSanctionedSender(context, entry, senderOf(entry));
  const decided = await underLock(
    context,
    entry,
    { action, reason, attempt },
    async (tx, now, { nowMs, at }) => {
      const dueMs = context.database.nowMs() + AGAIN_MS;
      if (now.isStuck) {
        await makeDueAgain(tx, entry.id, dueMs);
        return { now: { ...now, isStuck: false }, after: { state: now.state } };
      }
      const date = new Date(nowMs);
      const isPix = (entry.railEvent as ArrivalEvent).kind === 'payment';
      const decision = {
        state: 'returning',
        assignedTo: null,
        returnId: isPix
          ? returnIdOf({ ispb: context.rails.pix.ispb, at: date }, `suspense:${entry.id}:${nowMs}`)
          : null,
        decidedBy: authorOf(context, action).actorId,
        decidedAt: at,
      } as const;
      await decideSuspense(tx, entry.id, { ...decision, dueMs });
      return { now: { ...now, ...decision, ...UNPROPOSED }, after: { state: decision.state } };
    },
  );
  // An order that does not get through is placed again when it is due, by the retries of rail events, which say so in the log.
  await orderReturn(context, decided).catch(() => {});
  return findEntry(context, id);
}

/** @returns the sender of money in suspense as far as the rail reports it; undefined for a payout that came back. */
function senderOf({ railEvent: event }: SuspenseRow): ScreeningSubject | undefined {
  const arrival = event as ArrivalEvent;
  if (arrival.kind === 'payout_returned') return undefined;
  if (arrival.kind !== 'payment') return { role: 'sender', address: arrival.from };
  return payerSubject(arrival.payerTaxId, arrival.payerName);
}

/** @returns an existing entry, without a check of the caller: for the operator alone. @throws {GatewayError} `NOT_FOUND`. */
export async function findEntry({ database, mode }: Context, id: string): Promise<SuspenseRow> {
  const entry = ID.test(id) ? await findSuspense(database, BigInt(id), mode) : undefined;
  if (!entry) throw notFound();
  return entry;
}

interface Decision {
  readonly action: ActionName;
  readonly reason: string;
  readonly attempt: Attempt;
  /** The account that gets it. */
  readonly assignedTo?: bigint;
}

/** Proposes an account for an open entry, under the locks. */
async function propose({ caller }: Context, tx: Tx, now: SuspenseRow, proposedTo: bigint): Promise<Decided> {
  const proposal = { proposedTo, proposedBy: caller.id };
  await proposeSuspense(tx, now.id, proposal);
  return { now: { ...now, ...proposal }, after: { state: now.state, proposed: String(proposedTo) } };
}

/** Credits an open entry, under the locks. */
async function creditNow(
  context: Context,
  tx: Tx,
  now: SuspenseRow,
  { action, assignedTo }: { readonly action: ActionName; readonly assignedTo: bigint },
  { nowMs, at }: Time,
): Promise<Decided> {
  await post(tx, now, assignedTo, new Date(nowMs));
  const decidedBy = authorOf(context, action).actorId;
  const decision = { state: 'assigned', assignedTo, returnId: null, decidedBy, decidedAt: at } as const;
  await decideSuspense(tx, now.id, { ...decision, dueMs: null });
  return {
    now: { ...now, ...decision, ...UNPROPOSED },
    after: { state: decision.state, account: String(assignedTo) },
  };
}

/** Time of a decision, read under the locks. */
interface Time {
  readonly nowMs: number;
  readonly at: Instant;
}

/** An entry after a decision, and what the audit log has of it. */
interface Decided {
  readonly now: SuspenseRow;
  readonly after: object;
  /** Author of the proposal that was approved or rejected. */
  readonly maker?: string | null;
}

type Work = (tx: Tx, now: SuspenseRow, time: Time) => Promise<Decided>;

/**
 * Changes an open entry, or one whose return is stuck, under the locks of both accounts and of the caller's, and writes to
 * the audit log of both.
 */
async function underLock(
  context: Context,
  { id, accountId, currency, amountMinor }: SuspenseRow,
  { action, reason, attempt, assignedTo = accountId }: Decision,
  work: Work,
): Promise<SuspenseRow> {
  const concerned = new Set([accountId, assignedTo]);
  const decide = async (tx: Tx, writeDown: WriteDown, nowMs: number) => {
    const before = await findSuspense(tx, id, context.mode);
    assert(before, 'a suspense entry is never deleted');
    const isOpen = before.state === 'open' || (action === 'suspense.return' && before.isStuck);
    if (!isOpen) throw conflict(before);
    if (action !== 'suspense.reject') await refuseDisputed(tx, context, before);
    const { now, after, maker = null } = await work(tx, before, { nowMs, at: instantOf(new Date(nowMs)) });
    await attempt.bind(tx, String(id));
    const { state, proposedTo } = before;
    const proposed = proposedTo !== null && { proposed: String(proposedTo) };
    const facts = {
      before: { state, currency, amountMinor, ...proposed },
      after: { ...after, reason },
      maker,
    };
    const object = { kind: 'suspense_entry', id: String(id) } as const;
    // Both the account that had the money and the one that got it have an entry; only the first names the other.
    for (const each of concerned) {
      const account = each === accountId && { account: String(accountId) };
      writeDown(action, object, { ...facts, before: { ...facts.before, ...account }, accounts: [each] });
    }
    return now;
  };
  const decided = await audited(context, decide, [...concerned]);
  context.notifier.notify([...concerned]);
  return decided;
}

/** Money that a dispute is about stays until the dispute is decided, and what it took is booked. */
async function refuseDisputed(tx: Tx, { mode }: Context, { id, railEvent }: SuspenseRow): Promise<void> {
  const event = railEvent as ArrivalEvent;
  if (event.kind !== 'payment') return;
  const state = await readDisputeState(tx, mode, event.endToEndId);
  if (state === undefined) return;
  const words =
    state === 'accepted'
      ? 'was taken back by a MED dispute that is not booked: retry its report'
      : 'is held by a MED dispute until it is decided';
  throw new GatewayError('STEP_CONFLICT', `suspense entry ${id} ${words}`);
}

function conflict(entry: SuspenseRow): GatewayError {
  return new GatewayError('STEP_CONFLICT', `suspense entry ${entry.id} ${describeState(entry)}`);
}

/** A journal never crosses account holders: a transfer to another one goes over the clearing accounts of both. */
async function post(tx: Tx, entry: SuspenseRow, assignedTo: bigint, at: Date): Promise<void> {
  const { id, accountId, transactionId } = entry;
  const currency = currencyOfLedger(entry.currency);
  const amount = BigInt(entry.amountMinor);
  const isOwn = assignedTo === accountId;
  const posted: readonly (readonly [bigint, Journal])[] = isOwn
    ? [[accountId, journals.suspenseAssigned(currency, amount)]]
    : [
        [accountId, journals.suspenseReleased(currency, amount)],
        [assignedTo, journals.suspenseReceived(currency, amount)],
      ];
  const outcomes = await postJournals(
    tx,
    [...posted, [assignedTo, journals.depositCredited(currency, amount)] as const].map(
      ([holder, journal]) => ({
        accountId: holder,
        ref: `suspense:${id}:${journal.name}`,
        transactionId: holder === accountId ? transactionId : null,
        journal,
      }),
    ),
    at,
  );
  assert(
    outcomes.every(({ code }) => code === 'POSTED'),
    'money in suspense can be assigned',
  );
}

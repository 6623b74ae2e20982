/**
 * Manual journals on house accounts: one person proposes one, another approves it, and only then it is posted. Proposal and
 * decision are in the audit logs of the platform and of the account.
 */
import { ACTIONS, type ActionName } from '../../base/access/actions.ts';
import { assert } from '../../base/errors/assert.ts';
import { GatewayError, notFound } from '../../base/errors/errors.ts';
import type { Named } from '../../base/errors/violations.ts';
import { currencyOfLedger } from '../../base/money/currency.ts';
import { MANUAL_ACCOUNTS } from '../../base/money/manual-accounts.ts';
import { fromMinor, toMinor } from '../../base/money/money.ts';
import { instantOf } from '../../base/time/instant.ts';
import type { HouseAccount } from '../../ledger/chart.ts';
import { credit, debit, journal } from '../../ledger/posting.ts';
import { readHolder } from '../../store/account/accounts.ts';
import type { Tx } from '../../store/connection/database.ts';
import type { AuditFacts } from '../../store/engine/audit.ts';
import {
  addManualJournal,
  decideManualJournal,
  findManualJournal,
  type ManualJournal,
  type ManualJournalState,
  type NewManualJournal,
  readManualJournals,
  replaceJournalMaker,
} from '../../store/ledger/manual-journals.ts';
import { postJournals } from '../../store/ledger/posting.ts';
import { audited } from '../checks/audited.ts';
import type { CreationChecks } from '../checks/check-creation.ts';
import type { Attempt } from '../checks/once.ts';
import { type Context, requirePermission, requireScope } from '../services/context.ts';
import { isSecondDecision } from '../settings/second-person.ts';

/** Maximum number of journals that are listed at once. */
export const MANUAL_JOURNALS_MAX = 100;

/** A proposal, as the caller wrote it. */
export interface ManualJournalInput {
  readonly account: Named;
  readonly debit: Named;
  readonly credit: Named;
  readonly currency: Named;
  readonly amount: Named;
  readonly reason: Named;
}

const ID = /^[1-9]\d{0,17}$/;

/**
 * Proposes a journal: it is posted when another person approves it.
 *
 * @throws {GatewayError} `FORBIDDEN`; `INVALID_PARAMETER`; `CURRENCY_AMBIGUOUS`; `NOT_FOUND` unless the account
 *   exists in the caller's mode.
 */
export async function proposeJournal(
  context: Context,
  input: ManualJournalInput,
  attempt: Attempt,
  checks: CreationChecks,
): Promise<ManualJournal> {
  requirePermission(context, 'journal.propose');
  const [from, to] = [houseAccount(input.debit, checks), houseAccount(input.credit, checks)];
  if (from && from === to)
    checks.add({ parameter: input.credit.name, message: `must be another account than ${input.debit.name}` });
  const currency = checks.oneCurrency(input.currency, { crypto: false });
  const amount = checks.amount(input.amount, currency);
  const reason = checks.reference(input.reason);
  checks.refuse();
  assert(from && to && currency && amount && reason, 'an accepted input is present');
  if (attempt.made !== null) return findOwnJournal(context, attempt.made);
  const accountId = await accountOf(context, input.account);
  const amountMinor = String(toMinor(amount, currency.decimals));
  const proposal = { name: 'manual', accountId, debit: from, credit: to, amountMinor, reason } as const;
  return storeProposal(context, 'journal.propose', { ...proposal, currency: currency.code }, attempt);
}

/** Stores a proposal by the caller, and binds the key to it. */
export function storeProposal(
  context: Context,
  action: 'journal.propose' | 'capital.book',
  proposal: Omit<NewManualJournal, 'maker' | 'madeAt'>,
  attempt: Attempt,
): Promise<ManualJournal> {
  const { accountId, debit: from, credit: to, currency, amountMinor, reason } = proposal;
  return written(context, action, accountId, async (tx, nowMs, writeDown) => {
    const by = { maker: context.caller.id, madeAt: instantOf(new Date(nowMs)) };
    const made = await addManualJournal(tx, context.mode, { ...proposal, ...by });
    await attempt.bind(tx, String(made.id));
    const amount = fromMinor(amountMinor, currencyOfLedger(currency).decimals);
    writeDown(made, { after: { debit: from, credit: to, currency, amount, reason } });
    return made;
  });
}

/**
 * Approves a proposal, which is posted now; once the access of its proposer has ended, the caller becomes the proposer.
 *
 * @throws {GatewayError} `FORBIDDEN` for the proposer and those who count as one maker with them (C-40), and for a
 *   person who is newer to the platform than its cooling time; `NOT_FOUND`; `STEP_CONFLICT` when it was decided before.
 */
export async function approveJournal(context: Context, id: string, attempt: Attempt): Promise<ManualJournal> {
  requirePermission(context, 'journal.approve');
  const proposal = await findOwnJournal(context, id);
  if (attempt.made !== null) return proposal;
  return decide(context, 'journal.approve', proposal, async (tx, now, nowMs) => {
    await attempt.bind(tx, id);
    const { scope } = ACTIONS['journal.approve'];
    const decision = { first: now.maker, scope, nowMs, subject: 'a journal' };
    return (await isSecondDecision(context, tx, decision)) ? post(tx, now, new Date(nowMs)) : 'taken_over';
  });
}

/**
 * Rejects a proposal; its maker may do so as well.
 *
 * @throws {GatewayError} `FORBIDDEN`; `NOT_FOUND`; `STEP_CONFLICT`.
 */
export async function rejectJournal(context: Context, id: string, attempt: Attempt): Promise<ManualJournal> {
  requirePermission(context, 'journal.reject');
  const proposal = await findOwnJournal(context, id);
  if (attempt.made !== null) return proposal;
  return decide(context, 'journal.reject', proposal, async (tx) => {
    await attempt.bind(tx, id);
    return null;
  });
}

/** @returns the newest first, at most `MANUAL_JOURNALS_MAX`. @throws {GatewayError} `FORBIDDEN`. */
export function listManualJournals(
  context: Context,
  state: ManualJournalState | undefined,
): Promise<readonly ManualJournal[]> {
  requireScope(context, 'platform:books');
  return readManualJournals(context.database, context.mode, { state, limit: MANUAL_JOURNALS_MAX });
}

function houseAccount(input: Named, checks: CreationChecks): HouseAccount | undefined {
  const found = MANUAL_ACCOUNTS.find((each) => each === input.value);
  if (found) return found;
  return checks.add({ parameter: input.name, message: `must be one of ${MANUAL_ACCOUNTS.join(', ')}` });
}

/** The platform's own account as well: the house has books there. */
async function accountOf({ database, mode }: Context, { value }: Named): Promise<bigint> {
  const holder = ID.test(value) ? await readHolder(database, BigInt(value)) : undefined;
  if (holder?.mode !== mode) throw notFound();
  return BigInt(value);
}

/** @returns the journal of this id in the caller's mode. @throws {GatewayError} `NOT_FOUND`. */
export async function findOwnJournal({ database, mode }: Context, id: string): Promise<ManualJournal> {
  const found = ID.test(id) ? await findManualJournal(database, BigInt(id), mode) : undefined;
  if (!found) throw notFound();
  return found;
}

type WriteDown = (made: ManualJournal, facts: AuditFacts, maker?: string | null) => void;

/** Works under the locks of the platform's account and of the account that is booked, and writes into the audit logs of both. */
async function written(
  context: Context,
  action: ActionName,
  accountId: bigint,
  work: (tx: Tx, nowMs: number, writeDown: WriteDown) => Promise<ManualJournal>,
): Promise<ManualJournal> {
  const { caller, notifier } = context;
  const accounts = new Set([caller.accountId, accountId]);
  const done = await audited(
    context,
    (tx, writeDown, nowMs) =>
      work(tx, nowMs, ({ id }, facts, maker = null) =>
        writeDown(action, { kind: 'manual_journal', id: String(id) }, { ...facts, maker, accounts }),
      ),
    [accountId],
  );
  notifier.notify([...accounts]);
  return done;
}

/** @param work - returns the id of the posted journal; null for a rejection; `taken_over` if the caller is the proposer now. */
function decide(
  context: Context,
  action: 'journal.approve' | 'journal.reject',
  { id, accountId }: ManualJournal,
  work: (tx: Tx, now: ManualJournal, nowMs: number) => Promise<bigint | null | 'taken_over'>,
): Promise<ManualJournal> {
  return written(context, action, accountId, async (tx, nowMs, writeDown) => {
    const at = instantOf(new Date(nowMs));
    const now = await findManualJournal(tx, id, context.mode);
    if (now?.state !== 'proposed') throw new GatewayError('STEP_CONFLICT', `journal ${id} is ${now?.state}`);
    const outcome = await work(tx, now, nowMs);
    const { id: by } = context.caller;
    const decided =
      outcome === 'taken_over'
        ? await replaceJournalMaker(tx, id, { maker: by, madeAt: at })
        : await decideManualJournal(tx, id, { decidedBy: by, decidedAt: at, journalId: outcome });
    assert(decided, 'no other decision happens under the lock');
    const facts = [now, decided].map((each) => ({
      state: each.state,
      ...(outcome === 'taken_over' && { maker: each.maker }),
    }));
    writeDown(decided, { before: facts[0], after: facts[1] }, outcome === 'taken_over' ? null : now.maker);
    return decided;
  });
}

async function post(
  tx: Tx,
  { id, name, accountId, debit: from, credit: to, currency: code, amountMinor }: ManualJournal,
  at: Date,
): Promise<bigint> {
  const currency = currencyOfLedger(code);
  const amount = BigInt(amountMinor);
  const request = {
    accountId,
    ref: `manual:${id}`,
    transactionId: null,
    journal: journal(name, debit(from, currency, amount), credit(to, currency, amount)),
  };
  const [posted] = await postJournals(tx, [request], at);
  assert(posted?.code === 'POSTED' && posted.journalId !== null, 'a journal under a new ref is posted');
  return posted.journalId;
}

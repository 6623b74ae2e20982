/**
 * A batch of the engine: its requests with what is planned for them, the journals of the plans, the rail events and the jobs that are
 * stored with them, and the audit entries of actions that make or move transactions.
 */
import type { AccountMode } from '../../base/access/account-mode.ts';
import { together } from '../../base/concurrency/together.ts';
import { assert } from '../../base/errors/assert.ts';
import { stepNameOf } from '../../base/ids/step-name.ts';
import type { Database, Tx } from '../../store/connection/database.ts';
import {
  type AuditEntry,
  type AuditRow,
  type AuditTime,
  type Author,
  auditEntry,
  chain,
} from '../../store/engine/audit.ts';
import { addHandedJobs, addJobs, endJobs, type Job, type NewJob } from '../../store/engine/jobs.ts';
import type { MoneyOutRow } from '../../store/engine/money-out.ts';
import type { Head } from '../../store/engine/processes.ts';
import {
  hastenRailEvents,
  type KnownRailEvent,
  readKnownRailEvents,
  type SettledRailEvent,
  storeRailEvents,
} from '../../store/engine/rail-events.ts';
import { postJournals } from '../../store/ledger/posting.ts';
import { isDepositFinal } from '../../templates/deposit-machine.ts';
import type { PixReturn, Process, ProcessRow } from '../../templates/facts.ts';
import { firstReleaser } from '../../templates/freezing.ts';
import type { PlannedStep } from '../../templates/machine.ts';
import { makerOf } from '../../templates/money-out.ts';
import { returnsOf } from '../../templates/returns.ts';
import type { Trigger } from '../../templates/triggers.ts';
import type { AdvanceRequest, AdvanceResult } from '../services/advance.ts';
import type { LocalDispatch } from '../services/local-dispatch.ts';

/** Outcome of a request in its batch. `PRICE_NEEDED`: the request changed nothing, and must be repeated with a price. */
export interface Outcome {
  readonly code: AdvanceResult['code'] | 'PRICE_NEEDED';
  readonly row: ProcessRow;
  readonly goesOn: boolean;
}

/** A request with its plan. */
export interface Item {
  readonly request: AdvanceRequest;
  /** The transaction before the batch. */
  readonly before: ProcessRow;
  /** And after it. */
  row: ProcessRow;
  code: Outcome['code'];
  steps: readonly PlannedStep[];
  /** Rail events that acted before, and may act again. */
  isRepeat?: boolean;
  /** Money that leaves by the request, or waits to leave (C-25). */
  outflow?: MoneyOutRow;
}

/** Replaces the plan by these steps. */
export function replaceSteps(item: Item, steps: readonly PlannedStep[]): void {
  item.steps = steps;
  item.row = (steps.at(-1) as PlannedStep).row;
  item.code = 'ADVANCED';
}

/** Changes facts of the process as the plan leaves them. */
export function note(item: Item, facts: Partial<Process>): void {
  item.row = { ...item.row, process: { ...(item.row.process as Process), ...facts } };
}

/** Drops the plan: the transaction stays as it is, and a new one is not created. */
export function refuse(item: Item, code: Outcome['code']): void {
  item.steps = [];
  item.code = code;
  if (!('create' in item.request.target)) item.row = item.before;
}

/** The account and the transaction that a settled rail event was for. */
export type Owner = Pick<KnownRailEvent, 'accountId' | 'transactionId'>;

/** @returns the key of the rail event of a request; undefined where it brings none. */
export function railEventKeyOf({ railEvent: event }: AdvanceRequest): string | undefined {
  return event && `${event.kind} ${event.key}`;
}

/** @returns the rail events of the batch that were settled before, by key; the accounts are locked. */
export async function readKnownEvents(
  tx: Tx,
  mode: AccountMode,
  items: readonly Item[],
): Promise<Map<string, Owner>> {
  const keys = items.flatMap(({ request: { railEvent: event } }) => (event ? [event] : []));
  const known = keys.length > 0 ? await readKnownRailEvents(tx, mode, keys) : [];
  return new Map(known.map((each) => [`${each.kind} ${each.key}`, each]));
}

/**
 * @returns whether a settled rail event may act again on its transaction: a deposit that was dropped can be seen once more, one that
 *   did not fit is offered again when it is final, and one that was dropped before it was final can be dropped after that.
 */
export function mayApplyAgain(owner: Owner, { request: { trigger }, row }: Item): boolean {
  const isOwn = owner.accountId === row.accountId && owner.transactionId === row.id;
  const isOfferedAgain =
    trigger.on === 'deposit_dropped' ? isDepositFinal(row) : trigger.on === 'deposit_seen';
  return isOwn && isOfferedAgain;
}

/** Stores the rail events of transactions that moved. After a dispute was opened or ended, waiting events of the transaction are due immediately. */
export async function storeBatchEvents(tx: Tx, moved: readonly Item[], nowMs: number): Promise<void> {
  const event = moved.flatMap(settledEvents);
  const stored = event.length > 0 ? await storeRailEvents(tx, event) : [];
  assert(stored.length === event.length, 'a new rail event is settled only in this batch');
  const awaited = moved.filter(({ request }) => request.trigger.on.startsWith('dispute_'));
  if (awaited.length > 0)
    await hastenRailEvents(
      tx,
      awaited.map(({ row }) => ({ accountId: row.accountId, transactionId: row.id })),
      nowMs,
    );
}

function settledEvents({ request: { railEvent: event }, row, isRepeat }: Item): SettledRailEvent[] {
  if (!event || isRepeat) return [];
  return [{ ...event, outcome: 'step', accountId: row.accountId, transactionId: row.id }];
}

/** Work after a batch. */
export interface StoredJobs {
  /** Jobs that the worker of this process begins. */
  readonly begun: readonly Job[];
  /** Transactions that have due jobs. */
  readonly due: ReadonlySet<string>;
  /** Whether there are due jobs that were not dispatched to a worker. */
  readonly hasJobs: boolean;
}

/**
 * Ends the jobs whose outcome the batch is, and stores the jobs that follow; dispatches the first due job of each
 * transaction.
 */
export async function storeJobs(
  tx: Tx,
  {
    localDispatch,
    worker,
    database,
  }: {
    readonly localDispatch: LocalDispatch;
    readonly worker: number | null;
    readonly database: Pick<Database, 'nowMs'>;
  },
  items: readonly Item[],
  nowMs: number,
): Promise<StoredJobs> {
  const ended = items.flatMap(({ request, code }) =>
    request.job && code !== 'PRICE_NEEDED' && code !== 'OUTDATED' ? [request.job] : [],
  );
  const jobs = items.filter(({ code }) => code === 'ADVANCED').flatMap(jobsOf);
  const dueJobs = jobs.filter(({ dueMs }) => dueMs <= nowMs);
  const due = new Set(dueJobs.map(({ accountId, transactionId }) => `${accountId}/${transactionId}`));
  const { receiver } = localDispatch;
  const lastFirst = dueJobs.toSorted((one, other) => one.dueMs - other.dueMs).toReversed();
  const firsts = new Map(lastFirst.map((job) => [`${job.accountId}/${job.transactionId}`, job] as const));
  const handed = new Set([...firsts.values()].slice(0, receiver?.room() ?? 0));
  const [areOthersDue, begun] = await together([
    ended.length > 0 && endJobs(tx, ended, nowMs),
    receiver && handed.size > 0
      ? addHandedJobs(tx, jobs, worker, { jobs: handed, holder: receiver.holder, nowMs: database.nowMs() })
      : addUnhandedJobs(tx, jobs, worker),
  ]);
  return { begun, due, hasJobs: areOthersDue || dueJobs.length > begun.length };
}

async function addUnhandedJobs(
  tx: Tx,
  jobs: readonly NewJob[],
  worker: number | null,
): Promise<readonly Job[]> {
  if (jobs.length > 0) await addJobs(tx, jobs, worker);
  return [];
}

/** Each job orders only the returns that its step added. */
function jobsOf({ before, row, steps }: Item): NewJob[] {
  return steps.flatMap(({ row: at, effects }, position) => {
    const known = (steps[position - 1]?.row ?? before).process?.returns ?? [];
    const added = at.process?.returns?.slice(known.length) ?? [];
    const returnIds = added.map(({ returnId }) => returnId);
    return effects.map(({ name, dueMs }) => ({
      accountId: row.accountId,
      transactionId: row.id,
      kind: name,
      payload: { sequence: at.process?.sequence, ...(returnIds.length > 0 && { returnIds }) },
      dueMs,
    }));
  });
}

/** A transaction with its planned steps. */
export interface Plan {
  readonly row: ProcessRow;
  readonly steps: readonly PlannedStep[];
}

/**
 * Posts the journals of all plans, in rounds. A round ends, for each plan, with the next step that the balance may not cover:
 * later steps are posted only after it is covered. Without such steps, and where they are the last, one round posts
 * everything.
 *
 * @param onInsufficient - called for a plan with a step that is not covered, with the steps that replace the plan (those
 *   before it, and its shortfall), or `refused`. The callback must change the plan.
 */
export async function postPlans<Each extends Plan>(
  tx: Tx,
  plans: readonly Each[],
  nowMs: number,
  onInsufficient: (plan: Each, steps: readonly PlannedStep[] | 'refused') => void,
): Promise<void> {
  let pending: Stretch<Each>[] = plans.map((plan) => ({ plan, from: 0, to: stretchEnd(plan, 0) }));
  while (pending.length > 0) {
    await postRound(tx, pending, nowMs, onInsufficient);
    pending = pending.flatMap(({ plan, to }) =>
      to < plan.steps.length ? [{ plan, from: to, to: stretchEnd(plan, to) }] : [],
    );
  }
}

/** Steps of a plan that are posted in one round. */
interface Stretch<Each> {
  readonly plan: Each;
  readonly from: number;
  readonly to: number;
}

function stretchEnd({ steps }: Plan, from: number): number {
  const uncertain = steps.findIndex(({ shortfall }, index) => index >= from && shortfall);
  return uncertain < 0 ? steps.length : uncertain + 1;
}

/** Position of a step in its transaction; unique among steps that post. */
function positionOf({ row, isMove, event }: PlannedStep): string {
  const { sequence, posted } = row.process ?? {};
  return isMove || event ? `${sequence}` : `${sequence}.${posted}`;
}

async function postRound<Each extends Plan>(
  tx: Tx,
  stretches: readonly Stretch<Each>[],
  nowMs: number,
  onInsufficient: (plan: Each, steps: readonly PlannedStep[] | 'refused') => void,
): Promise<void> {
  const posted = stretches.flatMap(({ plan, from, to }) =>
    plan.steps.slice(from, to).flatMap((step, position) =>
      step.journals.map((journal, n) => ({
        accountId: plan.row.accountId,
        // The colon distinguishes it from refs of earlier versions, which begin with the public id.
        ref: `:${plan.row.id}:${positionOf(step)}:${n}`,
        transactionId: plan.row.id,
        journal,
        plan,
        index: from + position,
      })),
    ),
  );
  if (posted.length === 0) return;
  const outcomes = await postJournals(tx, posted, new Date(nowMs));
  for (const [position, { code }] of outcomes.entries()) {
    if (code === 'POSTED') continue;
    const { plan, index, journal } = posted[position] as (typeof posted)[number];
    const shortfall = plan.steps[index]?.shortfall;
    assert(
      shortfall && code === 'INSUFFICIENT_BALANCE',
      `${journal.name} of ${plan.row.template} at ${stepNameOf(plan.row)} posts: ${code}`,
    );
    onInsufficient(plan, shortfall === 'refused' ? shortfall : [...plan.steps.slice(0, index), shortfall()]);
  }
}

/**
 * Appends the actions of a batch to the chains of their accounts, and updates the ends in `heads`. Moves by a rail or a
 * timer are not actions of a caller.
 *
 * @param at - the time of the batch: an action such as an approval may leave its transaction at its step, and keep the
 * time of the step.
 */
export function chainActions(moved: readonly Item[], heads: Map<bigint, Head>, at: AuditTime): AuditRow[] {
  const byAccount = new Map<bigint, AuditEntry[]>();
  for (const item of moved) {
    const { author } = item.request;
    if (!author) continue;
    const { accountId } = item.row;
    byAccount.set(accountId, [...(byAccount.get(accountId) ?? []), entryOf(author, item, at)]);
  }
  return [...byAccount].flatMap(([accountId, entries]) => {
    const { rows, end } = chain(heads.get(accountId) as Head, entries);
    heads.set(accountId, end);
    return rows;
  });
}

function entryOf(
  author: Author,
  { request: { target, trigger }, before, row }: Item,
  at: AuditTime,
): AuditEntry {
  const from = 'create' in target ? undefined : before;
  const { template, sourceAmount, sourceCurrency, targetAmount, targetCurrency } = row;
  const order = { template, sourceAmount, sourceCurrency, targetAmount, targetCurrency };
  const decided = { ...author, maker: decidedMaker(trigger, before) };
  return auditEntry(decided, { kind: 'transaction', id: row.end2end }, at, {
    ...(from && { before: { step: stepNameOf(from), ...otherReturns(from, row) } }),
    after: {
      step: stepNameOf(row),
      ...(from ? otherReturns(row, from) : order),
      ...resolutionOf(trigger),
      ...approvalOf(row),
      ...(trigger.on === 'requoted' && order),
    },
  });
}

/**
 * @param before - the transaction as it was read under the lock: another request may have waited there when the caller read it.
 * @returns the author of the request or of the first release that the action decides about; null for any other action.
 */
function decidedMaker(trigger: Trigger, before: ProcessRow): string | null {
  switch (trigger.on) {
    case 'approved':
    case 'rejected':
      return makerOf(before);
    case 'released':
      return (before.process && firstReleaser({ process: before.process, trigger })) ?? null;
    default:
      return null;
  }
}

/** @returns the returns of a transaction that are not in the other one. */
function otherReturns(row: ProcessRow, other: ProcessRow): object {
  const others = new Set(returnsOf(other.process ?? {}).map(textOf));
  const returns = returnsOf(row.process ?? {})
    .map(textOf)
    .filter((each) => !others.has(each));
  return returns.length > 0 ? { returns: returns.map((each) => JSON.parse(each)) } : {};
}

function textOf({ returnId, kind, amount, state, reference }: PixReturn): string {
  return JSON.stringify({ returnId, kind, amount, state, reference });
}

/** @returns the approval that money out waits for; empty without one. */
function approvalOf({ process }: ProcessRow): object {
  const { approval } = process ?? {};
  return approval ? { waits: { reason: approval.reason, needed: approval.needed, by: approval.by } } : {};
}

/** @returns the resolution and the return address of a held deposit; the reason of a person's decision. */
function resolutionOf(trigger: Trigger): object {
  switch (trigger.on) {
    case 'released':
    case 'hold_rejected':
    case 'step_up_approved':
    case 'step_up_denied':
    case 'refund_retried':
      return trigger.reason === undefined ? {} : { reason: trigger.reason };
    case 'kept':
      return { resolution: 'keep' };
    case 'refund_ordered':
      return { resolution: 'refund', address: trigger.address };
    case 'requoted':
      return { resolution: 'requote' };
    default:
      return {};
  }
}

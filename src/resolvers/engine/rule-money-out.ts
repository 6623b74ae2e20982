/**
 * The one rule for money that leaves an account (C-25). Every transition that its machine marks as money out of a ruled kind
 * passes `ruleMoneyOut`, under the account's lock and in the database transaction of the step. The rule checks the scope
 * `move`, the cooling time of the destination, the threshold of the day, and the ceilings of the hour over all kinds
 * together. A request above a limit waits: its trigger is stored with the transaction, and is applied once enough other
 * makers have approved it.
 */
import type { AccountMode } from '../../base/access/account-mode.ts';
import { assert, known } from '../../base/errors/assert.ts';
import { GatewayError } from '../../base/errors/errors.ts';
import { stepNameOf } from '../../base/ids/step-name.ts';
import { BRL } from '../../base/money/currency.ts';
import { toMinor } from '../../base/money/money.ts';
import { isoSeconds, millisOf } from '../../base/time/instant.ts';
import { noteLimit } from '../../base/trace/measures.ts';
import { defaultSettings } from '../../store/account/settings.ts';
import type { Tx } from '../../store/connection/database.ts';
import type { Author } from '../../store/engine/audit.ts';
import {
  type DroppedOutflow,
  dropMoneyOut,
  HELD_REF,
  type MoneyOutRow,
  type OutflowLimits,
  readOutflowLimits,
  storeMoneyOut,
} from '../../store/engine/money-out.ts';
import type { Template } from '../../templates/define.ts';
import { EFFECTS, STEP_EFFECTS } from '../../templates/effects.ts';
import { HELD_EVENT } from '../../templates/event-names.ts';
import type { Approval, Process, ProcessRow, WaitingTrigger } from '../../templates/facts.ts';
import { type PlannedStep, plan, waiting } from '../../templates/machine.ts';
import {
  approversFor,
  isBackInBalance,
  type Outflow,
  outflowOf,
  pendingApproval,
} from '../../templates/money-out.ts';
import { isRuled } from '../../templates/out-kinds.ts';
import type { Registry } from '../../templates/registry.ts';
import { returnsOf } from '../../templates/returns.ts';
import { accessEnded, endedDeciders } from '../checks/access.ts';
import { type Item, note, replaceSteps } from './batch.ts';

/** A target is new to an account until this long after the first money left to it. Unit: ms. */
const NEW_TARGET_MS = 86_400_000;

/** Parts of the rule. */
interface Parts {
  readonly registry: Registry;
  readonly mode: AccountMode;
  /** See `View`. */
  readonly ispb: string;
  readonly stepUpMs: number;
  readonly nowMs: number;
}

/** Money that leaves by an item, or that may leave after a decision. */
interface Leaving extends Outflow {
  readonly item: Item;
  readonly template: Template;
  readonly ref: string;
  readonly maker: string;
  /** Whether the access of the maker has ended: then another approval takes the place of the request. */
  readonly isAbandoned: boolean;
  /** Ids of the approvers whose access lasts, the caller included; empty for a request that nobody has approved. */
  readonly by: readonly string[];
}

/**
 * Changes the plans of money out that has to wait.
 *
 * @throws {GatewayError} `FORBIDDEN` without the scope `move`, and for a caller whose access has ended; `ADDRESS_NOT_WHITELISTED` for a destination that is new to the
 *   account; `STEP_CONFLICT` where other money out of the transaction waits already.
 */
export async function ruleMoneyOut(tx: Tx, parts: Parts, items: readonly Item[]): Promise<void> {
  const planned = items.flatMap((item) => leavingOf(parts, item) ?? []);
  if (planned.length === 0) return;
  const leaving = await withPresentDeciders(tx, planned);
  const { whitelistCoolingSeconds, outflowPerHour, newTargetPerHour } = defaultSettings({
    isSandbox: parts.mode === 'sandbox',
  });
  const defaults = {
    coolingSeconds: whitelistCoolingSeconds,
    perHour: outflowPerHour,
    newTargetPerHour,
  };
  const keys = leaving.map(({ item: { row }, destination: { type, target, groupId } }) => ({
    accountId: row.accountId,
    targetType: type,
    target,
    groupId,
  }));
  const found = await readOutflowLimits(tx, keys, defaults, new Date(parts.nowMs));
  const added = new Added();
  for (const [index, each] of leaving.entries()) {
    const limits = found[index] as OutflowLimits;
    refuseDestination(each, limits, parts.nowMs);
    evaluate(parts, each, limits, added);
  }
}

function leavingOf({ registry, nowMs }: Parts, item: Item): Leaving | undefined {
  const { request, before, code } = item;
  if (code !== 'ADVANCED') return undefined;
  const template = registry.of(item.row.template);
  const step = item.steps.find(({ moneyOut }) => isRuled(moneyOut));
  const waited = waitedFor(item, nowMs);
  const isDecision = request.trigger.on === 'approved';
  // A withdrawal was reserved before it waited, so its approval moves no money.
  const isReserved = isDecision && waited && !waited.trigger && !item.row.process?.approval;
  const kind = isReserved ? 'withdrawal' : step?.moneyOut;
  if (!isRuled(kind)) return undefined;
  if (waited && !isDecision)
    throw new GatewayError('STEP_CONFLICT', 'money out of this transaction is already waiting for approval');
  const author = moverOf(request.author);
  const row = step?.row ?? item.row;
  const by = isDecision ? [...(waited?.by ?? []), author.actorId] : [];
  const maker = isDecision ? (waited?.maker ?? before.process?.createdBy ?? '') : author.actorId;
  return { ...outflowOf(kind, row), item, template, maker, isAbandoned: false, by, ref: refOf(kind, row) };
}

/**
 * Neither a request nor an approval counts once its author may not move money any more.
 *
 * @throws {GatewayError} `FORBIDDEN` for a request whose author lost access while it waited for the lock.
 */
async function withPresentDeciders(tx: Tx, leaving: readonly Leaving[]): Promise<readonly Leaving[]> {
  const deciders = leaving.flatMap(({ item: { row }, maker, by }) =>
    [maker, ...by].map((id) => ({ accountId: row.accountId, id })),
  );
  const hasEnded = await endedDeciders(tx, deciders, 'move');
  return leaving.map((each) => {
    const { accountId } = each.item.row;
    const isAbandoned = hasEnded({ accountId, id: each.maker });
    const isRequest = each.by.length === 0;
    if (isRequest && isAbandoned) throw accessEnded();
    return { ...each, isAbandoned, by: each.by.filter((id) => !hasEnded({ accountId, id })) };
  });
}

function waitedFor({ before }: Item, nowMs: number): Approval | undefined {
  return before.process ? pendingApproval(before.process, nowMs) : undefined;
}

/**
 * @returns the author of money out.
 * @throws {GatewayError} `FORBIDDEN` without the scope `move`.
 */
function moverOf(author: Author | undefined): Author {
  assert(author, 'money leaves by the action of a caller');
  if (author.scope !== 'move')
    throw new GatewayError('FORBIDDEN', 'money that leaves the account requires the scope "move"');
  return author;
}

function refOf(kind: Outflow['kind'], row: ProcessRow): string {
  const last = returnsOf(row.process ?? {}).at(-1);
  return kind === 'refund' ? known(last, 'a return').returnId : String(row.process?.sequence);
}

/** @throws {GatewayError} `ADDRESS_NOT_WHITELISTED` where the destination is new to the account. */
function refuseDestination(
  { kind, item, template }: Leaving,
  { coolingSeconds, usableAt }: OutflowLimits,
  nowMs: number,
): void {
  if (kind === 'refund') {
    // A refund returns money that the account received; an amount delivered to a wallet leaves a second time.
    const paidAt = item.before.process?.paidAt;
    const fromMs = Date.parse(paidAt ?? '') + coolingSeconds * 1_000;
    if (template.crypto === 'external' && coolingSeconds > 0 && nowMs < fromMs)
      throw refused(
        `the crypto of this payment was delivered to a wallet: its payer can be refunded from ${new Date(fromMs).toISOString()}`,
      );
    return;
  }
  // A withdrawal goes to an entry of a group, whatever the cooling time.
  if (kind !== 'withdrawal' && coolingSeconds === 0) return;
  if (usableAt === null)
    throw refused(
      kind === 'withdrawal'
        ? 'the destination is no longer in the group'
        : 'the destination is new to the account: add it to the whitelist first',
    );
  if (millisOf(usableAt) > nowMs) throw refused(`the entry becomes usable at ${isoSeconds(usableAt)}`);
}

function refused(detail: string): GatewayError {
  return new GatewayError('ADDRESS_NOT_WHITELISTED', detail);
}

/** Lets money leave, or makes it wait for the approvals that it needs. */
function evaluate(parts: Parts, leaving: Leaving, limits: OutflowLimits, added: Added): void {
  const { by, isAbandoned } = leaving;
  const isAboveCeiling = exceedsCeiling(leaving, limits, added, parts.nowMs);
  const isAboveThreshold =
    limits.approvalAbove !== null &&
    added.today(leaving, limits) + centsOf(leaving.brl) > centsOf(limits.approvalAbove);
  const reason = isAboveCeiling ? 'ceiling' : 'threshold';
  const needed = isAboveCeiling || isAboveThreshold ? approversFor(reason, isAbandoned) : 0;
  if (by.length < needed) hold(parts, leaving, { needed, reason });
  else pass(leaving, added);
}

function exceedsCeiling(leaving: Leaving, limits: OutflowLimits, added: Added, nowMs: number): boolean {
  const cents = centsOf(leaving.brl);
  const { perHour, newTargetPerHour, targetSince } = limits;
  if (perHour !== null && added.lastHour(leaving, limits) + cents > centsOf(perHour)) return true;
  const isNew = targetSince === null || nowMs - millisOf(targetSince) < NEW_TARGET_MS;
  const hasPaidIn = leaving.kind === 'refund' && leaving.template.crypto === 'balance';
  return (
    newTargetPerHour !== null &&
    isNew &&
    !hasPaidIn &&
    added.lastHourToTarget(leaving, limits) + cents > centsOf(newTargetPerHour)
  );
}

function pass(leaving: Leaving, added: Added): void {
  const { item, by } = leaving;
  const state = by.length === 0 ? 'passed' : by.length === 1 ? 'approved' : 'lifted';
  note(item, { hasOutflow: true });
  item.outflow = rowOf(leaving, state, leaving.ref);
  added.add(item.outflow);
}

/**
 * Plans the waiting: a withdrawal at its own step, an offramp as a quote, everything else at the transaction's present step.
 */
function hold(parts: Parts, leaving: Leaving, { needed, reason }: Pick<Approval, 'needed' | 'reason'>): void {
  const { item, by, maker } = leaving;
  const { before, request } = item;
  noteLimit(`outflow_${reason}`);
  const isCreation = 'create' in request.target;
  const waited = waitedFor(item, parts.nowMs);
  const trigger = isCreation
    ? creationTrigger(leaving)
    : waited
      ? heldAgain(waited, leaving)
      : request.trigger;
  const askedAt = waited?.askedAt ?? new Date(parts.nowMs).toISOString();
  const approval: Approval = {
    maker,
    reason,
    needed,
    by,
    askedAt,
    ...(trigger && { trigger: trigger as WaitingTrigger }),
  };
  if (isCreation)
    replan(parts, item, leaving.kind === 'withdrawal' ? { needsApproval: true } : { isAccepted: false });
  const at = isCreation ? item.row : before;
  const step = waiting(
    leaving.template,
    at,
    approval,
    parts.nowMs,
    reason === 'ceiling' ? HELD_EVENT : undefined,
  );
  replaceSteps(item, [
    ...(isCreation ? item.steps : []),
    { ...step, effects: timersOf(parts, leaving, step) },
  ]);
  item.outflow = rowOf(leaving, 'held', HELD_REF);
}

/** @returns the trigger that waits; a redirected deposit gets its present worth, if that is more. */
function heldAgain({ trigger }: Approval, { brl }: Leaving): WaitingTrigger | undefined {
  return trigger?.on === 'refund_ordered' ? { ...trigger, worth: brl } : trigger;
}

/** An event changes the position to which the timers of a step refer: they are set again. */
function timersOf(
  { stepUpMs }: Parts,
  { template }: Leaving,
  { row, event }: PlannedStep,
): PlannedStep['effects'] {
  const names = (event && template.machine.entering[stepNameOf(row)]) ?? [];
  return names
    .filter((name) => STEP_EFFECTS.includes(name))
    .map((name) => ({ name, dueMs: EFFECTS[name](row, { nowMs: millisOf(row.updatedAt), stepUpMs }) }));
}

/** Trigger that is applied once a creation is approved. */
function creationTrigger({ kind }: Leaving): WaitingTrigger | undefined {
  return kind === 'withdrawal' ? undefined : { on: 'accepted' };
}

/** Plans a creation again, from changed facts. */
function replan({ registry, nowMs, stepUpMs, ispb }: Parts, item: Item, facts: Partial<Process>): void {
  const { before, request } = item;
  const process = { ...(before.process as Process), ...facts };
  const situation = { nowMs, stepUpMs, ispb, available: () => 0n };
  const steps = plan(registry.of(before.template), { ...before, process }, request.trigger, situation);
  assert(steps, 'a request that waits for approval can be planned');
  replaceSteps(item, steps);
}

function rowOf({ item, kind, maker, brl, destination }: Leaving, state: MoneyOutRow['state'], ref: string) {
  const { accountId, id: transactionId } = item.row;
  const { type: targetType, target } = destination;
  return { accountId, transactionId, ref, kind, maker, brl, targetType, target, state };
}

/** Money out so far in one batch. */
class Added {
  readonly #rows: MoneyOutRow[] = [];

  add(row: MoneyOutRow): void {
    this.#rows.push(row);
  }

  /** @returns cents that left today without an approval. */
  today(leaving: Leaving, { today }: OutflowLimits): bigint {
    return centsOf(today) + this.#sum(leaving, ({ state }) => state === 'passed');
  }

  /** @returns cents that left within the hour, unless two people lifted them. */
  lastHour(leaving: Leaving, { lastHour }: OutflowLimits): bigint {
    return centsOf(lastHour) + this.#sum(leaving, ({ state }) => state !== 'lifted');
  }

  /** @returns the same, to the target. */
  lastHourToTarget(leaving: Leaving, { lastHourToTarget }: OutflowLimits): bigint {
    const { type, target } = leaving.destination;
    const isThere = (row: MoneyOutRow) =>
      row.state !== 'lifted' && row.targetType === type && row.target === target;
    return centsOf(lastHourToTarget) + this.#sum(leaving, isThere);
  }

  #sum({ item }: Leaving, counts: (row: MoneyOutRow) => boolean): bigint {
    return this.#rows
      .filter((row) => row.accountId === item.row.accountId && counts(row))
      .reduce((total, { brl }) => total + centsOf(brl), 0n);
  }
}

function centsOf(brl: string): bigint {
  return toMinor(brl, BRL.decimals);
}

/** Stores which money left and which waits; subtracts money that waits no longer or came back. */
export async function storeOutflows(
  tx: Tx,
  registry: Registry,
  items: readonly Item[],
  nowMs: number,
): Promise<void> {
  const moved = items.filter(({ code }) => code === 'ADVANCED');
  const dropped = moved.flatMap((item) => droppedBy(registry, item));
  if (dropped.length > 0) await dropMoneyOut(tx, dropped);
  const stored = moved.flatMap(({ outflow, row }) =>
    // A later limit of the batch may have changed the plan.
    outflow && (outflow.state === 'held' ? row.process?.approval : row.process?.hasOutflow) ? [outflow] : [],
  );
  if (stored.length > 0) await storeMoneyOut(tx, stored, new Date(nowMs));
}

function droppedBy(registry: Registry, { before, row, request }: Item): DroppedOutflow[] {
  const key = { accountId: row.accountId, transactionId: row.id };
  const waited = before.process?.approval;
  // Decided, or lapsed and replaced by another.
  const isOver = waited && waited.askedAt !== row.process?.approval?.askedAt;
  const held = isOver ? [{ ...key, ref: HELD_REF }] : [];
  if (!before.process?.hasOutflow) return held;
  const template = registry.of(row.template);
  const step = registry.stepOf(row.template, row.component, row.state);
  if (request.trigger.on === 'return_failed' || isBackInBalance(template, step))
    return [{ ...key, ref: null }];
  const known = new Set(creditedBack(before));
  const refs = creditedBack(row).filter((ref) => !known.has(ref));
  return [...held, ...refs.map((ref) => ({ ...key, ref }))];
}

/** @returns ids of refunds that failed and are back in the balance. */
function creditedBack({ process }: ProcessRow): readonly string[] {
  return returnsOf(process ?? {}).flatMap(({ state, returnId }) =>
    state === 'credited_back' ? [returnId] : [],
  );
}

/**
 * The one place where a step changes. A batch of requests is one database transaction: lock the accounts, plan purely,
 * post the journals, store the steps, their effects as jobs, and last the events with the bodies that are published
 * (C-30). The outcome of an effect comes back as the next trigger.
 */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Grow, Share } from '../../base/concurrency/group-commit.ts';
import { together } from '../../base/concurrency/together.ts';
import { assert } from '../../base/errors/assert.ts';
import { eventName } from '../../base/ids/step-name.ts';
import { type Instant, instantOf, millisOf } from '../../base/time/instant.ts';
import type { StoredBody } from '../../events/body.ts';
import type { Database, Tx } from '../../store/connection/database.ts';
import { CommitUnknownError } from '../../store/connection/database-error.ts';
import {
  type AddedTransaction,
  addTransactions,
  changeTransactions,
  type Head,
  lockedHeads,
  lockHeads,
  type NewEvent,
  readAvailable,
  readListHeads,
  readProcesses,
  recordEvents,
} from '../../store/engine/processes.ts';
import type { LimitsOver } from '../../store/engine/volumes.ts';
import { extraEventName } from '../../templates/event-names.ts';
import type { Process, ProcessRow } from '../../templates/facts.ts';
import { type Arrival, needsPrice } from '../../templates/lateness.ts';
import { type PlannedStep, plan } from '../../templates/machine.ts';
import type { Registry } from '../../templates/registry.ts';
import type { Trigger } from '../../templates/triggers.ts';
import type { Advance, AdvanceRequest, AdvanceResult, NewProcess } from '../services/advance.ts';
import type { Clock } from '../services/clock.ts';
import type { LocalDispatch } from '../services/local-dispatch.ts';
import type { Notifier } from '../services/notifier.ts';
import type { RunningWork } from '../services/running-work.ts';
import {
  chainActions,
  type Item,
  mayApplyAgain,
  type Outcome,
  postPlans,
  railEventKeyOf,
  readKnownEvents,
  refuse,
  replaceSteps,
  type StoredJobs,
  storeBatchEvents,
  storeJobs,
} from './batch.ts';
import { applyLimits, countVolumes, type KnownNames } from './limits.ts';
import { accountOf, accountsOf, waitingForLocked } from './locked-accounts.ts';
import { ruleMoneyOut, storeOutflows } from './rule-money-out.ts';

/** Parts of the engine. */
export interface EngineParts {
  readonly database: Database;
  readonly registry: Registry;
  /** Mode of the accounts that it works on. */
  readonly mode: AccountMode;
  readonly clock: Clock;
  readonly notifier: Notifier;
  readonly localDispatch: LocalDispatch;
  /** Code of the house's bank in the Brazilian payments system, 8 characters; read for every batch. */
  readonly ispb: () => string;
  /** See `View`. */
  readonly stepUpMs: number;
  /** Whether senders are screened; they are not where it is absent. */
  readonly screensSenders?: () => boolean;
  /** Accounts over which a customer's volume is added up; default: the customer's own. */
  readonly limitsOver?: LimitsOver | undefined;
  /** The published body of a transaction (C-9), as events store it. */
  readonly storedBody: (row: ProcessRow) => StoredBody;
  /** Worker of this process, which claims its jobs first. */
  readonly worker: number | null;
  /** Registry of running work. */
  readonly writes: RunningWork;
  /** Cache of accounts that were found locked. */
  readonly locked: Set<bigint>;
  /** Prices money that arrived after the lock of its price ended (C-21). */
  readonly priceArrival: (row: ProcessRow, trigger: Arrival) => Promise<Trigger>;
}

const BATCH_MAX = 200;

/** @returns the engine. */
export function createAdvance(parts: EngineParts): Advance {
  const advance = waitingForLocked<AdvanceRequest, Outcome>(
    {
      run: (begun, grow) => advanceBatch(parts, begun, grow),
      accountsOf,
      lockedOf: (accountIds) => lockedHeads(parts.database, accountIds),
      counting: (work) => parts.writes.counting(work),
      locked: parts.locked,
    },
    { max: BATCH_MAX, keyOf: batchKeyOf, sharesOf },
  );
  return async (request) => {
    const { code, ...result } = await advance(request);
    if (code !== 'PRICE_NEEDED') return { code, ...result };
    // Rates are read outside of the database transaction; the second attempt has the price.
    const trigger = await parts.priceArrival(result.row, request.trigger as Arrival);
    return advance({ ...request, trigger }) as Promise<AdvanceResult>;
  };
}

/** Requests of one transaction must see each other's outcome. */
function batchKeyOf({ target }: AdvanceRequest): string {
  return 'create' in target ? `new ${target.create.end2end}` : `${target.accountId}/${target.transactionId}`;
}

/** A dispute reads the available balance, so it shares a batch with no other request of its account. */
function sharesOf({ target, trigger }: AdvanceRequest): Share {
  return { of: `${accountOf({ target })}`, isAlone: readsBalance(trigger) };
}

/** A rejected one is opened again by its acceptance. */
function readsBalance({ on }: Trigger): boolean {
  return on === 'dispute_opened' || on === 'dispute_accepted';
}

/** Leaves out refused requests and runs the others again, so that positions and ids have no gaps. */
async function advanceBatch(
  parts: EngineParts,
  begun: readonly AdvanceRequest[],
  grow: Grow<AdvanceRequest>,
): Promise<Outcome[]> {
  try {
    return await commitBatch(parts, begun, grow);
  } catch (error) {
    if (error instanceof CommitUnknownError) parts.localDispatch.receiver?.doubt();
    if (!(error instanceof RefusedCreations)) throw error;
    const { requests, results } = error;
    const rest = requests.filter((request) => !results.has(request));
    const done = rest.length > 0 ? (await advanceBatch(parts, rest, () => rest)).values() : [].values();
    return requests.map((request) => results.get(request) ?? (done.next().value as Outcome));
  }
}

/** Rolls a batch back in which creations were refused. */
class RefusedCreations extends Error {
  /** All requests of the batch. */
  readonly requests: readonly AdvanceRequest[];
  readonly results: ReadonlyMap<AdvanceRequest, Outcome>;
  constructor(requests: readonly AdvanceRequest[], refused: readonly Item[]) {
    super('some of the batch is refused');
    this.requests = requests;
    this.results = new Map(refused.map(({ request, code, row }) => [request, { code, row, goesOn: false }]));
  }
}

async function commitBatch(
  parts: EngineParts,
  begun: readonly AdvanceRequest[],
  grow: Grow<AdvanceRequest>,
): Promise<Outcome[]> {
  const done = await parts.database.withTx(async (tx) => {
    const accountIds = new Set(begun.flatMap(accountsOf));
    const heads = await lockHeads(tx, [...accountIds], parts.mode);
    assert(heads.size === accountIds.size, `the ${parts.mode} engine works on ${parts.mode} accounts`);
    // Another process may have held the lock: requests that came meanwhile for these accounts join the batch.
    const requests = grow((request) => accountsOf(request).every((each) => accountIds.has(each)));
    const batch = await readBatch(tx, parts, { requests, heads });
    const { items, nowMs } = batch;
    await planBatch(tx, parts, items, nowMs);
    const { registry, mode, stepUpMs, limitsOver = 'account' } = parts;
    const rules = { registry, mode, stepUpMs, limitsOver, ispb: parts.ispb(), nowMs };
    const outgoing = items.filter(touchesMoneyOut);
    if (outgoing.length > 0) await ruleMoneyOut(tx, rules, outgoing);
    const names = await applyLimits(tx, rules, items, nowMs);
    await postPlans(tx, items, nowMs, failInsufficient);
    const refused = items.filter(({ request, code }) => 'create' in request.target && code !== 'ADVANCED');
    if (refused.length > 0) throw new RefusedCreations(requests, refused);
    return { items, ...(await storeBatch(tx, parts, batch, { names, outgoing })) };
  });
  return notifyAll(parts, done);
}

/** Committed items, and the next work. */
interface Committed extends StoredJobs {
  readonly items: readonly Item[];
}

/** After the commit: dispatches jobs, and notifies waiting callers. @returns the outcome of each item. */
function notifyAll(
  { localDispatch, notifier }: EngineParts,
  { items, begun, due, hasJobs }: Committed,
): Outcome[] {
  const rows = new Map(items.map(({ row }) => [keyOf(row), row]));
  for (const job of begun) {
    const row = rows.get(`${job.accountId}/${job.transactionId}`);
    if (row) localDispatch.receiver?.begin({ job, row });
  }
  const outcomes = items.map(({ code, row }) => ({ code, row, goesOn: due.has(keyOf(row)) }));
  const moved = outcomes.filter(({ code }) => code === 'ADVANCED');
  notifier.notifyMoved(
    moved.map(({ row, goesOn }) => ({ accountId: row.accountId, transactionId: row.id, row, goesOn })),
    { hasJobs },
  );
  return outcomes;
}

function keyOf({ accountId, id }: ProcessRow): string {
  return `${accountId}/${id}`;
}

interface Batch {
  readonly items: Item[];
  /**
   * The time after the accounts were locked and the batch was closed: each request is evaluated at a time after it arrived.
   */
  readonly nowMs: number;
  readonly heads: Map<bigint, Head>;
  /** Positions in the lists, by transaction created here. */
  readonly listSeqs: ReadonlyMap<ProcessRow['end2end'], bigint>;
}

async function readBatch(
  tx: Tx,
  { registry, clock }: EngineParts,
  { requests, heads }: Pick<Batch, 'heads'> & { readonly requests: readonly AdvanceRequest[] },
): Promise<Batch> {
  const accountIds = [...heads.keys()];
  const existing = requests.flatMap(({ target }) => ('create' in target ? [] : [target]));
  const isMaking = existing.length < requests.length;
  const [nowMs, rows, listHeads] = await together([
    clock.nowMs(tx),
    existing.length > 0 ? readProcesses(tx, existing) : [],
    isMaking ? readListHeads(tx, accountIds) : [],
  ]);
  const rowOf = new Map(rows.map((row) => [`${row.accountId}/${row.id}`, row]));
  const listSeqs = new Map<ProcessRow['end2end'], bigint>();
  const lists = new Map<string, { lastSeq: bigint; lastCreatedAt: Instant }>(
    listHeads.map((list) => [`${list.accountId} ${list.family}`, { ...list }]),
  );
  const items = requests.map((request): Item => {
    const { target } = request;
    if (!('create' in target)) {
      const row = rowOf.get(`${target.accountId}/${target.transactionId}`);
      assert(row, 'a triggered transaction exists');
      return { request, before: row, row, code: 'STEP_CONFLICT', steps: [] };
    }
    const { create } = target;
    const { family } = registry.of(create.template);
    const head = heads.get(create.accountId);
    assert(head, 'a transaction is made for an account');
    const key = `${create.accountId} ${family}`;
    const list = lists.get(key) ?? { lastSeq: 0n, lastCreatedAt: instantOf(new Date(0)) };
    const createdAt = instantOf(new Date(Math.max(nowMs, millisOf(list.lastCreatedAt) + 1)));
    const listSeq = list.lastSeq + 1n;
    lists.set(key, { lastSeq: listSeq, lastCreatedAt: createdAt });
    listSeqs.set(create.end2end, listSeq);
    const id = head.transactionId + 1n;
    heads.set(create.accountId, { ...head, transactionId: id });
    const before = blank(create, id, createdAt);
    return { request, before, row: before, code: 'STEP_CONFLICT', steps: [] };
  });
  return { items, nowMs, heads, listSeqs };
}

function blank(create: NewProcess, id: bigint, createdAt: Instant): ProcessRow {
  return {
    ...create,
    id,
    component: '',
    state: '',
    createdAt,
    updatedAt: createdAt,
    errorEn: '',
    errorPt: '',
    asPublished: null,
    process: { ...create.process, sequence: 0 },
  };
}

async function planBatch(tx: Tx, parts: EngineParts, items: Item[], nowMs: number): Promise<void> {
  const knownEvents = await readKnownEvents(tx, parts.mode, items);
  for (const item of items) {
    const { request, row } = item;
    if (request.holds && !(await request.holds(tx))) {
      item.code = 'OUTDATED';
      continue;
    }
    const key = railEventKeyOf(request);
    const known = key === undefined ? undefined : knownEvents.get(key);
    const balances = readsBalance(request.trigger) ? await readAvailable(tx, row.accountId) : NO_BALANCES;
    const available = (currency: string) => balances.get(currency) ?? 0n;
    const isOver = request.sequence !== undefined && request.sequence !== row.process?.sequence;
    const steps =
      isOver || (known && !mayApplyAgain(known, item))
        ? undefined
        : plan(parts.registry.of(row.template), row, request.trigger, {
            nowMs: timeOf(request, nowMs),
            available,
            ispb: parts.ispb(),
            stepUpMs: parts.stepUpMs,
            screensSenders: parts.screensSenders?.() === true,
          });
    if (steps?.some(({ setsPrice }) => setsPrice) && needsPrice(row, request.trigger))
      item.code = 'PRICE_NEEDED';
    else if (steps) {
      replaceSteps(item, steps);
      item.isRepeat = known !== undefined;
      if (key !== undefined) knownEvents.set(key, { accountId: row.accountId, transactionId: row.id });
    } else if (known) item.code = 'DUPLICATE';
  }
}

/** The clock may have been set back since a timer was claimed: a timer that fired before its time would be lost. */
function timeOf({ trigger, job }: AdvanceRequest, nowMs: number): number {
  return trigger.on === 'expired' && job ? Math.max(nowMs, millisOf(job.dueAt)) : nowMs;
}

const NO_BALANCES: ReadonlyMap<string, bigint> = new Map();

/** Whether money leaves by the item, has left, or waits to leave: false for most items. */
function touchesMoneyOut({ steps, before: { process } }: Item): boolean {
  return (
    process?.approval !== undefined || process?.hasOutflow === true || steps.some(({ moneyOut }) => moneyOut)
  );
}

/** Refuses creations and refunds that the balance does not cover; other transactions move to their step for a shortfall. */
function failInsufficient(item: Item, steps: readonly PlannedStep[] | 'refused'): void {
  if (steps === 'refused' || 'create' in item.request.target) refuse(item, 'INSUFFICIENT_BALANCE');
  else replaceSteps(item, steps);
}

function addedBy({ registry }: EngineParts, listSeqs: Batch['listSeqs']): (item: Item) => AddedTransaction {
  return ({ row }) => ({
    row,
    family: registry.of(row.template).family,
    listSeq: listSeqs.get(row.end2end) as bigint,
  });
}

async function storeBatch(
  tx: Tx,
  parts: EngineParts,
  { items, nowMs, heads, listSeqs }: Batch,
  { names, outgoing }: { readonly names: KnownNames; readonly outgoing: readonly Item[] },
): Promise<StoredJobs> {
  const moved = items.filter(({ code }) => code === 'ADVANCED');
  const made = moved.filter(({ request }) => 'create' in request.target);
  const changed = moved.filter(({ request }) => !('create' in request.target));
  // In this order, and sent in one piece. The first also stores on the transactions the amounts that limits count.
  const stored = [
    countVolumes(tx, parts.registry, items, { nowMs, names }),
    made.length > 0 && addTransactions(tx, made.map(addedBy(parts, listSeqs))),
    changed.length > 0 &&
      changeTransactions(
        tx,
        changed.map(({ row }) => row),
      ),
    storeBatchEvents(tx, moved, parts.database.nowMs()),
    outgoing.length > 0 && storeOutflows(tx, parts.registry, outgoing, nowMs),
  ];
  const [jobs] = await together([storeJobs(tx, parts, items, nowMs), ...stored]);
  for (const { request, row, before } of moved) await request.atomically?.(tx, row, before);
  for (const { request, row, code } of items)
    if (code === 'STEP_CONFLICT' || code === 'LIMIT_EXCEEDED') await request.otherwise?.(tx, row);
  const events = moved.flatMap((item) => eventsOf(parts, item, heads));
  const time = { at: instantOf(new Date(nowMs)), machineMs: parts.database.nowMs() };
  const actions = chainActions(moved, heads, time);
  if (events.length > 0 || actions.length > 0) await recordEvents(tx, events, [...heads.values()], actions);
  return jobs;
}

/**
 * Every step is an event, and so is a change beside the steps that names one; the body is that of a GET at that time (C-9).
 */
function eventsOf({ storedBody }: EngineParts, { steps }: Item, heads: Map<bigint, Head>): NewEvent[] {
  return steps
    .filter(({ isMove, event }) => isMove || event)
    .map(({ row, event }) => {
      const head = heads.get(row.accountId) as Head;
      const seq = head.eventSeq + 1n;
      heads.set(row.accountId, { ...head, eventSeq: seq });
      return {
        accountId: row.accountId,
        seq,
        transactionId: row.id,
        sequence: (row.process as Process).sequence,
        name: event ? extraEventName(row.template, event) : eventName(row),
        component: row.component,
        state: row.state,
        occurredAt: row.updatedAt,
        body: storedBody(row),
      };
    });
}

/** Creates a transaction: prices the order, commits it with its first steps and waits until it can be paid, or rests. */
import { ACTIONS, type ActionName } from '../../base/access/actions.ts';
import { newSessionToken } from '../../base/access/session-token.ts';
import { newSecret } from '../../base/access/webhook-keys.ts';
import { readManyTogether } from '../../base/concurrency/read-together.ts';
import { assert, known } from '../../base/errors/assert.ts';
import { GatewayError, invalidParameters } from '../../base/errors/errors.ts';
import type { Named } from '../../base/errors/violations.ts';
import { newEnd2end } from '../../base/ids/end2end.ts';
import { type Currency, currencyOfLedger } from '../../base/money/currency.ts';
import { instantOf } from '../../base/time/instant.ts';
import type { Database, Tx } from '../../store/connection/database.ts';
import { pendingJobsOf } from '../../store/engine/jobs.ts';
import { readAvailable, readProcesses } from '../../store/engine/processes.ts';
import { findTransaction } from '../../store/engine/transactions.ts';
import { secretOwner } from '../../store/webhooks/sealed-secrets.ts';
import { ensureTransactionEndpoint, TRANSACTIONS } from '../../store/webhooks/webhooks.ts';
import type { Template } from '../../templates/define.ts';
import { NO_FACTS, type Process, type ProcessRow, type RenewedOrder } from '../../templates/facts.ts';
import { FAMILY_TRAITS } from '../../templates/families.ts';
import type { Registry, TemplateUse } from '../../templates/registry.ts';
import type { QuoteFacts } from '../../templates/triggers.ts';
import { atMost } from '../checks/limit-facts.ts';
import type { Attempt } from '../checks/once.ts';
import { asCaller, overDailyLimit } from '../engine/advance-for-caller.ts';
import { endOfPriced, type PriceRequest, price, type Wanted } from '../pricing/price.ts';
import { quoteToUse, spendQuote } from '../pricing/quotes.ts';
import type { AdvanceRequest, AdvanceResult, AtomicWork, NewProcess } from '../services/advance.ts';
import type { Clock } from '../services/clock.ts';
import { authorOf, type Context, railsFor, requireRails, type Services } from '../services/context.ts';
import type { TransactionKey } from '../services/notifier.ts';

/** A transaction to be made. */
export interface Making {
  readonly create: NewProcess;
  /** Whether a rail has to answer before there is something to pay to. */
  readonly awaitsRail: boolean;
  /**
   * Whether the account itself decides when the transaction is converted: it could wait for a good price, so the
   * session ends with its price lock (C-21).
   */
  readonly endsWithLock?: boolean;
  /** The action where it is not that of its family. */
  readonly permission?: ActionName;
  /** Done in the same database transaction. */
  readonly atomically?: AdvanceRequest['atomically'] | undefined;
}

/** Time for which a creation waits for rails before it is answered with 503; the transaction stays stored (C-52). */
const RAIL_WAIT_MS = 5_000;
const POLL_AGAIN_MS = 200;
/** Interval of polls for jobs of other processes, whose notifications may arrive late; its own jobs notify it. Unit: ms. */
const POLL_LATER_MS = 1_000;
const RETRY_SECONDS = 2;

/** @param cell - code of the cell; empty for the first. @returns a transaction with nothing but its account and template. */
export function emptyProcess(
  accountId: bigint,
  template: string,
  nowMs: number,
  createdBy: string | null,
  cell = '',
): NewProcess {
  return {
    ...NO_FACTS,
    depositFrom: null,
    accountId,
    template,
    end2end: newEnd2end(new Date(nowMs)),
    process: { createdBy, session: newSessionToken(cell) },
  };
}

/** @returns the stored facts of an order besides its price. */
export function orderFacts(
  wanted: Wanted | undefined,
  { isAccepted, renews }: { readonly isAccepted: boolean; readonly renews?: RenewedOrder },
): Partial<Process> {
  return {
    isAccepted,
    ...(wanted && { fixes: 'brl' in wanted ? ('brl' as const) : ('crypto' as const) }),
    ...(renews && { renews }),
  };
}

/** Order to be priced. */
export interface OrderToPrice extends Omit<PriceRequest, 'accountId' | 'wanted'> {
  /** Undefined if a quote contains it, or the customer enters it later. */
  readonly wanted: Wanted | undefined;
  /** A quote to be used instead of a new price. */
  readonly quoteId: string | undefined;
}

/** Its price. */
export interface PricedOrder {
  /** Empty while no amount is known. */
  readonly facts: Partial<QuoteFacts>;
  /** Time of the price; its lock counts from then. */
  readonly process: Pick<Process, 'pricedAt'>;
  /** Consumes the quote, in the database transaction that creates the order. */
  readonly atomically: AtomicWork | undefined;
}

/** @throws {GatewayError} `QUOTE_UNAVAILABLE`, `QUOTE_EXPIRED`, `LIMIT_EXCEEDED`. */
export async function priceOrder(
  context: Context,
  { wanted, quoteId, ...use }: OrderToPrice,
): Promise<PricedOrder> {
  const { accountId } = context.caller;
  if (quoteId !== undefined) {
    const { facts, pricedAt } = await quoteToUse(context, quoteId, use);
    return { facts, process: { pricedAt }, atomically: spendQuote(context, quoteId) };
  }
  if (!wanted) return { facts: {}, process: {}, atomically: undefined };
  const { facts, pricedAt } = await price(context, { ...use, accountId, wanted });
  return { facts, process: { pricedAt }, atomically: undefined };
}

/** @returns the end of a session as the database prints instants. */
export function endOf(nowMs: number, seconds: number): string {
  return instantOf(new Date(nowMs + seconds * 1_000));
}

/**
 * Commits a transaction; an earlier attempt under the same idempotency key is answered instead.
 *
 * @returns the transaction as soon as it can be paid, or rests.
 * @throws {GatewayError} `RAILS_MISSING`; `UNAVAILABLE` when the rail does not answer in 5 seconds; the transaction stays
 * stored.
 */
export async function createAndAwait(
  context: Context,
  attempt: Attempt,
  make: () => Promise<Making>,
): Promise<ProcessRow> {
  const { database, caller } = context;
  requireRails(context);
  if (attempt.made !== null) {
    const made = await findTransaction(database, caller.accountId, attempt.made);
    assert(made, 'the transaction of a bound key exists');
    return awaitReady(context, { accountId: made.accountId, transactionId: made.id });
  }
  const making = await make();
  const { awaitsRail, atomically } = making;
  const { row, goesOn } = await commitTransaction(context, making, async (tx, made, before) => {
    await attempt.bind(tx, made.end2end);
    await attempt.store?.(tx, made);
    await atomically?.(tx, made, before);
  });
  if (!awaitsRail) return row;
  return awaitReady(context, { accountId: row.accountId, transactionId: row.id }, { goesOn });
}

/**
 * Commits a transaction with its webhook, and with the scenario that a sandbox plans for it.
 *
 * @returns the transaction after its first steps.
 * @throws {GatewayError} `RAILS_MISSING`; `INSUFFICIENT_BALANCE` when it immediately reserves more than the balance,
 * `LIMIT_EXCEEDED` when it would exceed the customer's limit of the day; then nothing is stored.
 */
export async function createTransaction(context: Context, create: NewProcess): Promise<ProcessRow> {
  return (await commitTransaction(context, { create })).row;
}

/** As `createTransaction`; `atomically` is done in the same database transaction. */
async function commitTransaction(
  context: Context,
  { create, endsWithLock, permission: action }: Pick<Making, 'create' | 'endsWithLock' | 'permission'>,
  atomically?: AdvanceRequest['atomically'],
): Promise<AdvanceResult> {
  const { advance, registry, sandbox } = context;
  const template = registry.of(create.template);
  requireRails(context, railsFor(template, currenciesOf(create)));
  const planned = sandbox?.begin(create);
  const expiresAt = await endOfPriced(context, create, { endsWithLock });
  const done: AtomicWork = async (tx, made, before) => {
    await atomically?.(tx, made, before);
    await registerWebhook(context, tx, made);
    await planned?.atomically(tx, made, before);
  };
  const name = action ?? FAMILY_TRAITS[template.family].permissions.create;
  const result = await advance({
    target: { create: { ...create, expiresAt } },
    trigger: planned?.trigger ?? { on: 'created' },
    // Most new orders let nothing out: these cost no check of access under the lock.
    ...(ACTIONS[name].scope === 'create'
      ? { author: authorOf(context, name), atomically: done }
      : asCaller(context, name, done)),
  });
  if (result.code === 'INSUFFICIENT_BALANCE') throw await refusedUncovered(context, result.row);
  if (result.code === 'LIMIT_EXCEEDED') throw overDailyLimit();
  assert(result.code === 'ADVANCED', 'a transaction begins');
  return result;
}

function currenciesOf({ sourceCurrency, targetCurrency }: NewProcess): readonly Currency[] {
  return [sourceCurrency, targetCurrency].flatMap((code) => (code === null ? [] : [currencyOfLedger(code)]));
}

async function refusedUncovered(
  { database }: Services,
  { accountId, sourceCurrency, sourceAmount }: ProcessRow,
): Promise<GatewayError> {
  const currency = currencyOfLedger(known(sourceCurrency, 'a currency'));
  const available = (await readAvailable(database, accountId)).get(currency.code) ?? 0n;
  return uncovered({ currency, sourceAmount, available });
}

/** @returns the refusal of a transaction that the available balance does not cover. */
export function uncovered({
  currency,
  sourceAmount,
  available,
}: Pick<ProcessRow, 'sourceAmount'> & {
  readonly currency: Currency;
  readonly available: bigint;
}): GatewayError {
  return new GatewayError(
    'INSUFFICIENT_BALANCE',
    `the available balance of ${currency.displayName} is less than ${sourceAmount}`,
    { facts: { limit: atMost('balance', available, currency) } },
  );
}

/**
 * Waits until the transaction can be paid, or waits for a person. The engine of this process notifies about its moves; moves
 * by other processes are polled.
 *
 * @param options - `goesOn`: it was just committed, and continues by itself.
 */
async function awaitReady(
  services: Services,
  key: TransactionKey,
  { goesOn = false } = {},
): Promise<ProcessRow> {
  const until = performance.now() + RAIL_WAIT_MS;
  const pauseMs = services.localDispatch.receiver ? POLL_LATER_MS : POLL_AGAIN_MS;
  const moves = services.notifier.follow(key);
  let isWaiting = goesOn;
  try {
    for (;;) {
      // All waiters poll at the same times, so that one read serves them.
      const move = isWaiting ? await moves.next(pauseMs - (performance.now() % pauseMs)) : undefined;
      if (move && isPayable(move.row)) return move.row;
      if (move?.goesOn) continue;
      const { row, isReady } = await readSnapshot(services, key);
      if (isReady) return row;
      if (performance.now() >= until)
        throw new GatewayError(
          'UNAVAILABLE',
          `${row.end2end} was created, but the rail has not answered yet: repeat the request`,
          { retryAfter: RETRY_SECONDS },
        );
      isWaiting = true;
    }
  } finally {
    moves.end();
  }
}

function isPayable({ process, depositAddress }: ProcessRow): boolean {
  return Boolean(process?.brCode || depositAddress);
}

/** A transaction in its present state, and whether nothing is left to wait for. */
interface Snapshot {
  readonly row: ProcessRow;
  readonly isReady: boolean;
}

type ReadSnapshot = (key: TransactionKey) => Promise<Snapshot>;
/** Many creations may wait for other processes in parallel: all of one mode share a poll. */
const snapshotReaders = {
  sandbox: new WeakMap<Database, ReadSnapshot>(),
  live: new WeakMap<Database, ReadSnapshot>(),
};

function readSnapshot({ database, clock, mode }: Services, key: TransactionKey): Promise<Snapshot> {
  const readOne =
    snapshotReaders[mode].get(database) ?? readManyTogether((keys) => readSnapshots(database, clock, keys));
  snapshotReaders[mode].set(database, readOne);
  return readOne(key);
}

async function readSnapshots(
  database: Database,
  clock: Clock,
  keys: readonly TransactionKey[],
): Promise<readonly Snapshot[]> {
  // Counted before the rows are read, so the rows include the last job's result. Jobs that become due during the query count
  // too.
  const soonMs = (await clock.nowMs()) + POLL_AGAIN_MS;
  const pending = await pendingJobsOf(database, { sandbox: soonMs, live: soonMs }, keys);
  const rows = new Map(
    (await readProcesses(database, keys)).map((row) => [`${row.accountId}/${row.id}`, row]),
  );
  // If the query took longer than this poll covers, jobs may have become due since: it is then unknown whether work is
  // pending.
  const isSure = (await clock.nowMs()) <= soonMs;
  return keys.map(({ accountId, transactionId }, index) => {
    const row = rows.get(`${accountId}/${transactionId}`);
    assert(row, 'a created transaction exists');
    return { row, isReady: isPayable(row) || (isSure && pending[index] === 0) };
  });
}

/**
 * @param named - the template that the caller names; the registry's choice if omitted.
 * @param currencyName - the caller's name for the currency.
 * @throws {GatewayError} `INVALID_PARAMETER` when the template is not for this, or none is.
 */
export function chooseTemplate(
  registry: Registry,
  use: TemplateUse,
  named: Named | undefined,
  currencyName: string,
): Template {
  const fitting = registry.choose(use);
  const template = named ? fitting.find(({ name }) => name === named.value) : fitting[0];
  if (template) return template;
  const [parameter, what] = named ? [named.name, 'order'] : [currencyName, 'currency'];
  const names = fitting.map(({ name }) => name);
  const message =
    names.length > 0
      ? `must be one of ${names.join(', ')} for this ${what}`
      : 'no template takes this currency';
  throw invalidParameters([{ parameter, message }]);
}

/** Ensures the endpoint and its secret, in the database transaction that makes the transaction. */
async function registerWebhook({ secrets }: Context, tx: Tx, row: ProcessRow): Promise<void> {
  if (row.webhook === null) return;
  const secret = secrets.seal(newSecret(), secretOwner(row.accountId, TRANSACTIONS));
  await ensureTransactionEndpoint(tx, row.accountId, row.webhook, secret, row.createdAt);
}

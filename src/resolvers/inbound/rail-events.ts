/**
 * Every kind of rail event in one table: the natural key under which it is settled once (C-33), the match that finds its
 * transaction, the trigger that it fires, and its destination when no transaction accepts it (C-34). `receive.ts` follows
 * this table.
 */
import type { AccountMode } from '../../base/access/account-mode.ts';
import { BRL, type Currency, currencyOf, currencyOfLedger } from '../../base/money/currency.ts';
import { toMinor } from '../../base/money/money.ts';
import {
  findByDeposit,
  findByEnd2end,
  findByPix,
  findByTxid,
  findRailEventTarget,
  type RailEventRecord,
  type RailEventTarget,
} from '../../store/engine/rail-events.ts';
import type { Trigger } from '../../templates/triggers.ts';
import type { Services } from '../services/context.ts';
import type { ArrivalEvent, DepositEvent, RailEvent } from '../services/rail-event.ts';

type Where = Pick<Services, 'database' | 'mode'>;

/**
 * Destination of an event that no transaction accepts. `suspense`: its money is booked there. `noted`: it is stored without
 * consequences. `listed`: the event is stored immediately and stays in the operator's list. `gas`: it is booked as the
 * house's expense. `dispute`: it is compared with the disputes of its payment. `retried`: it is retried, then listed as
 * failed. `waits`: the rail polls for it again.
 */
export type Otherwise = 'suspense' | 'noted' | 'listed' | 'gas' | 'dispute' | 'retried' | 'waits';

/** A row of the table. */
export interface RailEventKind<Event> {
  readonly rail: 'pix' | 'chain' | ((event: Event) => 'pix' | 'chain');
  /** The rail's own name for the event, unlike any other of its kind. */
  readonly name: (event: Event) => string;
  /** Finds the transaction, or only its account. */
  readonly find: (where: Where, event: Event) => Promise<RailEventTarget | undefined>;
  /** The trigger for the transaction; undefined if no step accepts the event, null for kinds that move no transaction. */
  readonly trigger: ((event: Event) => Trigger | undefined) | null;
  readonly otherwise: Otherwise;
  /** The reason of its entry in suspense, where it is always the same. */
  readonly reason?: 'payout_returned';
}

type Having<Event extends RailEvent, Kind> = Event extends RailEvent
  ? Kind extends Event['kind']
    ? Event
    : never
  : never;

const deposit = {
  rail: 'chain',
  name: ({ currency, txHash, logIndex }) => `${networkOf(currency)}:${txHash}:${logIndex}`,
  find: ofDeposit,
} as const satisfies Partial<RailEventKind<DepositEvent>>;

const broadcast = {
  rail: 'chain',
  name: broadcastName,
  find: async (where, event) =>
    event.order !== null
      ? ofOrder(where, event.order)
      : targetOfEvent(where, 'broadcast_sent', `chain:${broadcastName(event)}`),
  otherwise: 'retried',
} as const satisfies Partial<RailEventKind<Having<RailEvent, 'broadcast_sent'>>>;

const dispute = {
  rail: 'pix',
  name: ({ disputeId }) => disputeId,
  find: ofPayment,
  otherwise: 'retried',
} as const satisfies Partial<RailEventKind<Having<RailEvent, 'dispute_opened'>>>;

const RAIL_EVENTS: { readonly [Kind in RailEvent['kind']]: RailEventKind<Having<RailEvent, Kind>> } = {
  payment: {
    rail: 'pix',
    name: ({ endToEndId }) => endToEndId,
    find: async ({ database, mode }, { txid, endToEndId }) =>
      txid === null ? undefined : findByTxid(database, mode, { txid, endToEndId }),
    trigger: ({ endToEndId, amount, settledAt, payerTaxId, payerName }) => ({
      on: 'pix_received',
      ...{ endToEndId, amount, settledAt, payerTaxId, payerName },
    }),
    otherwise: 'suspense',
  },
  payout_ended: {
    rail: 'pix',
    name: ({ endToEndId, order }) => endToEndId ?? order,
    find: (where, { order }) => ofOrder(where, order),
    trigger: ({ isDone, endToEndId }) => {
      if (!isDone) return { on: 'payout_rejected' };
      return endToEndId === null ? undefined : { on: 'payout_settled', endToEndId };
    },
    otherwise: 'retried',
  },
  payout_returned: {
    rail: 'pix',
    name: ({ returnId }) => returnId,
    find: (where, { endToEndId }) => ofPix(where, endToEndId, 'payout_ended'),
    trigger: ({ amount }) => ({ on: 'payout_returned', amount }),
    otherwise: 'suspense',
    reason: 'payout_returned',
  },
  refund_ended: {
    rail: ({ rail }) => rail,
    // A return of another amount than ordered has a different key than the later end of the order.
    name: ({ order, differs }) => (differs ? `${order}:${differs.returned}` : order),
    find: async (where, { endToEndId, order }) =>
      (endToEndId !== null && (await ofPix(where, endToEndId, 'payment'))) || ofOrder(where, order),
    trigger: (event) => (event.rail === 'pix' ? pixReturnEnded(event) : depositSentBack(event)),
    otherwise: 'retried',
  },
  deposit_seen: {
    ...deposit,
    trigger: ({ txHash, logIndex, amount, from, seenAt }) => ({
      on: 'deposit_seen',
      ...{ txHash, logIndex, amount, from, seenAt },
    }),
    otherwise: 'noted',
  },
  deposit_confirmed: {
    ...deposit,
    trigger: ({ txHash, logIndex }) => ({ on: 'deposit_confirmed', txHash, logIndex }),
    otherwise: 'suspense',
  },
  deposit_dropped: {
    ...deposit,
    trigger: ({ txHash, logIndex }) => ({ on: 'deposit_dropped', txHash, logIndex }),
    otherwise: 'noted',
  },
  broadcast_sent: {
    ...broadcast,
    trigger: ({ txHash, gas }) => (txHash === null ? undefined : { on: 'delivery_broadcast', txHash, gas }),
  },
  broadcast_confirmed: { ...broadcast, trigger: () => ({ on: 'delivery_confirmed' }) },
  broadcast_failed: { ...broadcast, trigger: () => ({ on: 'delivery_failed' }) },
  gas_spent: {
    rail: 'chain',
    name: ({ gas, txHash }) => `${currencyOfLedger(gas.currency).network}:${txHash}`,
    find: async (where, { order }) => (order === null ? undefined : ofOrder(where, order)),
    trigger: null,
    otherwise: 'gas',
  },
  dispute_opened: {
    ...dispute,
    trigger: ({ disputeId, amount }) => ({
      on: 'dispute_opened',
      disputeId,
      ...(amount !== null && { amount }),
    }),
  },
  dispute_accepted: { ...dispute, trigger: ({ disputeId }) => ({ on: 'dispute_accepted', disputeId }) },
  dispute_rejected: { ...dispute, trigger: ({ disputeId }) => ({ on: 'dispute_rejected', disputeId }) },
  dispute_returned: {
    rail: 'pix',
    name: ({ returnId }) => returnId,
    find: ofPayment,
    trigger: null,
    otherwise: 'dispute',
  },
  infraction: {
    rail: 'pix',
    name: ({ infractionId, decision }) => (decision ? `${infractionId}:${decision}` : infractionId),
    find: ofPayment,
    trigger: null,
    otherwise: 'listed',
  },
  unconfirmed: {
    rail: 'pix',
    name: ({ reportId }) => reportId,
    find: async () => undefined,
    trigger: null,
    otherwise: 'waits',
  },
};

/** @returns the row of an event. */
export function kindOf(event: RailEvent): RailEventKind<RailEvent> {
  // Each row gets events of its own kind only.
  return RAIL_EVENTS[event.kind] as unknown as RailEventKind<RailEvent>;
}

/** @returns the event in the form in which it is stored, under its natural key. */
export function railEventRecordOf(
  { mode }: { readonly mode: AccountMode },
  event: RailEvent,
): RailEventRecord {
  const { rail: fixedRail, name } = kindOf(event);
  const rail = typeof fixedRail === 'string' ? fixedRail : fixedRail(event);
  return { mode, rail, kind: event.kind, key: `${rail}:${name(event)}`, body: event };
}

/** Money that an event reports. */
export interface Money {
  readonly currency: Currency;
  readonly amountMinor: bigint;
}

/** @returns the money that has arrived and is final; undefined if there is none, or its currency is not in the catalogue. */
export function moneyOf(event: RailEvent): Money | undefined {
  return kindOf(event).otherwise === 'suspense' ? amountOf(event as ArrivalEvent) : undefined;
}

function amountOf(event: ArrivalEvent): Money | undefined {
  const currency = 'currency' in event ? currencyOf(event.currency) : BRL;
  const amountMinor = currency && toMinor(event.amount, currency.decimals);
  return currency && amountMinor ? { currency, amountMinor } : undefined;
}

function networkOf(currency: string): string {
  return currencyOf(currency)?.network ?? currency;
}

function broadcastName({ currency, txHash, order }: Having<RailEvent, 'broadcast_sent'>): string {
  return `${networkOf(currency)}:${txHash ?? order}`;
}

async function ofDeposit(
  { database, mode }: Where,
  event: DepositEvent,
): Promise<RailEventTarget | undefined> {
  const money = amountOf(event);
  if (!money) return undefined;
  const { currency, amountMinor } = money;
  return findByDeposit(database, mode, { address: event.address, currency: currency.code, amountMinor });
}

/** Keys of orders about a transaction begin with its id. */
function ofOrder({ database, mode }: Where, order: string): Promise<RailEventTarget | undefined> {
  return findByEnd2end(database, mode, order.split(':', 1)[0] as string);
}

function targetOfEvent(
  { database, mode }: Where,
  kind: RailEvent['kind'],
  key: string,
): Promise<RailEventTarget | undefined> {
  return findRailEventTarget(database, { mode, kind, key });
}

function ofPayment(
  where: Where,
  { endToEndId }: { readonly endToEndId: string },
): Promise<RailEventTarget | undefined> {
  return ofPix(where, endToEndId, 'payment');
}

/**
 * Searches the events first, which also have payments that no transaction accepted; then the transactions, which are stored
 * longer.
 */
async function ofPix(
  where: Where,
  endToEndId: string,
  kind: 'payment' | 'payout_ended',
): Promise<RailEventTarget | undefined> {
  const found = await targetOfEvent(where, kind, `pix:${endToEndId}`);
  return found ?? findByPix(where.database, where.mode, { endToEndId, isPayment: kind === 'payment' });
}

/**
 * A name of several words is an order of ours from before returns had ids: the order that the step waits for. Any other name
 * is an id, possibly of a return made at the provider itself, which ends none of ours.
 */
function pixReturnEnded({ isDone, order }: Having<RailEvent, 'refund_ended'>): Trigger {
  const returnId = order.includes(':') ? {} : { returnId: order };
  return { on: isDone ? 'refund_settled' : 'refund_failed', ...returnId };
}

function depositSentBack({ isDone, networkFee, gas, txHash }: Having<RailEvent, 'refund_ended'>): Trigger {
  if (!isDone) return { on: 'return_failed' };
  return { on: 'return_confirmed', networkFee: networkFee ?? '0', gas, txHash };
}

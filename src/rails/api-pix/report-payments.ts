/**
 * Translates a provider's reports into rail events, and passes them on. One query filters repeated reports, so that
 * repeated reads of a statement are cheap.
 */
import { BRL } from '../../base/money/currency.ts';
import { toMinor } from '../../base/money/money.ts';
import { railEventRecordOf } from '../../resolvers/inbound/rail-events.ts';
import type { RailEvent } from '../../resolvers/services/rail-event.ts';
import type { RailTools } from '../../resolvers/services/rail-part.ts';
import {
  endPixOrder,
  type NamedPixOrder,
  type PixOrderKind,
  readNamedPixOrders,
} from '../../store/rails/pix-orders.ts';
import { readStoredRailEvents } from '../../store/rails/pix-statement.ts';
import { type ApiPixSettings, listsDisputes } from './settings.ts';
import { afterPayout } from './times.ts';
import { unconfirmed } from './unconfirmed.ts';
import type { WirePix, WireReturn } from './wire.ts';
import { isPaidTo } from './wire-keys.ts';

/** Dependencies of all reports. */
export type ReportTools = Pick<RailTools, 'mode' | 'database' | 'receive'>;

/** Dependencies of reports about payments. */
export type PaymentTools = ReportTools & {
  readonly settings: Pick<ApiPixSettings, 'infractionsUrl' | 'med' | 'pixKey'>;
};

/** Known ids at the provider. */
export interface KnownNames {
  /** Payouts of the gateway by id. */
  readonly payout: ReadonlyMap<string, NamedPixOrder>;
  readonly return: ReadonlyMap<string, NamedPixOrder>;
  /** Returns by MED that were reported before the provider had an id for them. */
  readonly nameless: ReadonlySet<string>;
  /** The PIX key that charges are paid to. */
  readonly pixKey: string;
  /** Whether the provider lists disputes; if so, a return by MED is not a separate dispute. */
  readonly areDisputesListed: boolean;
}

/** Number of PIX processed in parallel. Reports about the same PIX stay in order. */
const PARALLEL_MAX = 8;

/** Passes on all new events about these PIX. When this resolves, all of them are stored. */
export async function reportPayments(tools: PaymentTools, payments: readonly WirePix[]): Promise<void> {
  const names = await namesOf(tools, payments);
  const events = payments.map((pix) => eventsOf(pix, names));
  const isNew = await untold(tools, events.flat());
  const waiting = events.map((each) => each.filter(isNew)).filter((each) => each.length > 0);
  const work = async () => {
    for (let each = waiting.shift(); each; each = waiting.shift())
      for (const one of each) await passOn(tools, one);
  };
  await Promise.all(Array.from({ length: PARALLEL_MAX }, work));
}

/** Passes on new reports, in order. */
export async function reportEvents(tools: ReportTools, events: readonly RailEvent[]): Promise<void> {
  const isNew = await untold(tools, events);
  for (const each of events) if (isNew(each)) await passOn(tools, each);
}

/**
 * Passes on a rail event, and ends the order that it ends. An order stays open if another amount than ordered was
 * returned, until a person decides.
 */
export async function passOn(tools: ReportTools, event: RailEvent): Promise<void> {
  const { mode, database, receive } = tools;
  const isToDecide = event.kind === 'refund_ended' && event.differs !== undefined;
  // An open order is polled repeatedly, so an event that waits for a person is logged only once.
  if (isToDecide && !(await untold(tools, [event]))(event)) return;
  await receive(event);
  if (isToDecide) return;
  const nowMs = database.nowMs();
  if (event.kind === 'payout_ended' || event.kind === 'refund_ended')
    await endPixOrder(
      database,
      { mode, key: event.order },
      {
        isDone: event.isDone,
        endToEndId: event.endToEndId,
        endedAtMs: nowMs,
        askAtMs: event.kind === 'payout_ended' && event.isDone ? afterPayout(nowMs, nowMs) : null,
      },
    );
}

/**
 * @returns events about a return that the gateway ordered, or, under the provider's id, one ordered at the provider.
 */
export function returnEvents(
  endToEndId: string,
  name: string,
  { amount, status }: Pick<WireReturn, 'amount' | 'status'>,
  order: NamedPixOrder | undefined,
): readonly RailEvent[] {
  if (status === 'EM_PROCESSAMENTO') return [];
  const isDone = status === 'DEVOLVIDO';
  const isOther = isDone && order !== undefined && centsOf(amount) !== centsOf(order.amount);
  const differs = isOther && { differs: { ordered: order.amount, returned: amount } };
  const key = order?.key ?? name;
  return [{ kind: 'refund_ended', rail: 'pix', order: key, endToEndId, isDone, ...differs, ...NO_NETWORK }];
}

/**
 * The provider decided a dispute and reports only its end, the debited money. A provider that lists disputes also
 * reports it there under another id; counting the return as a separate dispute would book it twice.
 */
function disputeReturnEvents(
  { areDisputesListed }: KnownNames,
  endToEndId: string,
  name: string,
  { amount, status }: WireReturn,
): readonly RailEvent[] {
  if (status !== 'DEVOLVIDO') return [];
  if (areDisputesListed) return [{ kind: 'dispute_returned', returnId: name, endToEndId, amount }];
  const dispute = { disputeId: name, endToEndId, amount };
  return [
    { kind: 'dispute_opened', ...dispute },
    { kind: 'dispute_accepted', ...dispute },
    // The dispute may cover less than this while a refund is in progress; the bank has paid this amount.
    { kind: 'dispute_returned', returnId: name, endToEndId, amount },
  ];
}

/**
 * Each part of a returned payout is identified by its rtrId alone, which the provider may add later. Under any other id
 * the part would be booked twice.
 * @returns events about a payout under its order's key.
 */
export function payoutEvents(
  order: string,
  {
    status,
    endToEndId,
    returns,
  }: { status: string; endToEndId: string | null; returns: readonly WireReturn[] },
): readonly RailEvent[] {
  if (status === 'NAO_REALIZADO') return [{ kind: 'payout_ended', order, isDone: false, endToEndId: null }];
  if (status !== 'REALIZADO' || endToEndId === null) return [];
  const back = returns.flatMap(({ status: now, rtrId: returnId, amount }): readonly RailEvent[] =>
    now === 'DEVOLVIDO' && returnId !== null
      ? [{ kind: 'payout_returned', endToEndId, returnId, amount }]
      : [],
  );
  return [{ kind: 'payout_ended', order, isDone: true, endToEndId }, ...back];
}

/** @returns events about a PIX, beginning with the payment itself. */
export function eventsOf(pix: WirePix, names: KnownNames): readonly RailEvent[] {
  const { endToEndId, amount, settledAt, payerTaxId, payerName, returns, sent } = pix;
  if (sent) {
    const order = names.payout.get(sent.id)?.key ?? sent.id;
    return [...payoutEvents(order, { status: sent.status, endToEndId, returns }), ...unreadableReturns(pix)];
  }
  // A charge is identified by key and txid together: the same txid at another key is a charge of another holder.
  const txid = isPaidTo(pix, names.pixKey) ? pix.txid : null;
  const payment: readonly RailEvent[] =
    settledAt === null
      ? []
      : [{ kind: 'payment', txid, endToEndId, amount, settledAt, payerTaxId, payerName }];
  const facts = factNames(pix);
  const back = returns.flatMap((each, index) => {
    const name = each.id ?? each.rtrId;
    const fact = facts[index] as string;
    if (each.isMed)
      return disputeReturnEvents(names, endToEndId, names.nameless.has(fact) ? fact : (name ?? fact), each);
    return returnEvents(endToEndId, name ?? endToEndId, each, names.return.get(name ?? ''));
  });
  return [...payment, ...back, ...unreadableReturns(pix)];
}

/** @returns events about an unreadable return: a person should see it, and it may become readable later. */
function unreadableReturns(pix: WirePix): readonly RailEvent[] {
  return pix.unread === null ? [] : [unconfirmed(pix, pix.unread)];
}

const NO_NETWORK = { networkFee: null, gas: null, txHash: null } as const;

/**
 * Ids of a payment's returns that have neither id nor rtrId: time, amount, and a number among equal ones. A return by
 * MED that was reported under such an id keeps it when the provider adds its own id later.
 */
function factNames({ endToEndId, returns }: Pick<WirePix, 'endToEndId' | 'returns'>): readonly string[] {
  const counts = new Map<string, number>();
  return returns.map(({ at, amount, isMed, status }) => {
    const fact = `${endToEndId}:${at ?? ''}:${centsOf(amount)}`;
    if (!isMed || status !== 'DEVOLVIDO') return fact;
    const count = (counts.get(fact) ?? 0) + 1;
    counts.set(fact, count);
    return count === 1 ? fact : `${fact}:${count}`;
  });
}

function centsOf(amount: string): bigint {
  return toMinor(amount, BRL.decimals);
}

async function namesOf(
  { database, mode, settings }: PaymentTools,
  payments: readonly WirePix[],
): Promise<KnownNames> {
  const named = (kind: PixOrderKind, ids: readonly (string | null)[]) =>
    readNamedPixOrders(database, mode, kind, [...new Set(ids.filter((id) => id !== null))]);
  const came = payments.filter(({ sent }) => !sent);
  const facts = came.flatMap((pix) => factNames(pix).filter((_, index) => pix.returns[index]?.isMed));
  const keys = new Map(facts.map((fact) => [keyOfDispute(mode, fact), fact]));
  const before = [...keys.keys()].flatMap((key) => [
    { kind: 'dispute_opened', key },
    { kind: 'dispute_returned', key },
  ]);
  const stored = before.length === 0 ? [] : await readStoredRailEvents(database, mode, before);
  return {
    payout: await named(
      'payout',
      payments.map(({ sent }) => sent?.id ?? null),
    ),
    return: await named(
      'return',
      came.flatMap(({ returns }) => returns.map(({ id }) => id)),
    ),
    nameless: new Set(stored.flatMap(({ key }) => keys.get(key) ?? [])),
    pixKey: settings.pixKey,
    areDisputesListed: listsDisputes(settings),
  };
}

/** @returns ids of disputes that were reported before. */
export async function reportedDisputes(
  { database, mode }: ReportTools,
  disputeIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const ids = new Map(disputeIds.map((id) => [keyOfDispute(mode, id), id]));
  const opened = [...ids.keys()].map((key) => ({ kind: 'dispute_opened', key }));
  const stored = opened.length === 0 ? [] : await readStoredRailEvents(database, mode, opened);
  return new Set(stored.flatMap(({ key }) => ids.get(key) ?? []));
}

function keyOfDispute(mode: ReportTools['mode'], disputeId: string): string {
  return railEventRecordOf({ mode }, { kind: 'dispute_opened', disputeId, endToEndId: '', amount: null }).key;
}

/** @returns a function that checks whether an event is new. */
export async function untold(
  { database, mode }: ReportTools,
  events: readonly RailEvent[],
): Promise<(event: RailEvent) => boolean> {
  if (events.length === 0) return () => false;
  const records = events.map((each) => railEventRecordOf({ mode }, each));
  const stored = await readStoredRailEvents(database, mode, records);
  const names = new Set(stored.map(({ kind, key }) => `${kind} ${key}`));
  return (each) => {
    const { kind, key } = railEventRecordOf({ mode }, each);
    return !names.has(`${kind} ${key}`);
  };
}

/** The PIX rail in the terms of the gateway's orders. */
import { assert, known } from '../../base/errors/assert.ts';
import { BRL } from '../../base/money/currency.ts';
import { fromMinor, toMinor, withDecimals } from '../../base/money/money.ts';
import { orderNameOf } from '../../base/pix/end-to-end-id.ts';
import type { RailTools } from '../../resolvers/services/rail-part.ts';
import { type OrderAnswer, type PixRail, RailRefused } from '../../resolvers/services/rails.ts';
import {
  endPixOrder,
  type NewPixOrder,
  namePixOrder,
  type PixOrderKind,
  readPixOrder,
} from '../../store/rails/pix-orders.ts';
import { cancelCharge, createCharge, queryCharge } from './charges.ts';
import type { ApiPix } from './client.ts';
import { PspProblem, PspUnavailable } from './http.ts';
import { keyOwner } from './key-lookups.ts';
import { medAnswers } from './med-answers.ts';
import { type OrderKind, queryOrder, submitOrder } from './orders.ts';
import type { PixPayouts } from './payouts.ts';
import { reconciledStatement } from './reconciled-statement.ts';
import { payoutEvents } from './report-payments.ts';
import { returnKind } from './returns.ts';
import type { ApiPixSettings } from './settings.ts';
import { isUnnamed } from './wire.ts';

/** Parts of the port. */
export interface PortParts {
  readonly tools: RailTools;
  readonly settings: ApiPixSettings;
  readonly api: ApiPix;
  /** Null if the provider has no payouts. */
  readonly payouts: PixPayouts | null;
}

/** Data of an order that the port supplies. */
type OrderData = Pick<NewPixOrder, 'key' | 'accountId' | 'amount'> &
  Partial<Pick<NewPixOrder, 'endToEndId' | 'pixKey' | 'payeeTaxId'>>;

/** @returns the port. */
export function pixPort(parts: PortParts): PixRail {
  const { tools, settings, api, payouts } = parts;
  const charging = { ...tools, api, settings };
  const submitting = { ...tools, api, sendAgainMs: settings.sendAgainSeconds * 1_000 };
  const kinds = orderKinds(parts);
  const submit = async (kind: PixOrderKind, data: OrderData): Promise<boolean> => {
    const order = orderOf(tools, kind, data);
    if ((await submitOrder(submitting, kinds[kind], order)) === 'placed') return true;
    const end = { isDone: false, endToEndId: null, endedAtMs: tools.database.nowMs(), askAtMs: null };
    await endPixOrder(tools.database, order, end);
    return false;
  };
  const refund = async (data: OrderData): Promise<void> => {
    if (!(await submit('return', data))) throw new RailRefused('the provider refuses to return the payment');
  };
  const answerMedCase = medAnswers(api, settings);
  return {
    ...(answerMedCase && { answerMedCase }),
    ispb: settings.ispb,
    holdsUnknownPayer: settings.unknownPayer === 'hold',
    createCharge: (order) => createCharge(charging, order),
    cancelCharge: (order) => cancelCharge(charging, order),
    queryCharge: ({ txid }) => queryCharge(charging, txid),
    payOut: async ({ key, row, amount }) => {
      const { accountId, pixKey, clientTaxId: payeeTaxId } = row;
      const isSubmitted = payouts && (await submit('payout', { key, accountId, amount, pixKey, payeeTaxId }));
      // A refusal is reported like a later rejection, because the transaction waits for one of these events.
      if (!isSubmitted)
        await tools.receive({ kind: 'payout_ended', order: key, isDone: false, endToEndId: null });
    },
    returnPayment: ({ returnId, row, amount }) =>
      refund({
        key: returnId,
        accountId: row.accountId,
        amount,
        endToEndId: known(row.pixE2e, 'a payment'),
      }),
    refund,
    queryOrder: (key) => answerAbout(tools, kinds, key),
    keyOwner: (row) => keyOwner(tools, payouts?.lookup, row),
    statement: reconciledStatement({ tools, api, kinds, balanceUrl: settings.balanceUrl }),
  };
}

/** @returns functions that send and query orders of each kind. */
export function orderKinds({
  tools,
  settings,
  api,
  payouts,
}: PortParts): Readonly<Record<PixOrderKind, OrderKind>> {
  const configured = () => {
    assert(payouts, 'a payout is ordered only if the rail can pay out');
    return payouts;
  };
  return {
    return: returnKind(api, settings.errors),
    payout: {
      send: async (data) => {
        const { key, pspId: id, amount, pixKey, payeeTaxId } = data;
        const order = { id, amount, pixKey: known(pixKey, 'a key'), payeeTaxId };
        const sent = await configured().send(order);
        if (sent.reference !== null) await namePixOrder(tools.database, data, sent.reference);
        return payoutEvents(key, sent);
      },
      query: async ({ key, pspId, reference = null }) => {
        const reported = await configured().find(pspId, reference);
        if (!reported) return undefined;
        const { unread, returns } = reported;
        if (unread !== null)
          tools.log.warn({ order: key, reason: unread }, 'a return of a payout cannot be read');
        return {
          events: payoutEvents(key, reported),
          isUnfinished: unread !== null || returns.some(isUnnamed),
        };
      },
      isRefusal: (problem) => configured().isRefusal(problem),
      repeatableMs: payouts?.repeatableMs ?? 0,
    },
  };
}

async function answerAbout(
  tools: RailTools,
  kinds: Readonly<Record<PixOrderKind, OrderKind>>,
  key: string,
): Promise<OrderAnswer> {
  const order = await readPixOrder(tools.database, tools.mode, key);
  if (!order) return 'unknown';
  try {
    const reported = await queryOrder(tools, kinds[order.kind], order);
    if (!reported) return 'unknown';
    if (reported.events.some((each) => each.kind === 'refund_ended' && each.differs)) return 'differs';
    return reported.events.length > 0 ? 'decided' : 'open';
  } catch (error) {
    if (error instanceof PspUnavailable || error instanceof PspProblem) return 'away';
    throw error;
  }
}

function orderOf({ mode }: Pick<RailTools, 'mode'>, kind: PixOrderKind, data: OrderData): NewPixOrder {
  const { key, accountId, amount, endToEndId = null, pixKey = null, payeeTaxId = null } = data;
  const text = withDecimals(fromMinor(toMinor(amount, BRL.decimals), BRL.decimals), BRL.decimals);
  const parties = { pixKey, payeeTaxId, endToEndId };
  return { mode, key, kind, accountId, pspId: orderNameOf(key), amount: text, ...parties };
}

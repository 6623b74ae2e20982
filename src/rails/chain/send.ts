/**
 * Sends orders: an order is stored under its key, then gets its nonce and its transaction, which is stored before it
 * is signed, and signed before it is broadcast. The same bytes are broadcast again and again until a block has them:
 * that cannot pay twice. Only a quorum of providers decides whether they are in a final block, or can never be in
 * one, and only then is an order over or made anew. A stuck transaction gets a higher fee at the same nonce; nonces
 * are given out one at a time, without gaps.
 */

import { end2endOfOrder } from '../../base/ids/end2end.ts';
import { currencyOfLedger } from '../../base/money/currency.ts';
import { millisOf } from '../../base/time/instant.ts';
import { aboutTransaction } from '../../base/trace/about.ts';
import { traceWork } from '../../base/trace/spans.ts';
import { readNetwork } from '../../store/rails/chain-network.ts';
import {
  type AttemptRow,
  addAttempt,
  beginSigning,
  nextNonceHere,
  noteOrder,
  type OrderRow,
  readAttempts,
  readOpenOrders,
  readPending,
  requeueOrder,
  storeSigned,
} from '../../store/rails/chain-orders.ts';
import { queryAll, queryFirst } from './agree.ts';
import { type GasPrice, type Movement, MovementRefused, type Nonce, type Signed } from './driver.ts';
import { NoGasPrice } from './gas-price.ts';
import { orderStatusOf } from './order-status.ts';
import { failOrder, finishOrder, reportFailed, reportSent } from './outcome.ts';
import type { NetworkParts } from './parts.ts';
import { SignerRefused, SignerUnavailable } from './signer.ts';

/** Sends orders. */
export interface Sender {
  /** Processes every open order once, at this price. A failure of one does not stop the others. */
  readonly processAll: (gasPrice: () => Promise<GasPrice>) => Promise<void>;
}

const ORDERS_MAX = 500;
/** Orders that providers are asked about at once. */
const PARALLEL_MAX = 8;
/** Pause before an order that cannot be made now is retried. */
const AGAIN_MS = 15_000;
/** Reasons of the signer that are the order's own. */
const PERMANENT_REASONS = ['destination', 'proof_missing', 'proof_wrong', 'transaction_limit'];
/** Maximum number of attempts of an order that the network would not execute. */
const REFUSED_MAX = 10;
/** The same bytes are broadcast again after so many looks at the network. */
const POLLS_BETWEEN = 4;

/** Parts of the sender in a turn. */
interface Sending extends NetworkParts {
  /** When each order was broadcast last, by its id. */
  readonly broadcastAt: Map<bigint, number>;
  /** @throws {NoGasPrice} */
  readonly gasPrice: () => Promise<GasPrice>;
  /** Senders with a transaction that the signer did not answer for: no other is made after it. */
  readonly unsigned: Set<string>;
}

/** @returns the sender of a network; it does nothing by itself. */
export function createSender(parts: NetworkParts): Sender {
  const { database, key } = parts;
  const broadcastAt = new Map<bigint, number>();
  return {
    processAll: async (gasPrice) => {
      const sending: Sending = { ...parts, broadcastAt, gasPrice, unsigned: new Set() };
      const open = await readOpenOrders(database, key, database.nowMs(), ORDERS_MAX);
      const made = await readAttempts(
        database,
        open.map(({ id }) => id),
      );
      const attempts = Map.groupBy(made, ({ orderId }) => orderId);
      const isPaused = (await readNetwork(database, key))?.pausedAt != null;
      const busy = new Set<string>();
      const scans = open.map((order) => {
        const isFirst = !busy.has(order.from);
        if (order.state !== 'queued') busy.add(order.from);
        return { order, look: { attempts: attempts.get(order.id) ?? [], isFirst, isPaused } };
      });
      const scan = (each: (typeof scans)[number]) => processTraced(sending, each.order, each.look);
      const sent = scans.filter(({ order }) => order.state === 'sent');
      for (let start = 0; start < sent.length; start += PARALLEL_MAX)
        await Promise.all(sent.slice(start, start + PARALLEL_MAX).map(scan));
      // Nonces are given one after the other.
      for (const each of scans) if (each.order.state !== 'sent') await scan(each);
    },
  };
}

/** State of an order when its turn comes. */
interface OrderScan {
  readonly attempts: readonly AttemptRow[];
  /** Whether no earlier order of its sender is open. */
  readonly isFirst: boolean;
  readonly isPaused: boolean;
}

/** One look after an order, in a trace of its own where it may send something: looks at what was sent come every few seconds. */
function processTraced(sending: Sending, order: OrderRow, scan: OrderScan): Promise<void> {
  const work = () =>
    processOrder(sending, order, scan).catch((error: unknown) => failed(sending, order, error));
  return aboutTransaction(end2endOfOrder(order.key), () =>
    order.state === 'sent'
      ? work()
      : traceWork(`order ${order.intent}`, { 'crossramp.order': order.key }, work),
  );
}

async function processOrder(sending: Sending, order: OrderRow, scan: OrderScan): Promise<void> {
  const last = scan.attempts.at(-1);
  if (order.state === 'failing') await reportFailed(sending, order, order.lastError ?? '');
  else if (order.state === 'sent') await follow(sending, order, scan);
  else if (order.state === 'signing' && last) await sign(sending, order, last);
  else if (!scan.isPaused && !sending.unsigned.has(order.from)) await begin(sending, order);
}

/** Gives an order its nonce and its transaction, and has it signed. */
async function begin(sending: Sending, order: OrderRow): Promise<void> {
  const { database, providers } = sending;
  const movement = movementOf(order);
  const price = await sending.gasPrice();
  // Without the amount, the network would not say what the transfer costs.
  const lacking = await lackingOf(sending, movement, 0n);
  if (lacking) return waitFor(sending, order, lacking);
  const nonce = await nonceFor(sending, order.from);
  const made = await queryFirst(providers, (each) => each.build(movement, nonce, price));
  const missing = await lackingOf(sending, movement, made.costMinor);
  if (missing) return waitFor(sending, order, missing);
  const number = await database.withTx((tx) => beginSigning(tx, order.id, made, database.nowMs()));
  if (number !== undefined) await sign(sending, { ...order, state: 'signing' }, { number, ...made });
}

async function sign(
  sending: Sending,
  order: OrderRow,
  { number, unsigned }: Pick<AttemptRow, 'number' | 'unsigned'>,
): Promise<void> {
  const { database, signer, key } = sending;
  const { intent, keyIndex, depositIndex, proof, id: orderId } = order;
  try {
    const signed = await signer.sign({
      id: `${key.mode}:${key.network}:${order.key}:${number}`,
      network: key.network,
      key: keyIndex === null ? { purpose: 'hot' } : { purpose: 'deposit', index: keyIndex },
      unsigned,
      intent,
      ...(depositIndex !== null && { depositIndex }),
      ...(proof != null && { proof }),
    });
    const isStored = await storeSigned(database, { orderId, number }, signed, database.nowMs());
    if (isStored) await broadcast(sending, order, signed.raw);
  } catch (error) {
    if (error instanceof SignerRefused) await refused(sending, order, error);
    else if (error instanceof SignerUnavailable) {
      sending.unsigned.add(order.from);
      await storeError(sending, order, `the signer is unreachable: ${error.message}`);
    } else throw error;
  }
}

/** Finds out the outcome of a signed order, and ends or resends it. */
async function follow(sending: Sending, order: OrderRow, { attempts, isFirst }: OrderScan): Promise<void> {
  const { database, key, log, facts } = sending;
  const signed = attempts.flatMap((each) => signedOf(order, each));
  const status = await orderStatusOf(sending, signed);
  if (status.state === 'final') {
    sending.broadcastAt.delete(order.id);
    return finishOrder(sending, order, status);
  }
  if (status.state === 'included') return reportSent(sending, order, status);
  if (status.state === 'never') {
    log.error({ ...key, order: order.key }, 'a transfer can no longer be in any block: it is made again');
    return requeueOrder(database, order, {
      dueMs: database.nowMs(),
      error: 'it can no longer be in any block',
    });
  }
  if (order.includedHeight !== null) await noteOrder(database, order.id, { ...order, includedHeight: null });
  const [last, newest] = [attempts.at(-1), signed.at(-1)];
  if (!newest || !last) return;
  const quietMs = performance.now() - (sending.broadcastAt.get(order.id) ?? Number.NEGATIVE_INFINITY);
  if (quietMs > facts.pollMs * POLLS_BETWEEN) await broadcast(sending, order, newest.raw);
  if (last.raw === null) await sign(sending, order, last);
  else if (isFirst && database.nowMs() - millisOf(last.madeAt) > facts.stuckMs)
    await replace(sending, order, last);
}

/** Offers the network more for a stuck transfer. */
async function replace(sending: Sending, order: OrderRow, stuck: AttemptRow): Promise<void> {
  const { database, key, log, facts } = sending;
  const made = facts.replace(stuck.unsigned, await sending.gasPrice());
  if (!made) return storeError(sending, order, 'it is stuck, and would cost more than the maximum');
  log.warn(
    { ...key, order: order.key, nonce: order.nonce },
    'a transfer is stuck: it is replaced at a higher fee',
  );
  const number = await addAttempt(database, order.id, made, database.nowMs());
  await sign(sending, order, { number, unsigned: made.unsigned });
}

async function broadcast(sending: Sending, order: OrderRow, raw: string): Promise<void> {
  sending.broadcastAt.set(order.id, performance.now());
  const answers = await queryAll(sending.providers, (each) => each.broadcast(raw));
  if (answers.some(({ error }) => !error)) return;
  const why = answers.map(({ provider, error }) => `${provider}: ${error?.message}`).join('; ');
  await storeError(sending, order, why);
}

function movementOf({ from, to, currency, amountMinor }: OrderRow): Movement {
  return { from, to, currency: currencyOfLedger(currency), amountMinor };
}

function signedOf(order: OrderRow, { raw, hash, nonce, expiresAt }: AttemptRow): Signed[] {
  if (raw === null || hash === null) return [];
  return [
    { from: order.from, nonce, raw, hash, expiresAtMs: expiresAt === null ? null : millisOf(expiresAt) },
  ];
}

/** A nonce that no order of ours has, and no block: a provider that names a higher one would leave a gap. */
async function nonceFor({ providers, database, key }: NetworkParts, from: string): Promise<Nonce> {
  const answers = await queryAll(providers, (each) => each.nextNonce(from));
  const nonces = answers.flatMap(({ value }) => (value === undefined ? [] : [value]));
  if (nonces.length === 0) throw new Error('no provider reports the next nonce');
  const there = nonces.reduce((low, each) => (low === null || each === null ? null : Math.min(low, each)));
  const here = await nextNonceHere(database, key, from);
  return there === null ? null : Math.max(there, here ?? 0);
}

/** At the next turn gas may cost less. The reason of the wait is logged once for all orders, and shown by `doctor`. */
async function waitForGasPrice(parts: NetworkParts, order: OrderRow): Promise<void> {
  const error = 'waits for the price of gas';
  if (order.state !== 'queued') return storeError(parts, order, error);
  if (order.lastError !== error)
    await requeueOrder(parts.database, order, { dueMs: parts.database.nowMs(), error });
}

async function waitFor({ database, key, log }: NetworkParts, order: OrderRow, code: string): Promise<void> {
  log.error({ ...key, order: order.key, lacking: code }, 'a transfer waits for money');
  await requeueOrder(database, order, { dueMs: database.nowMs() + AGAIN_MS, error: `waits for ${code}` });
}

/** @returns the missing part of the sender's balance; undefined when there is enough. */
async function lackingOf(
  { providers, database, key, facts: { coin } }: NetworkParts,
  { from, currency, amountMinor }: Movement,
  costMinor: bigint,
): Promise<string | undefined> {
  const free = async (each: typeof coin) => {
    const there = await queryFirst(providers, (provider) => provider.balance(from, each));
    return there - (await readPending(database, key, from, each.code));
  };
  const isCoin = currency.code === coin.code;
  if (!isCoin && (await free(currency)) < amountMinor) return currency.code;
  return (await free(coin)) < costMinor + (isCoin ? amountMinor : 0n) ? coin.code : undefined;
}

/**
 * A refused order was not signed: errors of the order itself end it; limits pass with time, and a person fixes the
 * rest.
 */
async function refused(
  parts: NetworkParts,
  order: OrderRow,
  { reason, message }: SignerRefused,
): Promise<void> {
  parts.log.error({ ...parts.key, order: order.key, reason }, 'the signer refuses a transfer');
  const error = `the signer refuses it: ${message}`;
  if (order.state === 'sent') return storeError(parts, order, error);
  if (PERMANENT_REASONS.includes(reason)) return failOrder(parts, order, error);
  return requeueOrder(parts.database, order, { dueMs: parts.database.nowMs() + AGAIN_MS, error });
}

async function failed(parts: NetworkParts, order: OrderRow, error: unknown): Promise<void> {
  if (error instanceof NoGasPrice) return waitForGasPrice(parts, order);
  const { message } = error instanceof Error ? error : new Error(String(error));
  parts.log.warn({ err: error, ...parts.key, order: order.key }, 'a transfer cannot be processed now');
  if (order.state !== 'queued') return storeError(parts, order, message);
  if (error instanceof MovementRefused && order.tries >= REFUSED_MAX) return failOrder(parts, order, message);
  return requeueOrder(parts.database, order, { dueMs: parts.database.nowMs() + AGAIN_MS, error: message });
}

async function storeError({ database }: NetworkParts, order: OrderRow, error: string): Promise<void> {
  await noteOrder(database, order.id, { ...order, lastError: error });
}

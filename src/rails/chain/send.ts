/**
 * Sends orders. An order is stored under its key, then gets a nonce and a transaction, which is stored before it is
 * signed, and signed before it is broadcast. The same bytes are broadcast repeatedly until a block has them, which
 * cannot pay twice. Only a quorum of providers decides that a transaction is in a final block, or can never be in one;
 * only then is the order finished or made anew. A stuck transaction is replaced at a higher fee with the same nonce.
 * Nonces are assigned one at a time, without gaps.
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
import type { RestoredRail } from '../../store/rails/restores.ts';
import { checkNetwork, mayBegin, requestRescan } from './after-restore.ts';
import { queryAll, queryFirst } from './agree.ts';
import { type GasPrice, type Movement, MovementRefused, type Nonce, type Signed } from './driver.ts';
import { NoGasPrice } from './gas-price.ts';
import { orderStatusOf } from './order-status.ts';
import { failOrder, finishOrder, reportFailed, reportSent } from './outcome.ts';
import type { NetworkParts } from './parts.ts';
import { SignerRefused, SignerUnavailable } from './signer.ts';

/** Sends orders. */
export interface Sender {
  /** Processes every open order once at this gas price. The failure of one order does not stop the others. */
  readonly processAll: (gasPrice: () => Promise<GasPrice>) => Promise<void>;
}

const ORDERS_MAX = 500;
/** Maximum number of orders whose status is queried in parallel. */
const PARALLEL_MAX = 8;
/** Delay before an order that cannot be made now is retried. Unit: ms. */
const AGAIN_MS = 15_000;
/**
 * Refusal reasons of the signer that concern the order itself, and therefore end it. An order whose destination has no proof where
 * the policy serves none waits: the operator raises `unproven`.
 */
const PERMANENT_REASONS = ['destination', 'proof_missing', 'proof_wrong', 'transaction_limit'];
/** Maximum number of attempts of an order that the network refuses. */
const REFUSED_MAX = 10;
/** Number of polls between two broadcasts of the same bytes. */
const POLLS_BETWEEN = 4;

/** Dependencies and state of one cycle. */
interface Sending extends NetworkParts {
  /** Time of the last broadcast of each order, by order id. */
  readonly broadcastAt: Map<bigint, number>;
  /** @throws {NoGasPrice} */
  readonly gasPrice: () => Promise<GasPrice>;
  /**
   * Senders with a transaction for which the signer did not answer; no later transaction of theirs is made in this
   * cycle.
   */
  readonly unsigned: Set<string>;
  /** The network after the last restore, at the start of the cycle; undefined if the database was never restored. */
  readonly restored: RestoredRail | undefined;
}

/** @returns the sender of a network; it works only when called. */
export function createSender(parts: NetworkParts): Sender {
  const { database, key } = parts;
  const broadcastAt = new Map<bigint, number>();
  return {
    processAll: async (gasPrice) => {
      const open = await readOpenOrders(database, key, database.nowMs(), ORDERS_MAX);
      const isSending = open.some(({ state }) => state === 'queued' || state === 'signing');
      const restored = isSending ? await checkNetwork(parts) : undefined;
      const sending: Sending = { ...parts, broadcastAt, gasPrice, unsigned: new Set(), restored };
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
        return { order, scan: { attempts: attempts.get(order.id) ?? [], isFirst, isPaused } };
      });
      const processOne = ({ order, scan }: (typeof scans)[number]) => processTraced(sending, order, scan);
      const sent = scans.filter(({ order }) => order.state === 'sent');
      for (let start = 0; start < sent.length; start += PARALLEL_MAX)
        await Promise.all(sent.slice(start, start + PARALLEL_MAX).map(processOne));
      // Nonces are assigned one at a time.
      for (const each of scans) if (each.order.state !== 'sent') await processOne(each);
    },
  };
}

/** State of an order at the start of the cycle. */
interface OrderScan {
  readonly attempts: readonly AttemptRow[];
  /** Whether no earlier order of its sender is open. */
  readonly isFirst: boolean;
  readonly isPaused: boolean;
}

/**
 * Processes an order, in its own trace if it may send something. Mere status polls, every few seconds, are not traced.
 */
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
  else if (order.state === 'signing' && last) {
    if (await mayBegin(sending, order, await checkNetwork(sending))) await sign(sending, order, last);
  } else if (
    !scan.isPaused &&
    !sending.unsigned.has(order.from) &&
    (await mayBegin(sending, order, sending.restored))
  )
    await begin(sending, order);
}

/** Assigns nonce and transaction to an order, and requests its signature. */
async function begin(sending: Sending, order: OrderRow): Promise<void> {
  const { database, providers } = sending;
  const movement = movementOf(order);
  const price = await sending.gasPrice();
  // Networks estimate the cost only if the sender has the amount, so the balance is checked first.
  const lacking = await lackingOf(sending, movement, 0n);
  if (lacking) return waitFor(sending, order, lacking);
  const nonce = await nonceFor(sending, order.from);
  const made = await queryFirst(providers, (each) => each.build(movement, nonce, price));
  const missing = await lackingOf(sending, movement, made.costMinor);
  if (missing) return waitFor(sending, order, missing);
  // The database may have been restored, or the network stopped, since the start of the cycle.
  if (!(await mayBegin(sending, order, await checkNetwork(sending)))) return;
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

/** Queries the outcome of a signed order, and finishes, resends or replaces it. */
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
    await requestRescan(sending, order);
    return requeueOrder(database, order, {
      dueMs: database.nowMs(),
      error: 'it can no longer be in any block',
    });
  }
  if (order.includedHeight !== null) await noteOrder(database, order.id, { ...order, includedHeight: null });
  const [last, newest] = [attempts.at(-1), signed.at(-1)];
  // The bytes of a transaction of a lost history are gone.
  if (!newest || !last || newest.raw === '') return;
  const quietMs = performance.now() - (sending.broadcastAt.get(order.id) ?? Number.NEGATIVE_INFINITY);
  if (quietMs > facts.pollMs * POLLS_BETWEEN) await broadcast(sending, order, newest.raw);
  if (last.raw === null) await sign(sending, order, last);
  else if (isFirst && database.nowMs() - millisOf(last.madeAt) > facts.stuckMs)
    await replace(sending, order, last);
}

/** Replaces a stuck transaction by one with a higher fee. */
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

/**
 * @returns the first nonce that neither an order nor a block has used. A provider that reports a higher nonce cannot
 *   create a gap.
 */
async function nonceFor({ providers, database, key }: NetworkParts, from: string): Promise<Nonce> {
  const answers = await queryAll(providers, (each) => each.nextNonce(from));
  const nonces = answers.flatMap(({ value }) => (value === undefined ? [] : [value]));
  if (nonces.length === 0) throw new Error('no provider reports the next nonce');
  const there = nonces.reduce((low, each) => (low === null || each === null ? null : Math.min(low, each)));
  const here = await nextNonceHere(database, key, from);
  return there === null ? null : Math.max(there, here ?? 0);
}

/** Lets an order wait for a lower gas price. The reason is logged once for all orders, and shown by `doctor`. */
async function waitForGasPrice(parts: NetworkParts, order: OrderRow): Promise<void> {
  const error = 'waits for a lower gas price';
  if (order.state !== 'queued') return storeError(parts, order, error);
  if (order.lastError !== error)
    await requeueOrder(parts.database, order, { dueMs: parts.database.nowMs(), error });
}

async function waitFor({ database, key, log }: NetworkParts, order: OrderRow, code: string): Promise<void> {
  log.error({ ...key, order: order.key, lacking: code }, 'a transfer waits for money');
  await requeueOrder(database, order, { dueMs: database.nowMs() + AGAIN_MS, error: `waits for ${code}` });
}

/** @returns the missing part of the sender's balance; undefined if the balance suffices. */
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
 * Handles an order that the signer refused to sign. Errors of the order itself end it. Limits pass with time, and a
 * person must correct all other reasons.
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
  if (reason === 'id_reused') await requestRescan(parts, order);
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

/**
 * Decides whether a transaction is signed: by its destination, the proof of it, its cost, and the amounts signed
 * before.
 */
import { isRefusedDestination } from '../base/chain/address.ts';
import type { SignRequest } from '../chains/sign-request.ts';
import { closedUnproven, type Limits, MICRO_DECIMALS, type Policy, usd } from './policy.ts';
import { coinOf, type Transfer } from './read-transfer.ts';
import type { Entry, SignedRecord } from './record.ts';
import { Refusal } from './signer-error.ts';
import type { Wallet } from './wallet.ts';

/** Kind of a transfer, determined by the check of its destination. */
export type TransferKind = 'customer' | 'proven' | 'sweep' | 'gas' | 'cancel';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * @param prove - checks the request's proof for a destination, and throws unless the proof is valid.
 * @throws {Refusal} `key`, `call`, `destination`, `proof_missing`, `proof_wrong`.
 */
export function transferKindOf(
  wallet: Wallet,
  request: SignRequest,
  transfer: Transfer,
  prove: () => void,
): TransferKind {
  const { network, key, intent, proof } = request;
  const { to, amount, currency } = transfer;
  const isCoin = currency.code === coinOf(network).code;
  if (amount === 0n && isCoin && transfer.nonce !== null && to === wallet.addressOf(network, key))
    return 'cancel';
  if (amount === 0n) throw new Refusal('call', 'the transaction moves nothing');
  if (intent === 'sweep') {
    if (key.purpose !== 'deposit')
      throw new Refusal('key', 'a sweep is signed by the key of a deposit address');
    if (to !== wallet.hot[network]) throw new Refusal('destination', 'a sweep goes to the hot wallet only');
    return 'sweep';
  }
  if (key.purpose !== 'hot')
    throw new Refusal('key', `a deposit address is only swept, not used for ${intent}`);
  if (intent === 'gas') {
    const index = request.depositIndex;
    const isOwn = index !== undefined && to === wallet.addressOf(network, { purpose: 'deposit', index });
    if (!isCoin || !isOwn)
      throw new Refusal('destination', 'gas goes as coin to the deposit address of depositIndex');
    return 'gas';
  }
  const refused = isRefusedDestination(network, to);
  if (refused) throw new Refusal('destination', `the destination is ${refused}`);
  if (proof === undefined || proof === null) {
    if (intent === 'withdrawal')
      throw new Refusal('proof_missing', 'a withdrawal needs proof of its destination');
    return 'customer';
  }
  prove();
  return 'proven';
}

/**
 * Checks a request against all earlier entries. Call this and add the entry under one lock.
 * @returns the entry to be counted.
 * @throws {Refusal} `value_unknown`, `limit_fee`, `nonce_reused`, `fee_not_higher`, `limit_unproven`, `transaction_limit`,
 *   `limit_…`.
 */
export function countedEntry(
  policy: Policy,
  record: SignedRecord,
  transfer: Transfer,
  request: {
    readonly id: string;
    readonly body: string;
    readonly sender: string;
    readonly kind: TransferKind;
    readonly nowMs: number;
  },
): Entry {
  const { kind, nowMs, ...who } = request;
  const { network, currency, nonce } = transfer;
  const coin = coinOf(network);
  const fee = inUsd(policy, coin.code, transfer.fee, coin.decimals);
  if (fee > policy.fee)
    throw new Refusal('limit_fee', `the fee may become USD ${usd(fee)}, above USD ${usd(policy.fee)}`);
  const payload = `${currency.code} ${transfer.amount} ${transfer.to}`;
  const before =
    nonce === null ? NOTHING_BEFORE : signedBefore(record, { network, nonce, payload, fee, kind, ...who });
  const value = before.isCounted ? 0n : inUsd(policy, currency.code, transfer.amount, currency.decimals);
  const leaves = kind === 'customer' || kind === 'proven';
  const all = (leaves ? value : 0n) + fee - before.fee;
  const entry: Entry = {
    ...who,
    network,
    nonce,
    payload,
    fee,
    all,
    unproven: kind === 'customer' ? all : 0n,
    gas: kind === 'gas' ? value : 0n,
    currency: currency.code,
    amount: leaves && !before.isCounted ? perMillion(transfer.amount, currency.decimals) : 0n,
  };
  checkLimits(policy, record, entry, nowMs);
  return entry;
}

/** Amounts already counted at the same nonce, of whose transactions at most one is ever mined. */
interface Before {
  readonly isCounted: boolean;
  readonly fee: bigint;
}

const NOTHING_BEFORE: Before = { isCounted: false, fee: 0n };

/** A nonce may be reused at a higher fee, by the same transaction or by one that moves no money. */
function signedBefore(
  record: SignedRecord,
  now: Pick<Entry, 'network' | 'sender' | 'payload' | 'fee'> & {
    readonly nonce: number;
    readonly kind: TransferKind;
  },
): Before {
  const before = record.atNonce(now.network, now.sender, now.nonce);
  if (before.length === 0) return NOTHING_BEFORE;
  const cancelling = cancelOf(now.network, now.sender);
  const others = before.filter(({ payload }) => payload !== now.payload && payload !== cancelling);
  if (now.kind !== 'cancel' && others.length > 0)
    throw new Refusal('nonce_reused', `nonce ${now.nonce} is another transfer's: ${others[0]?.payload}`);
  const fee = before.map((each) => each.fee).reduce((most, each) => (each > most ? each : most));
  if (now.fee <= fee)
    throw new Refusal('fee_not_higher', `nonce ${now.nonce} was already signed at USD ${usd(fee)}`);
  return { isCounted: before.some(({ payload }) => payload === now.payload), fee };
}

const cancelOf = (network: string, sender: string) => `${coinOf(network).code} 0 ${sender}`;

/** Another reason than that of a limit which is used up: the request is accepted once the operator sets a figure. */
function refuseWithoutProof(policy: Policy, { unproven }: Entry): void {
  const closed = closedUnproven(policy);
  if (unproven === 0n || closed.length === 0) return;
  throw new Refusal(
    'limit_unproven',
    `the destination has no proof, and policy.json allows none without: set ${closed.join(', ')} above 0 to allow it, and restart the signer`,
  );
}

function checkLimits(policy: Policy, record: SignedRecord, entry: Entry, nowMs: number): void {
  refuseWithoutProof(policy, entry);
  const ofCurrency = policy.currencies.get(entry.currency);
  const limits: readonly (readonly [
    name: string,
    now: bigint,
    of: 'all' | 'unproven' | 'gas' | 'currency',
    Limits,
  ])[] = [
    ['everything that leaves', entry.all, 'all', policy.all],
    ['what leaves without proof', entry.unproven, 'unproven', policy.unproven],
    ['gas of deposit addresses', entry.gas, 'gas', policy.gas],
    ...(ofCurrency ? [[entry.currency, entry.amount, 'currency', ofCurrency] as const] : []),
  ];
  const refuse = (
    reason: 'transaction_limit' | 'limit_hour' | 'limit_day',
    name: string,
    sum: bigint,
    setting: string,
    limit: bigint,
  ): never => {
    throw new Refusal(
      reason,
      `${name}: ${usd(sum)} is above the limit of ${usd(limit)}, ${setting} of policy.json`,
    );
  };
  const { count } = record.sums(entry.currency, nowMs - MINUTE_MS);
  if (count >= policy.perMinute)
    throw new Refusal('limit_minute', `${count} transactions were signed within a minute`);
  const hour = record.sums(entry.currency, nowMs - HOUR_MS);
  const day = record.sums(entry.currency, nowMs - DAY_MS);
  for (const [name, now, of, limit] of limits) {
    if (now === 0n) continue;
    const setting = of === 'currency' ? `currencies.${entry.currency}` : of;
    if (now > limit.transaction)
      refuse('transaction_limit', name, now, `${setting}.transaction`, limit.transaction);
    if (hour[of] + now > limit.hour)
      refuse('limit_hour', name, hour[of] + now, `${setting}.hour`, limit.hour);
    if (day[of] + now > limit.day) refuse('limit_day', name, day[of] + now, `${setting}.day`, limit.day);
  }
}

/** @returns an amount in US dollars, rounded up. Unit: millionths. */
function inUsd(policy: Policy, code: string, amount: bigint, decimals: number): bigint {
  const value = policy.values.get(code);
  if (value === undefined) throw new Refusal('value_unknown', `the policy has no value of ${code}`);
  return roundedUp(amount * value, decimals);
}

/** @returns an amount in millionths of its currency, rounded up. */
const perMillion = (amount: bigint, decimals: number) =>
  roundedUp(amount * 10n ** BigInt(MICRO_DECIMALS), decimals);

function roundedUp(amount: bigint, decimals: number): bigint {
  const unit = 10n ** BigInt(decimals);
  return (amount + unit - 1n) / unit;
}

/** Makes withdrawals: from the balance to a whitelisted wallet or PIX key (contract 4, C-22). */

import { parseAddress } from '../../base/chain/address.ts';
import { assert } from '../../base/errors/assert.ts';
import { GatewayError, invalidParameters, overLimit } from '../../base/errors/errors.ts';
import type { Named } from '../../base/errors/violations.ts';
import { BRL, type Currency } from '../../base/money/currency.ts';
import { fromMinor, isMore, toMinor } from '../../base/money/money.ts';
import { PIX_KEY_TYPES, parsePixKey } from '../../base/pix/pix-key.ts';
import { isoSeconds, millisOf } from '../../base/time/instant.ts';
import { readEntries, type WhitelistEntryRow } from '../../store/account/whitelist.ts';
import { readTemplateSettings } from '../../store/engine/pricing.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { CreationChecks } from '../checks/check-creation.ts';
import { type Input, WITHDRAWAL_MEMBERS } from '../checks/creation-members.ts';
import { atLeast } from '../checks/limit-facts.ts';
import type { Attempt } from '../checks/once.ts';
import { refuseOutOfBounds, worthNow } from '../pricing/price.ts';
import type { NewProcess } from '../services/advance.ts';
import { type Context, requirePermission, requireRails, requireScope } from '../services/context.ts';
import { settleProtections } from '../settings/protections.ts';
import { refuseUncovered } from './create-offramp.ts';
import { chooseTemplate, createAndAwait, emptyProcess } from './create-transaction.ts';

/** Input of a caller; each value carries the caller's own name for it. */
export interface WithdrawalInput extends Input<typeof WITHDRAWAL_MEMBERS> {
  /** Name of a template; the default one if omitted. */
  readonly template?: Named | undefined;
  /** Most network fee that the caller accepts. */
  readonly networkFeeMax?: Named | undefined;
}

/** The caller's names of members that may be missing. */
export type WithdrawalNames = Readonly<Record<'amountReceived' | 'currency' | 'groupId' | 'address', string>>;

/**
 * @returns the transaction, reserved or waiting for approval.
 * @throws {GatewayError} `INVALID_PARAMETER`, `CURRENCY_AMBIGUOUS`, `ADDRESS_NOT_WHITELISTED`, `LIMIT_EXCEEDED`,
 *   `INSUFFICIENT_BALANCE`, `QUOTE_UNAVAILABLE`; each leaves nothing stored.
 */
export async function createWithdrawal(
  context: Context,
  attempt: Attempt,
  input: WithdrawalInput,
  checks: CreationChecks,
  names: WithdrawalNames,
): Promise<ProcessRow> {
  requirePermission(context, 'withdrawal.create');
  const currency = checks.oneCurrency(checks.required(input.currency, names.currency), { crypto: false });
  const amount = checks.amount(checks.required(input.amountReceived, names.amountReceived), currency);
  const groupId = checks.text(checks.required(input.groupId, names.groupId));
  const isAddress = currency !== undefined && currency !== BRL;
  const address = isAddress ? checks.wallet(input.address, currency) : checks.text(input.address);
  const stored = checks.stored(WITHDRAWAL_MEMBERS, input);
  const feeMax = checks.feeMax(input.networkFeeMax);
  checks.refuse();
  assert(currency && amount && groupId, 'a required input is present after its check');
  const use = { family: 'withdrawals', crypto: 'external', currency: currency.code } as const;
  const template = chooseTemplate(context.registry, use, input.template, names.currency);
  return createAndAwait(context, attempt, async () => {
    await settleProtections(context);
    const nowMs = await context.clock.nowMs();
    const entry = await destination(context, { currency, groupId, address, nowMs }, names);
    const worth = await worthNow(context, currency, amount);
    refuseOutOfBounds(
      worth,
      await readTemplateSettings(context.database, context.caller.accountId, template.name),
    );
    await refuseUncovered(context, currency, amount);
    const networkFee = currency === BRL ? null : await networkFeeOf(context, currency, amount);
    if (feeMax !== undefined && isMore(networkFee ?? '0', feeMax))
      throw overLimit(
        `the network fee is ${networkFee} now, above networkFeeMax`,
        atLeast('network_fee_max', toMinor(networkFee ?? '0', currency.decimals), currency),
      );
    const blank = emptyProcess(
      context.caller.accountId,
      template.name,
      nowMs,
      context.caller.id,
      context.database.cell,
    );
    const create: NewProcess = {
      ...blank,
      ...stored,
      sourceCurrency: currency.code,
      sourceAmount: amount,
      targetCurrency: currency.code,
      targetAmount: networkFee === null ? amount : less(amount, networkFee, currency),
      networkFee,
      wallet: entry.target,
      pixKey: entry.pixKeyType === null ? null : entry.target,
      pixKeyType: entry.pixKeyType,
      groupId,
      // Whether it needs approval follows from what left, under the account's lock (engine/rule-money-out.ts).
      process: { ...blank.process, worth },
    };
    return { create, awaitsRail: false };
  });
}

async function destination(
  { database, caller }: Context,
  wanted: { currency: Currency; groupId: string; address: string | undefined; nowMs: number },
  names: WithdrawalNames,
): Promise<WhitelistEntryRow> {
  const { currency, groupId, address, nowMs } = wanted;
  const refuse = (detail: string) => new GatewayError('ADDRESS_NOT_WHITELISTED', detail);
  const fits = (entry: WhitelistEntryRow) =>
    currency === BRL ? entry.pixKeyType !== null : entry.network === currency.network;
  const entries = (await readEntries(database, caller.accountId, groupId)).filter(fits);
  const meant = address === undefined ? entries : entries.filter((entry) => isMeant(entry, address));
  const [entry] = meant;
  if (!entry)
    throw refuse(
      `the group has no entry for this ${currency === BRL ? 'PIX key' : 'address'} of ${currency.displayName}`,
    );
  if (meant.length > 1)
    throw invalidParameters([
      {
        parameter: names.address,
        message: `is required: the group has several entries for ${currency.displayName}`,
      },
    ]);
  if (millisOf(entry.usableAt) > nowMs)
    throw refuse(`the entry becomes usable at ${isoSeconds(entry.usableAt)}`);
  return entry;
}

/** Whether an entry is the destination, in any spelling: each entry knows the form of its kind. */
function isMeant({ network, pixKeyType, target }: WhitelistEntryRow, text: string): boolean {
  const type = PIX_KEY_TYPES.find((each) => each === pixKeyType);
  return (network !== null ? parseAddress(network, text) : type && parsePixKey(type, text)) === target;
}

/**
 * @returns the network fee that a withdrawal of this currency pays now, decimal text; 0 by PIX.
 * @throws {GatewayError} `FORBIDDEN`, `INVALID_PARAMETER`, `CURRENCY_AMBIGUOUS`, `RAILS_MISSING`.
 */
export async function readWithdrawalFee(
  context: Context,
  input: Named,
  checks: CreationChecks,
): Promise<string> {
  requireScope(context, 'read');
  requireRails(context);
  const currency = checks.oneCurrency(input, { crypto: false });
  checks.refuse();
  assert(currency, 'an accepted input is present');
  if (currency === BRL) return '0';
  return fromMinor(await context.rails.chain.networkFee(currency), currency.decimals);
}

async function networkFeeOf({ rails }: Context, currency: Currency, amount: string): Promise<string> {
  const fee = await rails.chain.networkFee(currency);
  if (toMinor(amount, currency.decimals) <= fee)
    throw overLimit('the amount does not cover the network fee', atLeast('network_fee', fee + 1n, currency));
  return fromMinor(fee, currency.decimals);
}

function less(amount: string, fee: string, { decimals }: Currency): string {
  return fromMinor(toMinor(amount, decimals) - toMinor(fee, decimals), decimals);
}

/** Facts of a transaction that authorities require: given at its creation, or later by an action in the audit log. */
import type { ActionName } from '../../base/access/actions.ts';
import { GatewayError } from '../../base/errors/errors.ts';
import type { Named } from '../../base/errors/violations.ts';
import { BRL } from '../../base/money/currency.ts';
import { divide, isDecimal, multiply } from '../../base/money/money.ts';
import { isCountry } from '../../base/text/country.ts';
import { maskName } from '../../base/text/mask.ts';
import { instantOf } from '../../base/time/instant.ts';
import { difference } from '../../store/engine/audit.ts';
import {
  NO_RECORD,
  type RecordFacts,
  readRecord,
  storeRecord,
  type WalletCustody,
} from '../../store/engine/transaction-records.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import { audited } from '../checks/audited.ts';
import type { CreationChecks } from '../checks/check-creation.ts';
import type { Attempt } from '../checks/once.ts';
import { currentRate } from '../pricing/price.ts';
import { type Context, requirePermission } from '../services/context.ts';
import { findOwnProcess } from '../transactions/read-transaction.ts';

type NamedValue = Named | null | undefined;

/** Input of a caller; null removes a recorded value, and a missing member leaves it as it is. */
export interface RecordInput {
  readonly walletCustody?: WalletCustody | null | undefined;
  readonly walletHolder?: NamedValue;
  readonly walletVasp?: NamedValue;
  readonly walletCountry?: NamedValue;
  readonly purposeCode?: NamedValue;
  readonly counterpartyCountry?: NamedValue;
  readonly usdValue?: NamedValue;
  readonly usdValueAt?: Date | null | undefined;
}

const PURPOSE_CODE = /^\d{5}$/;
/** Digits of a value in USD before the point, and behind it. */
export const USD_DIGITS = { whole: 15, decimals: 8 } as const;
const USD = new RegExp(`^\\d{1,${USD_DIGITS.whole}}(?:\\.\\d{1,${USD_DIGITS.decimals}})?$`);
const USD_DECIMALS = 2;

/**
 * @param names - the caller's names of value and time, which must be given together.
 * @returns the validated input.
 */
export function checkRecord(
  checks: CreationChecks,
  input: RecordInput,
  names: Readonly<Record<'usdValue' | 'usdValueAt', string>>,
): Partial<RecordFacts> {
  const { usdValue, usdValueAt } = input;
  if (usdValue && !usdValueAt)
    checks.add({ parameter: names.usdValueAt, message: `is required with ${names.usdValue}` });
  if (usdValueAt && !usdValue)
    checks.add({ parameter: names.usdValue, message: `is required with ${names.usdValueAt}` });
  const country = form(checks, isCountry, 'must be two letters of ISO 3166-1, such as BR');
  const purpose = form(checks, (text) => PURPOSE_CODE.test(text), 'must be 5 digits');
  const usd = form(
    checks,
    (text) => isDecimal(text) && USD.test(text),
    `must be a decimal number that is not below zero, with at most ${USD_DIGITS.decimals} decimals`,
  );
  const name = (input: NamedValue) => (input ? (checks.personName(input) ?? null) : input);
  const facts = {
    walletCustody: input.walletCustody,
    walletHolder: name(input.walletHolder),
    walletVasp: name(input.walletVasp),
    walletCountry: country(input.walletCountry),
    purposeCode: purpose(input.purposeCode),
    counterpartyCountry: country(input.counterpartyCountry),
    ...(usdValue !== undefined && {
      usdValue: usd(usdValue),
      usdValueAt: usdValueAt ? instantOf(usdValueAt) : null,
      usdRate: null,
    }),
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

function form(checks: CreationChecks, isAccepted: (text: string) => boolean, message: string) {
  return (input: NamedValue): string | null | undefined => {
    if (!input) return input;
    if (isAccepted(input.value)) return input.value;
    return checks.add({ parameter: input.name, message }) ?? null;
  };
}

/**
 * Adds to a creation the facts to be recorded of its transaction, with its value in USD if the caller gave none and a rate of
 * USD is known.
 */
export async function recordingFacts(
  context: Context,
  attempt: Attempt,
  input: Partial<RecordFacts>,
): Promise<Attempt> {
  const nowMs = await context.clock.nowMs();
  const rate = input.usdValue === undefined ? await usdRateAt(context, nowMs) : undefined;
  return {
    ...attempt,
    store: async (tx, made) => {
      const brl = brlOf(made);
      const counted = rate !== undefined &&
        brl !== undefined && {
          usdValue: divide(brl, rate, USD_DECIMALS),
          usdValueAt: instantOf(new Date(nowMs)),
          usdRate: rate,
        };
      await storeRecord(tx, made, { ...NO_RECORD, ...input, ...counted });
    },
  };
}

/** @returns BRL for one USD; undefined if no source has it now: a creation does not wait for it. */
async function usdRateAt(context: Context, nowMs: number): Promise<string | undefined> {
  try {
    return await currentRate(context, 'USD', nowMs);
  } catch (error) {
    if (error instanceof GatewayError && ['QUOTE_UNAVAILABLE', 'RAILS_MISSING'].includes(error.code))
      return undefined;
    throw error;
  }
}

/**
 * @returns the worth of a new transaction: its crypto at the mid-market rate of its price; of withdrawals, the amount
 *   that limits count.
 */
function brlOf({ process, refQuote, ...row }: ProcessRow): string | undefined {
  if (process?.worth !== undefined) return process.worth;
  const crypto = row.sourceCurrency === BRL.code ? row.targetAmount : row.sourceAmount;
  return crypto === null || refQuote === null ? undefined : multiply(crypto, refQuote);
}

/**
 * Records facts of a transaction of the account, or corrects them; the audit log has the values before and after.
 *
 * @throws {GatewayError} `FORBIDDEN`, `NOT_FOUND`, `INVALID_PARAMETER`.
 */
export async function recordFacts(
  context: Context,
  action: Extract<ActionName, `facts.${string}`>,
  end2end: string,
  facts: Partial<RecordFacts>,
  checks: CreationChecks,
): Promise<ProcessRow> {
  requirePermission(context, action);
  checks.refuse();
  const row = await findOwnProcess(context, end2end);
  await audited(context, async (tx, writeDown) => {
    const before = await readRecord(tx, row);
    const after = { ...before, ...facts };
    const changed = difference(before, after);
    if (!changed) return;
    await storeRecord(tx, row, after);
    const changes = { before: masked(changed.before), after: masked(changed.after) };
    writeDown(action, { kind: 'transaction', id: row.end2end }, changes);
  });
  return row;
}

/** The audit log shows people only in part. */
function masked(facts: Partial<RecordFacts> = {}): object {
  const { walletHolder } = facts;
  return walletHolder ? { ...facts, walletHolder: maskName(walletHolder) } : facts;
}

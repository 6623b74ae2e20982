/** Charges: creates them under a txid of the gateway, cancels them, and queries them before they count as expired. */

import { BRL } from '../../base/money/currency.ts';
import { fromMinor, toMinor, withDecimals } from '../../base/money/money.ts';
import { asciiOf, dynamicBrCode } from '../../base/pix/br-code.ts';
import type { RailEvent } from '../../resolvers/services/rail-event.ts';
import type { RailTools } from '../../resolvers/services/rail-part.ts';
import { type Order, RailRefused } from '../../resolvers/services/rails.ts';
import { cents } from '../../templates/amounts.ts';
import { expiryOf } from '../../templates/effects.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { ApiPix, ChargeRequest } from './client.ts';
import { PspProblem, PspUnavailable } from './http.ts';
import { isRefused } from './refusals.ts';
import { eventsOf, type KnownNames, reportPayments } from './report-payments.ts';
import type { ApiPixSettings } from './settings.ts';
import type { WireCharge } from './wire.ts';
import { isSameKey } from './wire-keys.ts';

/** Dependencies of charges. */
export type ChargeTools = Pick<RailTools, 'mode' | 'database' | 'clock' | 'receive'> & {
  readonly api: ApiPix;
  readonly settings: Pick<ApiPixSettings, 'pixKey' | 'merchantCity' | 'infractionsUrl' | 'med' | 'errors'>;
};

/** A charge to be made, in the terms of the port. */
type ChargeOrder = Order & { readonly txid: string; readonly merchantName: string };

const DAY_SECONDS = 86_400;
const NO_NAME = 'Crossramp';
/** A charge's payments refer to no other orders, so no other names are looked up. */
const NO_NAMES: Omit<KnownNames, 'pixKey'> = {
  payout: new Map(),
  return: new Map(),
  nameless: new Set(),
  areDisputesListed: false,
};

/**
 * Creates a charge. The txid identifies the charge: an existing charge with the same amount is used.
 * @throws {RailRefused} {PspUnavailable} {PspProblem}
 */
export async function createCharge(
  tools: ChargeTools,
  order: ChargeOrder,
): Promise<{ readonly brCode: string }> {
  const { api, clock } = tools;
  const amount = withDecimals(fromMinor(cents(order.row.sourceAmount), BRL.decimals), BRL.decimals);
  const request = { ...chargeOf(order.row, await clock.nowMs()), amount };
  try {
    return codeOf(tools, order, await api.putCharge(order.txid, request));
  } catch (error) {
    if (!(error instanceof PspUnavailable || error instanceof PspProblem)) throw error;
    const charge = await api.getCharge(order.txid);
    if (charge && isSame(charge, amount, tools.settings.pixKey) && isPayable(charge))
      return codeOf(tools, order, charge);
    if (charge || isRefused(error, tools.settings.errors, ['CobOperacaoInvalida']))
      throw new RailRefused(error.message);
    throw error;
  }
}

/**
 * Cancels a charge. A charge that was paid in the meantime cannot be cancelled; its payment is reported and counts.
 */
export async function cancelCharge(tools: ChargeTools, { row }: Order): Promise<void> {
  const txid = row.process?.txid;
  if (txid === undefined) return;
  try {
    await tools.api.removeCharge(txid);
  } catch (error) {
    if (!(error instanceof PspUnavailable || error instanceof PspProblem)) throw error;
    const charge = await tools.api.getCharge(txid);
    if (charge?.status === 'ATIVA') throw error;
    await reportPayments(tools, charge?.pix ?? []);
  }
}

/**
 * @returns the provider's reports about payments of a charge; none for an unknown one.
 * @throws {PspUnavailable} {PspProblem}
 */
export async function queryCharge(
  { api, settings: { pixKey } }: Pick<ChargeTools, 'api' | 'settings'>,
  txid: string,
): Promise<readonly RailEvent[]> {
  const charge = await api.getCharge(txid);
  const names = { ...NO_NAMES, pixKey };
  const own = (charge?.pix ?? []).filter((pix) => pix.txid === null || pix.txid === txid);
  return own.flatMap((pix) => eventsOf(pix, names)).filter(({ kind }) => kind === 'payment');
}

/** Remaining time of the session in whole seconds, after which a wallet refuses the charge. */
function chargeOf(row: ProcessRow, nowMs: number): Omit<ChargeRequest, 'amount'> {
  const endMs = expiryOf(row);
  const { clientName: name, clientTaxId: taxId } = row;
  return {
    expiresInSeconds: endMs === undefined ? DAY_SECONDS : Math.max(1, Math.ceil((endMs - nowMs) / 1_000)),
    payer: name === null || taxId === null ? null : { name, taxId },
  };
}

function isSame(charge: WireCharge, amount: string, pixKey: string): boolean {
  return (
    toMinor(charge.amount, BRL.decimals) === toMinor(amount, BRL.decimals) && isSameKey(charge.key, pixKey)
  );
}

function isPayable({ status }: WireCharge): boolean {
  return status === 'ATIVA' || status === 'CONCLUIDA';
}

/** If the provider returns only the location, the gateway composes the code itself. */
function codeOf(
  { settings }: Pick<ChargeTools, 'settings'>,
  { merchantName }: ChargeOrder,
  { brCode, location }: WireCharge,
): { readonly brCode: string } {
  if (brCode !== null) return { brCode };
  if (location === null) throw new PspUnavailable('the answer has neither pixCopiaECola nor location');
  const url = location.replace(/^https?:\/\//, '');
  const merchantCity = settings.merchantCity;
  return { brCode: dynamicBrCode({ url, merchantName: asciiOf(merchantName) || NO_NAME, merchantCity }) };
}

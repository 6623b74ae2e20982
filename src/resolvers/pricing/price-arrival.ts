/** Prices money that arrived after the lock of its price was over (C-21). */

import { known } from '../../base/errors/assert.ts';
import { BRL, currencyOfLedger } from '../../base/money/currency.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { Arrival } from '../../templates/lateness.ts';
import type { QuoteFacts } from '../../templates/triggers.ts';
import type { Services } from '../services/context.ts';
import { priceNow } from './price.ts';

/**
 * @returns the trigger with the present price, for the amount that the session requested. If fees would leave nothing
 *   of it, the locked price stays.
 * @throws {GatewayError} `QUOTE_UNAVAILABLE`: the event is retried later.
 */
export async function priceArrival<Reported extends Arrival>(
  services: Services,
  row: ProcessRow,
  trigger: Reported,
): Promise<Reported> {
  const isIn = row.sourceCurrency === BRL.code;
  const amount = known(row.sourceAmount, 'an amount');
  const priced = await priceNow(services, {
    accountId: row.accountId,
    template: services.registry.of(row.template),
    direction: isIn ? 'in' : 'out',
    currency: currencyOfLedger(known(isIn ? row.targetCurrency : row.sourceCurrency, 'a currency')),
    wanted: isIn ? { brl: amount } : { crypto: amount },
  });
  return { ...trigger, price: priced?.facts ?? lockedPrice(row) };
}

function lockedPrice(row: ProcessRow): QuoteFacts {
  const { quote, refQuote, fees, sourceAmount, targetAmount, networkFee } = row;
  return { quote, refQuote, fees, sourceAmount, targetAmount, networkFee };
}

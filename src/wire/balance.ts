/** The answer of `GET /v2/balance` (contract section 3). */

/** The four sub-accounts of one currency as decimals, and the value of the available part in BRL. */
export interface CurrencyBalance {
  readonly asset: string;
  readonly displayName: string;
  readonly available: string;
  readonly inTransit: string;
  readonly toReceive: string;
  readonly blocked: string;
  /** Value rounded half up to cents; null if no rate of the asset was ever known. */
  readonly calculatedBrl: string | null;
}

/** All balances of an account, and the sums in BRL of the balances with a known rate. */
export interface AccountBalances {
  readonly totalBrl: string;
  readonly byAsset: readonly {
    readonly asset: string;
    readonly calculatedBrl: string | null;
    readonly currencies: readonly CurrencyBalance[];
  }[];
}

/** @returns the JSON text; keys are the asset, then the display name. */
export function balanceEnvelope(balances: AccountBalances): string {
  const assets = balances.byAsset.map(({ asset, calculatedBrl, currencies }) => {
    const members = currencies.map(
      (currency) => `${JSON.stringify(currency.displayName)}:${currencyJson(currency)}`,
    );
    return `${JSON.stringify(asset)}:{"calculated_BRL_balance":${calculatedBrl},${members.join(',')}}`;
  });
  return `{"calculated_BRL_total_balance":${balances.totalBrl},"balances":{${assets.join(',')}}}`;
}

function currencyJson(currency: CurrencyBalance): string {
  return (
    `{"calculated_BRL_balance":${currency.calculatedBrl},"available":${currency.available},"in_transit":${currency.inTransit},` +
    `"to_receive":${currency.toReceive},"blocked":${currency.blocked}}`
  );
}

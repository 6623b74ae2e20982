/** The rails of live accounts when none are configured: every request fails, and the sandbox is no substitute. */
import { GatewayError } from '../../base/errors/errors.ts';
import type { Rails } from './rails.ts';

/** @returns rails on which every query fails, each with the error for the queried part. */
export function refusingRails(errorOf: (part: keyof Rails) => GatewayError): Rails {
  const refusing = (part: keyof Rails) => (): Promise<never> => Promise.reject(errorOf(part));
  const [pix, chain] = [refusing('pix'), refusing('chain')];
  return {
    pix: {
      ispb: '00000000',
      createCharge: pix,
      cancelCharge: pix,
      payOut: pix,
      returnPayment: pix,
      refund: pix,
      keyOwner: pix,
    },
    chain: {
      networkFee: chain,
      depositAddress: chain,
      watchDeposit: chain,
      send: chain,
      refund: chain,
      sendBack: chain,
    },
    rates: { observe: refusing('rates') },
    identity: { check: refusing('identity') },
    screening: { screen: refusing('screening') },
    liquidity: { convert: refusing('liquidity') },
  };
}

/** Every question to them fails with `RAILS_MISSING`. */
export const NO_RAILS: Rails = refusingRails(() => railsMissing());

/**
 * @param names - missing rails; all by default.
 * @returns the error of a request that needs missing live rails.
 */
export function railsMissing(names: readonly string[] = []): GatewayError {
  const which = names.length === 0 ? 'no live rails' : `no live rail for ${names.join(', ')}`;
  return new GatewayError(
    'RAILS_MISSING',
    `the account is live, and this gateway has ${which}: nothing was stored`,
  );
}

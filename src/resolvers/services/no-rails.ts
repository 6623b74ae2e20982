/** The rails of live accounts where none are configured: nothing can be asked of them, and the sandbox does not stand in. */
import { GatewayError } from '../../base/errors.ts';
import type { Rails } from './rails.ts';

const refuse = (): Promise<never> => Promise.reject(railsMissing());

/** Every question to them fails with `RAILS_MISSING`. */
export const NO_RAILS: Rails = {
  pix: {
    ispb: '00000000',
    createCharge: refuse,
    cancelCharge: refuse,
    payOut: refuse,
    returnPayment: refuse,
    giveBack: refuse,
    keyOwner: refuse,
  },
  chain: {
    networkFee: refuse,
    depositAddress: refuse,
    watchDeposit: refuse,
    send: refuse,
    giveBack: refuse,
    sendBack: refuse,
  },
  rates: { observe: refuse },
  identity: { check: refuse },
  screening: { screen: refuse },
  liquidity: { convert: refuse },
};

/** @returns the error of what needs live rails where there are none. */
export function railsMissing(): GatewayError {
  return new GatewayError(
    'RAILS_MISSING',
    'the account is live, and this gateway has no live rails: nothing was stored',
  );
}

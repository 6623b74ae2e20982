/** A double of the rails of live accounts: it accepts every order and reports nothing. */
import type { Rails } from '../../src/resolvers/services/rails.ts';

const taken = async (): Promise<undefined> => undefined;

/** Rails that answer at once, and then nothing happens. */
export const LIVE_RAILS: Rails = {
  pix: {
    ispb: '12345678',
    createCharge: async ({ txid }) => ({ brCode: `live-${txid}` }),
    cancelCharge: taken,
    payOut: taken,
    returnPayment: taken,
    refund: taken,
    keyOwner: async () => null,
  },
  chain: {
    networkFee: async () => 0n,
    depositAddress: async () => 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD',
    watchDeposit: taken,
    send: taken,
    refund: taken,
    sendBack: taken,
  },
  rates: { observe: async () => ({ mid: '5', observedAtMs: Date.now() }) },
  identity: { check: async () => 'passed' },
  screening: { screen: async () => 'cleared' },
  liquidity: { convert: async () => 'settled' },
};

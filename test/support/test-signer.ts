/** A signer inside of a test: it has the keys of a wallet that is public knowledge, signs what it is asked to, and counts. */

import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { hex } from '@scure/base';
import { HDKey } from '@scure/bip32';
import { evmAddress } from '../../src/base/chain/address.ts';
import { evmDigest, signedEvmTransaction } from '../../src/chains/evm-transaction.ts';
import { signDigest } from '../../src/chains/signature.ts';
import { type Signer, SignerRefused, SignerUnavailable } from '../../src/rails/chain/signer.ts';

/** The signer. */
export interface TestSigner extends Signer {
  readonly hotAddress: string;
  readonly xpub: string;
  /** Ids that were signed, each as often as it was. */
  readonly signed: string[];
  /** What the next requests end with; `lost`: it is signed, and the answer does not arrive. */
  fault: 'away' | 'lost' | 'limit' | 'refused' | undefined;
}

/** @param seed - another one is another wallet. */
export function testSigner(seed = 'a wallet of the tests, public knowledge'): TestSigner {
  const root = HDKey.fromMasterSeed(Buffer.from(seed.padEnd(32)));
  const deposits = root.derive("m/44'/60'/0'");
  const hot = root.derive("m/44'/60'/1'/0/0");
  const hotAddress = addressOf(hot.privateKey as Uint8Array);
  const xpub = deposits.publicExtendedKey;
  const signer: TestSigner = {
    hotAddress,
    xpub,
    signed: [],
    fault: undefined,
    describe: async () => ({
      hot: { ETH: hotAddress, BASE: hotAddress },
      xpub: { ETH: xpub, BASE: xpub },
      limits: {},
      page: null,
    }),
    sign: async ({ id, key, unsigned }) => {
      if (signer.fault === 'away') throw new SignerUnavailable('no answer');
      if (signer.fault === 'limit') throw new SignerRefused('limit_hour');
      if (signer.fault === 'refused') throw new SignerRefused('destination');
      const keys = key.purpose === 'hot' ? hot : deposits.deriveChild(0).deriveChild(key.index);
      const signature = signDigest(evmDigest(unsigned), keys.privateKey as Uint8Array);
      signer.signed.push(id);
      if (signer.fault === 'lost') throw new SignerUnavailable('the answer was lost');
      return signedEvmTransaction(unsigned, signature);
    },
  };
  return signer;
}

function addressOf(privateKey: Uint8Array): string {
  const point = secp256k1.getPublicKey(privateKey, false);
  return evmAddress(hex.decode(hex.encode(keccak_256(point.subarray(1))).slice(-40)));
}

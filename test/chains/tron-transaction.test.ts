/**
 * Goal: transactions of TRON are the bytes that the network expects, and nothing is read that was not wholly understood.
 * Method: a published vector, and `tronweb`, which builds the same and decodes ours.
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { hex } from '@scure/base';
import { TronWeb, utils } from 'tronweb';
import { describe, expect, test } from 'vitest';
import { addressBytes } from '../../src/base/chain/address.ts';
import { encodeMessage } from '../../src/chains/protobuf.ts';
import { signDigest } from '../../src/chains/signature.ts';
import { encodeTokenTransfer, readTokenTransfer } from '../../src/chains/token-transfer.ts';
import {
  encodeTronTransaction,
  readTronTransaction,
  signedTronTransaction,
  type TronTransaction,
  tronDigest,
} from '../../src/chains/tron-transaction.ts';

/** Trust Wallet, wallet-core, tests/chains/Tron: TransferContract. */
const VECTOR = {
  privateKey: hex.decode('2d8f68944bdbfbc0769542fba8fc2d2a3de67393334471624364c7006da2aa54'),
  raw: '0a027b3b2208b21ace8d6ac20e7e40d8abb9bae62c5a67080112630a2d747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e5472616e73666572436f6e747261637412320a15415cd0fb0ab3ce40f3051414c604b27756e69e43db121541521ea197907927725ef36d70f25f850d1659c7c71880897a70d889a4a9e62c',
  id: 'dc6f6d9325ee44ab3c00528472be16e1572ab076aa161ccd12515029869d0451',
  /** With 27 added to its last byte, as tronweb and this code write it; the network takes both. */
  signature:
    'ede769f6df28aefe6a846be169958c155e23e7e5c9621d2e8dce1719b4d952b63e8a8bf9f00e41204ac1bf69b1a663dacdf764367e48e4a5afcd6b055a747fb21b',
};

const TRANSFER: TronTransaction = {
  refBlockBytes: hex.decode('7b3b'),
  refBlockHash: hex.decode('b21ace8d6ac20e7e'),
  expiration: 1539331479000n,
  timestamp: 1539295479000n,
  order: {
    kind: 'transfer',
    from: 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC',
    to: 'THTR75o8xXAgCTQqpiot2AFRAjvW1tSbVV',
    amount: 2_000_000n,
  },
};

const CALL: TronTransaction = {
  ...TRANSFER,
  order: {
    kind: 'call',
    from: 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC',
    contract: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    data: encodeTokenTransfer({
      to: addressBytes('TRX', 'THTR75o8xXAgCTQqpiot2AFRAjvW1tSbVV'),
      amount: 12_340_000n,
    }),
    feeLimit: 30_000_000n,
  },
};

/** The same transaction in the words of the HTTP API. */
function asJson({ order, ...at }: TronTransaction) {
  const [type, value] =
    order.kind === 'transfer'
      ? [
          'TransferContract',
          {
            owner_address: TronWeb.address.toHex(order.from),
            to_address: TronWeb.address.toHex(order.to),
            amount: Number(order.amount),
          },
        ]
      : [
          'TriggerSmartContract',
          {
            owner_address: TronWeb.address.toHex(order.from),
            contract_address: TronWeb.address.toHex(order.contract),
            data: hex.encode(order.data),
          },
        ];
  return {
    raw_data: {
      contract: [{ parameter: { type_url: `type.googleapis.com/protocol.${type}`, value }, type }],
      expiration: Number(at.expiration),
      ref_block_bytes: hex.encode(at.refBlockBytes),
      ref_block_hash: hex.encode(at.refBlockHash),
      timestamp: Number(at.timestamp),
      ...(order.kind === 'call' && { fee_limit: Number(order.feeLimit) }),
    },
  };
}

describe('a published transaction', () => {
  test('reads back as written', () => {
    expect(encodeTronTransaction(TRANSFER)).toBe(VECTOR.raw);
    expect(readTronTransaction(VECTOR.raw)).toEqual(TRANSFER);
  });

  test('has its id and its signature', () => {
    expect(hex.encode(tronDigest(VECTOR.raw))).toBe(VECTOR.id);
    const { raw, hash } = signedTronTransaction(
      VECTOR.raw,
      signDigest(tronDigest(VECTOR.raw), VECTOR.privateKey),
    );
    expect(hash).toBe(VECTOR.id);
    expect(raw.endsWith(`1241${VECTOR.signature}`)).toBe(true);
  });
});

describe('tronweb', () => {
  test.each([
    ['a transfer', TRANSFER],
    ['a call of a token', CALL],
  ])('builds the same bytes for %s, and the same id', (_, transaction) => {
    const message = utils.transaction.txJsonToPb(asJson(transaction));
    const raw = encodeTronTransaction(transaction);
    expect(utils.transaction.txPbToRawDataHex(message).toLowerCase()).toBe(raw);
    expect(utils.transaction.txPbToTxID(message).replace(/^0x/, '')).toBe(hex.encode(tronDigest(raw)));
    expect(readTronTransaction(raw)).toEqual(transaction);
  });

  test('decodes transactions of the gateway', () => {
    const { order } = CALL;
    const decoded = utils.deserializeTx.deserializeTransaction(
      'TriggerSmartContract',
      encodeTronTransaction(CALL),
    );
    const { owner_address, contract_address, data } = decoded.contract[0].parameter.value;
    expect(TronWeb.address.fromHex(owner_address)).toBe(order.from);
    expect(TronWeb.address.fromHex(contract_address)).toBe('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t');
    expect(order.kind === 'call' && hex.encode(order.data)).toBe(data.toLowerCase());
    expect(decoded.fee_limit).toBe(30_000_000);
  });

  test('makes the same signature', () => {
    const digest = tronDigest(encodeTronTransaction(CALL));
    const { raw } = signedTronTransaction(encodeTronTransaction(CALL), signDigest(digest, VECTOR.privateKey));
    const theirs = utils.crypto.ECKeySign([...digest], [...VECTOR.privateKey]);
    expect(raw.endsWith(theirs.toLowerCase())).toBe(true);
    expect(secp256k1.getPublicKey(VECTOR.privateKey)).toHaveLength(33);
  });
});

describe('a transaction that is not completely understood is refused', () => {
  const raw = encodeTronTransaction(CALL);

  test.each([
    ['a memo', `${raw}5204aabbccdd`],
    ['a second contract', raw + VECTOR.raw.slice(VECTOR.raw.indexOf('5a67'), -14)],
    ['a field twice', `${raw}7001`],
    ['something behind it', `${raw}00`],
    ['a message that ends too early', raw.slice(0, -2)],
    ['upper case', raw.toUpperCase()],
    ['nothing', ''],
  ])('%s', (_, text) => {
    expect(() => readTronTransaction(text)).toThrow(RangeError);
  });

  test('TRX sent with a call, permissions and other contracts are refused', () => {
    const withValue = replaced(31n, [
      [1, addressOf('TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC')],
      [2, addressOf('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t')],
      [3, 5n],
    ]);
    expect(() => readTronTransaction(withValue)).toThrow(RangeError);
    expect(() => readTronTransaction(replaced(2n, []))).toThrow(RangeError);
  });

  const addressOf = (text: string) => Uint8Array.of(0x41, ...addressBytes('TRX', text));
  function replaced(type: bigint, message: readonly (readonly [number, bigint | Uint8Array])[]): string {
    const parameter = encodeMessage([
      [1, Buffer.from('type.googleapis.com/protocol.TriggerSmartContract')],
      [2, encodeMessage(message)],
    ]);
    return hex.encode(
      encodeMessage([
        [
          11,
          encodeMessage([
            [1, type],
            [2, parameter],
          ]),
        ],
      ]),
    );
  }
});

describe('transfer(address,uint256)', () => {
  const to = addressBytes('TRX', 'THTR75o8xXAgCTQqpiot2AFRAjvW1tSbVV');

  test('reads back as written', () => {
    const data = encodeTokenTransfer({ to, amount: 2n ** 255n });
    expect(data).toHaveLength(68);
    expect(readTokenTransfer(data)).toEqual({ to, amount: 2n ** 255n });
  });

  test.each([
    ['approve', `095ea7b3${'0'.repeat(128)}`],
    ['bytes behind it', `${hex.encode(encodeTokenTransfer({ to, amount: 1n }))}00`],
    ['bytes before the address', `a9059cbb${'0'.repeat(22)}41${hex.encode(to)}${'0'.repeat(64)}`],
    ['nothing', ''],
  ])('is not %s', (_, data) => {
    expect(readTokenTransfer(hex.decode(data))).toBeUndefined();
  });
});

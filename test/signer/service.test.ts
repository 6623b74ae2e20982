/**
 * Goal: the signer signs plain transfers within its policy and nothing else, whatever it is told about them. Method: the service
 * with a real record file and a clock of the test; each request differs from a good one in one thing.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hex } from '@scure/base';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deriveDepositAddress } from '../../src/base/chain/deposit-address.ts';
import { encodeEvmTransaction, readEvmTransaction } from '../../src/chains/evm-transaction.ts';
import type { SignRequest } from '../../src/chains/sign-request.ts';
import { encodeTokenTransfer } from '../../src/chains/token-transfer.ts';
import { expiryText } from '../../src/chains/whitelist-proof.ts';
import { readPolicy } from '../../src/signer/policy.ts';
import { openRecord, type SignedRecord } from '../../src/signer/record.ts';
import { createSignerService, type SignerService } from '../../src/signer/signer.ts';
import { openWallet } from '../../src/signer/wallet.ts';
import { provingKey } from '../support/proof-by-key.ts';
import { OPEN_POLICY } from '../support/signer.ts';
import { evmTransfer, requested, STRANGERS, tronTransfer } from '../support/signing.ts';

const wallet = openWallet(hex.decode('000102030405060708090a0b0c0d0e0f'));
const HOT = wallet.hot as { readonly ETH: string; readonly TRX: string };
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const USDT = 1_000_000n;

let folder: string;
let record: SignedRecord;
let service: SignerService;
let nowMs: number;
const { approver, proofOf } = provingKey(() => nowMs);

const open = (policy: object = {}) => {
  writeFileSync(join(folder, 'policy.json'), JSON.stringify({ ...OPEN_POLICY, ...policy }));
  record?.close();
  record = openRecord(join(folder, 'signed.sqlite'), () => nowMs);
  service = createSignerService(wallet, readPolicy(join(folder, 'policy.json')), record);
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crossramp-signer-'));
  nowMs = 1_800_000_000_000;
  record = undefined as unknown as SignedRecord;
  open({ approvers: [approver] });
});
afterEach(() => {
  record.close();
  rmSync(folder, { recursive: true, force: true });
});

const eth = (code: string, amount: bigint, nonce: number, to: string = STRANGERS.EVM): SignRequest =>
  requested({ network: 'ETH', unsigned: evmTransfer(code, to, amount, { nonce }) });
const tron = (code: string, amount: bigint, to: string = STRANGERS.TRX, at = amount): SignRequest =>
  requested({ network: 'TRX', unsigned: tronTransfer(code, HOT.TRX, to, amount, { at }) });
const refused = (request: SignRequest, reason: string) =>
  expect(service.sign(request)).rejects.toMatchObject({ name: 'Refusal', reason });

describe('signatures', () => {
  test('a payout in tokens and coins of each network, by the key of the hot wallet', async () => {
    const { raw, hash } = await service.sign(eth('USDT_ETH', 100n * USDT, 0));
    expect(raw).toMatch(/^0x02f8/);
    expect(hash).toMatch(/^0x[0-9a-f]{64}$/);
    expect((await service.sign(eth('ETH_ETH', 10n ** 16n, 1))).raw).toMatch(/^0x02f8/);
    expect((await service.sign(tron('USDT_TRX', 100n * USDT))).hash).toMatch(/^[0-9a-f]{64}$/);
    expect((await service.sign(tron('TRX_TRX', 100n * USDT))).raw).toMatch(/^0a/);
  });

  test('a repeated id gets the same bytes and is counted once, even after a restart', async () => {
    const request = eth('USDT_ETH', 2_000n * USDT - USDT, 0);
    const first = await service.sign(request);
    open();
    for (let i = 0; i < 5; i += 1) expect(await service.sign(request)).toEqual(first);
    expect(record.sums('USDT_ETH', 0)).toMatchObject({ count: 1n });
  });

  test('another transaction under a known id is refused', async () => {
    const request = eth('USDT_ETH', USDT, 0);
    await service.sign(request);
    await refused({ ...request, unsigned: evmTransfer('USDT_ETH', STRANGERS.EVM2, USDT) }, 'id_reused');
    await refused({ ...request, intent: 'refund' }, 'id_reused');
  });

  test('a sweep goes from a deposit address to the hot wallet, and counts only its fee', async () => {
    const amount = 1_000_000n * USDT;
    const unsigned = evmTransfer('USDT_ETH', HOT.ETH, amount);
    const key = { purpose: 'deposit', index: 7 } as const;
    await service.sign(requested({ network: 'ETH', unsigned, key, intent: 'sweep' }));
    // 65,000 gas at 2 gwei and USD 5,000 for an ETH.
    expect(record.sums('USDT_ETH', 0)).toMatchObject({ all: 650_000n, unproven: 0n, currency: 0n });
    const elsewhere = evmTransfer('USDT_ETH', STRANGERS.EVM, amount, { nonce: 1 });
    await refused(requested({ network: 'ETH', unsigned: elsewhere, key, intent: 'sweep' }), 'destination');
    await refused(requested({ network: 'ETH', unsigned: elsewhere, key, intent: 'payout' }), 'key');
    await refused(requested({ network: 'ETH', unsigned, intent: 'sweep' }), 'key');
  });

  test('gas is coin for a deposit address of the gateway, within its limit', async () => {
    const index = 3;
    const to = deriveDepositAddress('ETH', wallet.xpub.ETH as string, index);
    const gas = (value: bigint, nonce: number, over: object = {}) =>
      requested({
        network: 'ETH',
        unsigned: evmTransfer('ETH_ETH', to, value, { nonce }),
        intent: 'gas',
        depositIndex: index,
        ...over,
      });
    await service.sign(gas(10n ** 15n, 0));
    await refused(gas(10n ** 15n, 1, { depositIndex: 4 }), 'destination');
    await refused(gas(10n ** 15n, 1, { depositIndex: undefined }), 'destination');
    await refused(gas(10n ** 17n, 1), 'transaction_limit');
    const token = evmTransfer('USDT_ETH', to, USDT, { nonce: 1 });
    await refused(gas(0n, 1, { unsigned: token }), 'destination');
  });
});

describe('reading the transaction itself', () => {
  const good = readEvmTransaction(evmTransfer('USDT_ETH', STRANGERS.EVM, USDT));
  const evm = (over: object) =>
    requested({ network: 'ETH', unsigned: encodeEvmTransaction({ ...good, ...over }) });

  test.each<[string, () => SignRequest, string]>([
    ['a network that is not signed for', () => requested({ network: 'BTC', unsigned: '00' }), 'network'],
    ['no transaction', () => requested({ network: 'ETH', unsigned: '0xdead' }), 'unreadable'],
    ['another chain', () => evm({ chainId: 137 }), 'chain'],
    [
      'the same on a network that it is not for',
      () => requested({ network: 'BASE', unsigned: encodeEvmTransaction(good) }),
      'chain',
    ],
    ['a contract that is not in the catalogue', () => evm({ to: STRANGERS.EVM2 }), 'call'],
    ['a call of approve', () => evm({ data: hex.decode(`095ea7b3${'0'.repeat(128)}`) }), 'call'],
    ['coin that goes with a call', () => evm({ value: 1n }), 'call'],
    ['data that goes with coin', () => evm({ to: STRANGERS.EVM, value: 5n, data: Uint8Array.of(1) }), 'call'],
    ['a transfer of nothing', () => eth('USDT_ETH', 0n, 0), 'call'],
    ['a coin transfer of nothing to others', () => eth('ETH_ETH', 0n, 0), 'call'],
    ['a fee that burns the wallet', () => evm({ maxFeePerGas: 10n ** 15n }), 'limit_fee'],
    [
      'a fee limit that burns the wallet',
      () =>
        requested({
          network: 'TRX',
          unsigned: tronTransfer('USDT_TRX', HOT.TRX, STRANGERS.TRX, USDT, { feeLimit: 10n ** 10n }),
        }),
      'limit_fee',
    ],
    [
      'a priority fee above the fee',
      () => evm({ maxPriorityFeePerGas: good.maxFeePerGas + 1n }),
      'unreadable',
    ],
    [
      'the contract of a token as destination',
      () =>
        evm({
          data: encodeTokenTransfer({
            to: hex.decode('dac17f958d2ee523a2206206994597c13d831ec7'),
            amount: 1n,
          }),
        }),
      'destination',
    ],
    ['a burn address', () => tron('TRX_TRX', 1n, 'TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy'), 'destination'],
    [
      'a TRON transaction of another owner',
      () =>
        requested({
          network: 'TRX',
          unsigned: tronTransfer('USDT_TRX', STRANGERS.TRX2, STRANGERS.TRX, USDT),
        }),
      'key',
    ],
  ])('%s is refused', async (_, request, reason) => {
    await refused(request(), reason);
    expect(record.sums('USDT_ETH', 0)).toMatchObject({ count: 0n });
  });
});

describe('limits', () => {
  test('nothing leaves to a destination without proof unless the policy says how much', async () => {
    const order = eth('USDT_ETH', USDT, 0);
    for (const [unproven, names] of [
      [undefined, 'set unproven.transaction, unproven.hour, unproven.day above 0'],
      [{ ...OPEN_POLICY.unproven, hour: '0' }, 'set unproven.hour above 0'],
    ] as const) {
      open({ unproven, approvers: [approver] });
      for (const intent of ['payout', 'refund'] as const) {
        await refused({ ...order, intent }, 'limit_unproven');
        await expect(service.sign({ ...order, intent })).rejects.toThrow(names);
      }
    }
    expect(record.sums('USDT_ETH', 0)).toMatchObject({ count: 0n });
    await service.sign({ ...order, id: 'proven', proof: proofOf('ETH', STRANGERS.EVM) });
    const key = { purpose: 'deposit', index: 7 } as const;
    const unsigned = evmTransfer('USDT_ETH', HOT.ETH, USDT);
    await service.sign(requested({ network: 'ETH', unsigned, key, intent: 'sweep' }));
    open();
    await service.sign({ ...order, unsigned: evmTransfer('USDT_ETH', STRANGERS.EVM, USDT, { nonce: 1 }) });
  });

  test('name the setting that is reached', async () => {
    open({ currencies: { USDT_ETH: { hour: '15' } } });
    await expect(service.sign(eth('USDT_ETH', 16n * USDT, 0))).rejects.toThrow(
      'above the limit of 15, currencies.USDT_ETH.hour of policy.json',
    );
    await expect(service.sign(eth('USDT_ETH', 2_000n * USDT, 0))).rejects.toThrow(
      'above the limit of 2000, unproven.transaction of policy.json',
    );
  });

  test('of one transaction, without proof', async () => {
    await refused(eth('USDT_ETH', 2_000n * USDT, 0), 'transaction_limit');
    await service.sign(eth('USDT_ETH', 1_999n * USDT, 0));
  });

  test('of an hour, over all networks and currencies; they are freed as the hour passes, not before', async () => {
    await service.sign(eth('USDT_ETH', 1_900n * USDT, 0));
    await service.sign(tron('USDT_TRX', 1_900n * USDT));
    nowMs += HOUR_MS / 2;
    await service.sign(eth('ETH_ETH', 2n * 10n ** 17n, 1));
    await refused(tron('TRX_TRX', 2_000n * USDT), 'limit_hour');
    nowMs += HOUR_MS / 2 - 1;
    await refused(tron('TRX_TRX', 2_000n * USDT), 'limit_hour');
    nowMs += 1;
    await service.sign(tron('TRX_TRX', 2_000n * USDT));
  });

  test('of a day', async () => {
    for (let i = 0; i < 20; i += 1) {
      await service.sign(eth('USDT_ETH', 990n * USDT, i));
      nowMs += HOUR_MS;
    }
    await refused(eth('USDT_ETH', 990n * USDT, 20), 'limit_day');
    nowMs += 4 * HOUR_MS;
    await service.sign(eth('USDT_ETH', 990n * USDT, 20));
  });

  test('of a minute, in number', async () => {
    open({ perMinute: 3 });
    for (let i = 0; i < 3; i += 1) await service.sign(eth('USDT_ETH', USDT, i));
    await refused(eth('USDT_ETH', USDT, 3), 'limit_minute');
    nowMs += 60_000;
    await service.sign(eth('USDT_ETH', USDT, 3));
  });

  test('of one currency apply, and a currency without a value is not signed', async () => {
    open({ currencies: { USDT_ETH: { transaction: '10', hour: '15' } } });
    await refused(eth('USDT_ETH', 11n * USDT, 0), 'transaction_limit');
    await service.sign(eth('USDT_ETH', 10n * USDT, 0));
    await refused(eth('USDT_ETH', 6n * USDT, 1), 'limit_hour');
    await service.sign(eth('USDC_ETH', 100n * USDT, 1));
  });

  test('a clock that is set back frees no limit', async () => {
    await service.sign(eth('USDT_ETH', 1_999n * USDT, 0));
    await service.sign(eth('USDT_ETH', 1_999n * USDT, 1));
    nowMs -= 30 * 24 * HOUR_MS;
    open();
    await refused(eth('USDT_ETH', 1_999n * USDT, 2), 'limit_hour');
  });

  test('fees count: a fraction of a cent is rounded up', async () => {
    open({ unproven: { ...OPEN_POLICY.unproven, hour: '1.3' } });
    await service.sign(eth('USDT_ETH', 1n, 0));
    await refused(eth('USDT_ETH', 1n, 1), 'limit_hour');
    expect(record.sums('USDT_ETH', 0)).toMatchObject({ all: 650_001n });
  });
});

describe('a nonce', () => {
  const at = (code: string, to: string, amount: bigint, gwei: bigint) =>
    requested({
      network: 'ETH',
      unsigned: evmTransfer(code, to, amount, { nonce: 4, maxFeePerGas: gwei * 10n ** 9n }),
    });

  test('is used again for the same transfer at a higher fee, of which only the difference is counted', async () => {
    await service.sign(at('USDT_ETH', STRANGERS.EVM, 1_500n * USDT, 2n));
    await service.sign(at('USDT_ETH', STRANGERS.EVM, 1_500n * USDT, 4n));
    expect(record.sums('USDT_ETH', 0)).toMatchObject({ all: 1_501_300_000n, currency: 1_500_000_000n });
    await refused(at('USDT_ETH', STRANGERS.EVM, 1_500n * USDT, 4n), 'fee_not_higher');
  });

  test('is not used again for another destination, amount or currency', async () => {
    await service.sign(at('USDT_ETH', STRANGERS.EVM, 100n * USDT, 2n));
    await refused(at('USDT_ETH', STRANGERS.EVM2, 100n * USDT, 4n), 'nonce_reused');
    await refused(at('USDT_ETH', STRANGERS.EVM, 101n * USDT, 4n), 'nonce_reused');
    await refused(at('USDC_ETH', STRANGERS.EVM, 100n * USDT, 4n), 'nonce_reused');
  });

  test('can be cancelled by a transfer of zero to the wallet itself', async () => {
    await service.sign(at('USDT_ETH', STRANGERS.EVM, 100n * USDT, 2n));
    await service.sign(at('ETH_ETH', HOT.ETH, 0n, 8n));
    await refused(at('USDT_ETH', STRANGERS.EVM2, 100n * USDT, 20n), 'nonce_reused');
    await service.sign(at('USDT_ETH', STRANGERS.EVM, 100n * USDT, 20n));
    expect(record.sums('USDT_ETH', 0)).toMatchObject({ currency: 100_000_000n });
  });

  test('of one network is free on another', async () => {
    await service.sign(at('USDT_ETH', STRANGERS.EVM, 100n * USDT, 2n));
    const unsigned = evmTransfer('USDC_BASE', STRANGERS.EVM2, USDT, { nonce: 4 });
    await service.sign(requested({ network: 'BASE', unsigned }));
  });
});

describe('a withdrawal', () => {
  const withdrawal = (proof?: object) => ({
    ...eth('USDT_ETH', 3_000n * USDT, 0),
    intent: 'withdrawal' as const,
    ...(proof && { proof }),
  });

  test('needs proof of its destination; with it, the limits of unproven destinations do not apply', async () => {
    await refused(withdrawal(), 'proof_missing');
    await service.sign(withdrawal(proofOf('ETH', STRANGERS.EVM)));
    expect(record.sums('USDT_ETH', 0)).toMatchObject({ unproven: 0n, all: 3_000_650_000n });
  });

  test('is refused with the proof of another destination, network or approver', async () => {
    await refused(withdrawal(proofOf('ETH', STRANGERS.EVM2)), 'proof_wrong');
    await refused(withdrawal(proofOf('BASE', STRANGERS.EVM)), 'proof_wrong');
    await refused(withdrawal({ ...proofOf('ETH', STRANGERS.EVM), id: 'somebody' }), 'proof_wrong');
    const good = proofOf('ETH', STRANGERS.EVM);
    for (const over of [
      { signature: undefined },
      { signature: 'AAAA' },
      { expiresAt: 'soon' },
      { account: 1 },
    ])
      await refused(withdrawal({ ...good, ...over }), 'proof_wrong');
    await refused({ ...eth('USDT_ETH', USDT, 0), proof: { kind: 'key', id: 'loja' } }, 'proof_wrong');
  });

  test('is refused with the proof of another account, and with that of an approver of another account', async () => {
    await refused(withdrawal({ ...proofOf('ETH', STRANGERS.EVM), account: '2' }), 'proof_wrong');
    open({ approvers: [{ ...approver, account: '7' }] });
    await refused(withdrawal(proofOf('ETH', STRANGERS.EVM)), 'proof_wrong');
    await service.sign(withdrawal(proofOf('ETH', STRANGERS.EVM, { account: '7' })));
  });

  test('is refused once its proof has expired, and with one that expires later than the policy allows', async () => {
    const proof = proofOf('ETH', STRANGERS.EVM);
    nowMs += 30 * DAY_MS;
    await refused(withdrawal(proof), 'proof_wrong');
    const expiresAt = expiryText(nowMs + 366 * DAY_MS);
    await refused(withdrawal(proofOf('ETH', STRANGERS.EVM, { expiresAt })), 'proof_wrong');
    await refused(withdrawal({ ...proof, expiresAt: expiryText(nowMs + DAY_MS) }), 'proof_wrong');
  });

  test('is within the limits of all outgoing money', async () => {
    const proof = proofOf('ETH', STRANGERS.EVM);
    const more = (amount: bigint, nonce: number) => ({ ...eth('USDT_ETH', amount, nonce), proof });
    await refused(more(5_000n * USDT, 0), 'transaction_limit');
    await service.sign(more(4_900n * USDT, 0));
    await service.sign(more(4_900n * USDT, 1));
    await refused(more(4_900n * USDT, 2), 'limit_hour');
  });
});

test('a second process cannot open the record', () => {
  expect(() => openRecord(join(folder, 'signed.sqlite'))).toThrow(/another signer works with/);
});

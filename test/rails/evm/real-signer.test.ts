/**
 * Goal: what the rail of an EVM network builds is what the signer's policy knows: payouts, gas, sweeps and replacements are signed without a
 * refusal, and a limit makes a payout wait. Method: a real node, and the signer's own service behind its socket.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { signerAt } from '../../../src/rails/chain/signer.ts';
import { type Policy, readPolicy } from '../../../src/signer/policy.ts';
import { openRecord, type SignedRecord } from '../../../src/signer/record.ts';
import { openServer } from '../../../src/signer/serve.ts';
import { createSignerService } from '../../../src/signer/signer.ts';
import { openWallet } from '../../../src/signer/wallet.ts';
import { openPolicyIn } from '../../support/signer.ts';
import { recordSpans } from '../../support/spans.ts';
import { ETHER, FINAL, PAYEE, PAYER, USDT, useNetwork } from './harness.ts';

const net = useNetwork({ sweep: { USDT_ETH: '50' } });
const HOUR_MS = 3_600_000;
let folder: string;
let record: SignedRecord;
let server: Server | undefined;
let nowMs: number;
let wallet: ReturnType<typeof openWallet>;

/** Runs the signer with a policy, in the place of one that ran before. */
async function serve(policy: Policy): Promise<void> {
  if (server) await new Promise((resolve) => server?.close(resolve));
  const log = { signed: () => {}, refused: () => {} };
  const service = createSignerService(wallet, policy, record);
  server = await openServer(service, { socket: join(folder, 's') }, log, record.refused);
}

beforeEach(async () => {
  nowMs = 1_800_000_000_000;
  folder = mkdtempSync(join(tmpdir(), 'crossramp-evm-'));
  record = openRecord(join(folder, 'signed.sqlite'), () => nowMs);
  wallet = openWallet(randomBytes(32));
  await serve(openPolicyIn(folder));
  const [hotAddress, xpub] = [wallet.hot.ETH as string, wallet.xpub.ETH as string];
  net.signer = { ...signerAt({ socket: join(folder, 's') }), hotAddress, xpub, signed: [], fault: undefined };
  await net.node.give(hotAddress, 100n * ETHER);
  await net.node.give(hotAddress, 1_000_000n * USDT, 'USDT_ETH');
  await net.takeOver();
});
afterEach(async () => {
  await new Promise((resolve) => server?.close(resolve));
  server = undefined;
  record.close();
  rmSync(folder, { recursive: true, force: true });
});

async function settle(rounds = 3): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    await net.node.mine(FINAL);
    await net.turns(2);
  }
}

test('payouts of a token and a coin, and a deposit that is swept', async () => {
  await net.send('CRX1:1', 20n * USDT);
  await net.send('CRX2:1', ETHER / 100n, 'ETH_ETH');
  const address = await net.address();
  await net.node.pay(PAYER, address, 60n * USDT, 'USDT_ETH');
  await settle(8);
  expect(net.told('broadcast_confirmed').toSorted()).toEqual([
    'broadcast_confirmed CRX1:1',
    'broadcast_confirmed CRX2:1',
  ]);
  expect(await net.node.balance(address, 'USDT_ETH')).toBe(0n);
  expect(record.refusals()).toEqual({});
  const { checks } = net.rail;
  expect((await checks()).find(({ check }) => check === 'signer')).toMatchObject({ ok: true });
});

test('calls of the signer and of the node are spans below the order', async () => {
  const spans = recordSpans();
  try {
    await net.send('CRX1:1', 20n * USDT);
    await settle();
  } finally {
    spans.stop();
  }
  expect(new Set(spans.pathsTo('POST signer /sign'))).toEqual(new Set(['order payout > POST signer /sign']));
  expect(spans.pathsTo('node eth_sendRawTransaction')).toContain(
    'order payout > node eth_sendRawTransaction',
  );
  const call = spans.ended.find(({ name }) => name === 'POST signer /sign');
  expect(call?.attributes).toEqual({ 'crossramp.rail': 'signer' });
});

test('a stuck transfer is replaced at its nonce, and counted once', async () => {
  await net.takeOver({ stuckMs: 0 });
  await net.send('CRX1:1', 20n * USDT);
  await net.turns(3);
  await settle();
  expect(await net.node.balance(PAYEE, 'USDT_ETH')).toBe(20n * USDT);
  expect(record.sums('USDT_ETH', 0).currency).toBe(20n * USDT);
  expect(record.sums('USDT_ETH', 0).count).toBeGreaterThan(1n);
  expect(record.refusals()).toEqual({});
});

test('a payout above the limit of the hour waits until the hour has passed', async () => {
  for (const key of [1, 2, 3]) await net.send(`CRX${key}:1`, 1_900n * USDT);
  await settle();
  expect(net.told('broadcast_confirmed')).toHaveLength(2);
  expect(net.told('broadcast_failed')).toEqual([]);
  expect(Object.keys(record.refusals())).toEqual(['limit_hour']);
  nowMs += HOUR_MS;
  await net.owner.query(`update chain_order set due_at = '2020-01-01' where state = 'queued'`);
  await settle();
  expect(net.told('broadcast_confirmed')).toHaveLength(3);
  expect(await net.node.balance(PAYEE, 'USDT_ETH')).toBe(5_700n * USDT);
});

test('payouts to destinations without proof wait under the shipped policy, in sight, and leave once it is raised', async () => {
  await serve(readPolicy());
  const checkOf = async (name: string) => (await net.rail.checks()).find(({ check }) => check === name);
  await net.send('CRX1:1', 20n * USDT);
  await net.send('CRX2:1', 3_000n * USDT);
  await settle();
  const waiting = `select key, state, ended_at as "endedAt", last_error as error from chain_order order by key`;
  const { rows } = await net.owner.query(waiting);
  expect(rows).toMatchObject(
    ['CRX1:1', 'CRX2:1'].map((key) => ({
      ...{ key, state: 'queued', endedAt: null },
      error: expect.stringContaining('unproven.transaction, unproven.hour, unproven.day'),
    })),
  );
  expect(net.told('broadcast_failed')).toEqual([]);
  expect(Object.keys(record.refusals())).toEqual(['limit_unproven']);
  // By the age of an order the alert of stuck transfers and `doctor` find it: here after no time at all.
  await net.takeOver({ stuckMs: 0 });
  expect(await checkOf('sending')).toMatchObject({
    ok: false,
    detail: expect.stringMatching(/^2 wait, .*limit_unproven/),
  });
  await net.takeOver();
  const policyFile = join(folder, 'raised.json');
  const unproven = { transaction: '4000', hour: '9000', day: '9000' };
  writeFileSync(policyFile, JSON.stringify({ unproven }));
  await serve(readPolicy(policyFile));
  await net.owner.query(`update chain_order set due_at = '2020-01-01' where state = 'queued'`);
  await settle();
  expect(net.told('broadcast_confirmed')).toHaveLength(2);
  expect(net.told('broadcast_failed')).toEqual([]);
  expect(await net.node.balance(PAYEE, 'USDT_ETH')).toBe(3_020n * USDT);
});

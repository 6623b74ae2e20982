/**
 * Goal: a process that is killed in the middle of sending pays nothing twice and leaves nothing out. Method: processes that send orders on a real
 * node, each killed with SIGKILL at another moment; the next one takes over.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { ChainProcess } from '../../support/chain-process.ts';
import { testSigner } from '../../support/test-signer.ts';
import { ETHER, PAYEE, USDT, useNetwork } from './harness.ts';

const net = useNetwork();
const SEED = 'a wallet of processes that are killed';
const ORDERS = 60;
/** When each process is killed after it is ready. Unit: ms. */
const KILLED_AFTER_MS = [30, 80, 150, 300, 600];
const ROUNDS_MAX = 3_000;
/** Six processes start one after the other, which a busy machine takes its time for. */
const TIME_LIMIT_MS = 240_000;

async function startProcess(): Promise<ChildProcess> {
  const told: ChainProcess = { url: net.url, node: net.node.url, seed: SEED };
  const script = fileURLToPath(new URL('../../support/chain-process.ts', import.meta.url));
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script], {
    env: { PATH: process.env.PATH, CHAIN: JSON.stringify(told) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout as NonNullable<typeof child.stdout>, 'data');
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  // As if the time of its lease had passed.
  await net.owner.query(`update chain_network set leased_until = '2020-01-01'`);
}

test(`${ORDERS} transfers by processes that are killed`, { timeout: TIME_LIMIT_MS }, async () => {
  const { hotAddress } = testSigner(SEED);
  await net.node.give(hotAddress, 100n * ETHER);
  await net.node.give(hotAddress, 1_000n * USDT, 'USDT_ETH');
  net.signer = testSigner(SEED);
  await net.takeOver();
  await net.owner.query('create table told (kind text, name text, unique (kind, name))');
  await net.owner.query('grant select, insert on told to public');
  for (let order = 0; order < ORDERS; order++) await net.send(`CRX${order}:1`, 1n * USDT);
  await net.owner.query(`update chain_network set leased_until = '2020-01-01'`);
  for (const afterMs of KILLED_AFTER_MS) {
    const child = await startProcess();
    await sleep(afterMs);
    await kill(child);
    await net.node.mine();
  }
  const last = await startProcess();
  const open = async () =>
    (await net.owner.query('select count(*)::int as count from chain_order where ended_at is null')).rows[0]
      .count;
  for (let round = 0; round < ROUNDS_MAX && (await open()) > 0; round++) {
    await net.node.mine();
    await sleep(50);
  }
  await kill(last);
  const { rows } = await net.owner.query(
    `select kind, count(*)::int as count from told where kind like 'broadcast_%' group by kind order by kind`,
  );
  expect(rows).toEqual([
    { kind: 'broadcast_confirmed', count: ORDERS },
    { kind: 'broadcast_sent', count: ORDERS },
  ]);
  expect(await net.node.balance(PAYEE, 'USDT_ETH')).toBe(BigInt(ORDERS) * USDT);
  const { rows: places } = await net.owner.query(
    'select place::int as place from chain_order order by place',
  );
  expect(places.map(({ place }) => place)).toEqual(Array.from({ length: ORDERS }, (_, place) => place));
});

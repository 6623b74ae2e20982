/**
 * Goal: after a restore, nothing is sent twice, what was sent is found, and what was not sent goes out once. Method: live rails as
 * processes (`crossramp psp`, anvil, `crossramp signer`); payouts and transfers before and after the restored time; the machine is lost,
 * its backup is restored elsewhere, and the gateway is killed while it asks the rails.
 */
import { rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toMinor } from '../../src/base/money/money.ts';
import { decodeBrCode } from '../../src/base/pix/br-code.ts';
import { newHome } from '../support/home.ts';
import { control, create, walletOf } from '../support/live-orders.ts';
import { CURRENCY, DECIMALS, type LiveStage, PAYER, run, setUpLive, until } from '../support/live-stage.ts';
import { cpfOf, query } from '../support/load.ts';
import { crossramp, type Running, start } from '../support/process.ts';
import { killPostgresOf } from './lost-machine.ts';

const PRICE = '100.00';
const machine = newHome();
const spare = newHome();
const homeOf = ({ home }: { readonly home: string }) => join(home, 'gateway');
const backups = join(spare.home, 'backups');
const ends: (() => unknown)[] = [];
let stage: LiveStage;
let restored: Running | undefined;

beforeAll(async () => {
  const env = { CROSSRAMP_HOME: homeOf(machine), LOG_LEVEL: 'error', RATE_LIMIT: 'off' };
  stage = await setUpLive(env, (end) => ends.push(end), { isLarge: true });
}, 300_000);
afterAll(async () => {
  await restored?.end('SIGKILL');
  for (const end of ends.toReversed()) await end();
  for (const place of [machine, spare]) {
    await killPostgresOf(homeOf(place));
    place.remove();
  }
});

const keyOf = (n: number) => `ana${n}@example.com`;
const customer = (n: number) => ({ client_name: 'Ana Souza', client_tax_id: cpfOf(n) });

/** An onramp that is delivered to a wallet of its own. */
function buy(n: number): Promise<string> {
  const bought = { amount_payment: PRICE, currency_exit_received_code: CURRENCY, wallet: walletOf(n) };
  return create(stage, n, ['/v2/onramp', { ...customer(n), ...bought }]);
}

/** An offramp that is paid out to a PIX key of its own. */
function sell(n: number): Promise<string> {
  const sold = { pix_key: keyOf(n), pix_key_type: 'email', currency_entry_paid_code: CURRENCY };
  const body = { ...customer(n), ...sold, from: 'external', amount_paid: '20' };
  return create(stage, n, ['/v2/offramp', body]);
}

/** A node of GraphQL. */
async function transaction(end2end: string) {
  const text = `query ($id: String!) { transaction(end2end: $id) { statusCode pixE2e payment { pixCopyPaste }
    ... on OnrampInstant { txHash } } }`;
  const heard = await query(`${stage.gateway}/graphql`, stage.apiKey, {
    body: { query: text, variables: { id: end2end } },
  });
  return heard?.json?.data?.transaction ?? null;
}

async function payPix(end2end: string, n: number): Promise<void> {
  const text = await until(
    stage.node,
    'a PIX code',
    async () => (await transaction(end2end))?.payment?.pixCopyPaste,
  );
  const code = decodeBrCode(text);
  if (code?.kind !== 'dynamic') throw new Error(`not the code of a charge: ${text}`);
  const { txid } = await control(stage, 'GET', code.url.slice(code.url.indexOf('/')));
  await control(stage, 'POST', '/pay', { txid, amount: PRICE, payerTaxId: cpfOf(n), wait: false });
}

const deposit = (end2end: string) =>
  until(stage.node, 'a deposit address', async () => {
    const { attributes } = (await query(`${stage.gateway}/v2/offramp/${end2end}`, stage.apiKey))?.json ?? {};
    return attributes?.deposit_address && attributes;
  });

async function payDeposit({ deposit_address, exact_deposit_amount }: Awaited<ReturnType<typeof deposit>>) {
  await stage.node.pay(PAYER, deposit_address, toMinor(String(exact_deposit_amount), DECIMALS), CURRENCY);
}

const ended = (end2end: string) =>
  until(stage.node, `the end of ${end2end}`, async () => {
    const found = await transaction(end2end);
    return found?.statusCode === 'SUCCESS' && found;
  });

const delivered = (n: number) => stage.node.balance(walletOf(n), CURRENCY);
const payouts = async () =>
  (await control(stage, 'GET', '/books')).payouts as { id: string; endToEndId: string }[];

async function restoreTo(untilMs: number) {
  const archived = (await readdir(join(backups, 'wal'))).length;
  await until(
    stage.node,
    'the log after it',
    async () => (await readdir(join(backups, 'wal'))).length > archived + 1,
  );
  await stage.end('gateway');
  await killPostgresOf(homeOf(machine));
  rmSync(homeOf(machine), { recursive: true });
  const env = { ...stage.env, CROSSRAMP_HOME: homeOf(spare) };
  const done = await crossramp(env, 'restore', backups, '--until', new Date(untilMs).toISOString());
  expect(done).toMatchObject({ code: 0 });
  return env;
}

test('payments of a lost history are found, none is repeated, and the others go out once', {
  timeout: 400_000,
}, async () => {
  // Before the restored time: one of each is done; the others wait for their payers.
  const known = [await buy(1), await sell(2)];
  await payPix(known[0] as string, 1);
  await payDeposit(await deposit(known[1] as string));
  for (const each of known) await ended(each);
  const [sentB, unsentC, sentD, unsentF] = [await buy(3), await buy(4), await sell(5), await sell(6)];
  const [depositD, depositF] = [await deposit(sentD), await deposit(unsentF)];
  await until(stage.node, 'a PIX code', async () => (await transaction(unsentC))?.payment?.pixCopyPaste);
  await until(stage.node, 'a PIX code', async () => (await transaction(sentB))?.payment?.pixCopyPaste);
  const backUp = await crossramp(stage.env, 'backup', backups, '--archive-timeout', '1');
  expect(backUp).toMatchObject({ code: 0 });
  const untilMs = Date.now();

  // After it, all of which is lost: two are carried out, and one that the restored database never heard of.
  await payPix(sentB, 3);
  await payDeposit(depositD);
  const lost = await buy(7);
  await payPix(lost, 7);
  const [doneB, doneD] = [await ended(sentB), await ended(sentD)];
  await ended(lost);
  await run(stage.env, 'network', 'pause', 'ETH', '--live', '--reason', 'so that nothing leaves');
  await payPix(unsentC, 4);
  const env = await restoreTo(untilMs);
  await payDeposit(depositF);
  const sentBefore = { payouts: (await payouts()).length, wallets: await Promise.all([3, 7].map(delivered)) };

  // The gateway dies while it asks: the bank is slow, and no final block is as young as the restore.
  await control(stage, 'PUT', '/faults', {
    seed: 1,
    rules: [{ on: 'read', fault: 'slow', rate: 1, ms: 5_000 }],
  });
  restored = await start(env);
  await restored.end('SIGKILL');
  await killPostgresOf(homeOf(spare));
  const rails = async () =>
    (await run(env, 'restored', 'rails', '--live')) as { rail: string; clearedAt: unknown }[];
  expect((await rails()).map(({ rail, clearedAt }) => [rail, clearedAt])).toEqual([
    ['pix', null],
    ['ETH', null],
  ]);
  expect((await payouts()).length).toBe(sentBefore.payouts);
  await control(stage, 'PUT', '/faults', { seed: 1, rules: [] });
  restored = await start(env);
  await until(stage.node, 'cleared rails', async () => (await rails()).every(({ clearedAt }) => clearedAt));

  // Two payments hold the orders that would repeat them, and the third one waits for a person, too.
  type Held = { id: string; rail: string; destination: string; holds: string[] };
  const held = (await until(stage.node, 'held orders', async () => {
    const found: Held[] = await run(env, 'restored', 'list', '--live');
    return found.filter(({ holds }) => holds.length > 0).length === 2 && found;
  })) as Held[];
  expect(held.map(({ rail, destination }) => `${rail} ${destination.toLowerCase()}`).toSorted()).toEqual(
    [`ETH ${walletOf(3)}`, `ETH ${walletOf(7)}`, `pix ${keyOf(5)}`].toSorted(),
  );
  // Orders without a lost payment have gone out meanwhile.
  await ended(unsentC);
  await ended(unsentF);
  expect(await Promise.all([3, 7].map(delivered))).toEqual(sentBefore.wallets);
  expect((await payouts()).length).toBe(sentBefore.payouts + 1);
  const doctor = await crossramp(env, 'doctor');
  expect(doctor.stdout).toMatch(/FAIL {2}live pix: restore: .*to be decided: 1/);

  for (const { id, holds } of held)
    if (holds[0] === undefined)
      await run(env, 'restored', 'dismiss', id, '--live', '--reason', 'booked by hand');
    else await run(env, 'restored', 'match', id, '--order', holds[0], '--live');
  expect((await ended(sentB)).txHash).toBe(doneB.txHash);
  expect((await ended(sentD)).pixE2e).toBe(doneD.pixE2e);
  expect(await Promise.all([3, 7].map(delivered))).toEqual(sentBefore.wallets);
  expect((await payouts()).length).toBe(sentBefore.payouts + 1);
  expect((await crossramp(env, 'doctor')).stdout).toMatch(/ok {4}live ETH: restore: /);
  expect(await crossramp(env, 'verify')).toMatchObject({ code: 0 });
});

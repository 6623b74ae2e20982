/**
 * Goal: the house converts against its own funds and never passes a limit, however many convert at once; what it should buy or
 * sell is shown. Method: a gateway whose sandbox converts by the inventory; orders by the real API, the books looked at after.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { assert } from '../../../src/base/errors/assert.ts';
import { OWN_FUNDS } from '../../../src/ledger/chart.ts';
import { createInventory, readInventorySettings } from '../../../src/rails/inventory/index.ts';
import type { Liquidity } from '../../../src/resolvers/services/rails.ts';
import { platformAccount } from '../../../src/store/account/accounts.ts';
import { readProcesses } from '../../../src/store/engine/processes.ts';
import { findTransaction } from '../../../src/store/engine/transactions.ts';
import { readFunds } from '../../../src/store/rails/inventory.ts';
import { useApp } from '../../support/app.ts';
import { command } from '../../support/command.ts';
import { visit } from '../../support/console.ts';
import { beginCount, counted } from '../../support/count-statements.ts';
import { graphqlClient } from '../../support/graphql-client.ts';
import { holdAccounts } from '../../support/hold-accounts.ts';
import { newHome } from '../../support/home.ts';
import { signInAs } from '../../support/people.ts';
import { errorsIn } from '../../support/refusals.ts';

/** More of them with `INVENTORY_AT_ONCE`. */
const PARALLEL_MAX = Number(process.env.INVENTORY_AT_ONCE ?? 16);
const POSITIONS = {
  USDT_TRX: { long: '150', short: '0', target: '60' },
  BRL: { long: '1000000', short: '1000000' },
};
const INVENTORY = { kind: 'inventory', positions: POSITIONS };
/** Orders that the inventory was asked for, by their keys. */
const asked = new Set<string>();
const app = useApp({
  railsFile: {
    sandbox: {
      ...{ pix: undefined, networks: new Map(), signer: undefined, rates: undefined },
      ...{ identity: undefined, screening: undefined },
      liquidity: (tools) => {
        const part = createInventory(readInventorySettings(INVENTORY, 'liquidity'), tools);
        const convert: Liquidity['convert'] = (order) => {
          asked.add(order.key);
          return part.port.convert(order);
        };
        return { ...part, port: { ...part.port, convert } };
      },
    },
  },
});
const { ask, create, trigger, stepNow } = graphqlClient(app, () => app.apiKey);
const CUSTOMER = { clientName: 'Ana Souza', clientTaxId: '529.982.247-25' };
const PAYEE = { ...CUSTOMER, pixKey: 'ana@example.com', pixKeyType: 'EMAIL' };
const FIELDS = 'currency { code } owned target isWithin buy sell';

const positions = async () => (await ask(`{ positions { ${FIELDS} } }`, {}, app.platformKey)).positions;
const owned = async () => (await positions())[0].owned;
const capital = async (amount: string, direction = 'IN') => {
  const {
    bookCapital: { manualJournal: bookCapital },
  } = await ask(
    `mutation { bookCapital(input: { currency: "USDT_TRX", amount: "${amount}", direction: ${direction} }) { manualJournal { id: proposalId } errors { code message path } } }`,
    {},
    app.platformKey,
  );
  const platform = await platformAccount(app.database, 'sandbox');
  const second = await app.addKey(platform, ['platform:books']);
  await ask(
    `mutation { approveJournal(input: { proposalId: "${bookCapital.id}" }) { manualJournal { id: proposalId } errors { code message path } } }`,
    {},
    second.apiKey,
  );
};
const onramp = async (crypto: string, currency = 'USDT_TRX') =>
  (await create('createOnramp', { amount: { crypto }, currency, ...CUSTOMER })).transaction.end2end as string;
/** Waits until so many of the transactions stand at each step. */
const ends = (all: readonly string[], expected: Readonly<Record<string, number>>) =>
  vi.waitFor(
    async () => {
      const steps = await Promise.all(all.map(stepNow));
      const counts = [...Map.groupBy(steps, (step) => step)].map(([step, each]) => [step, each.length]);
      expect(Object.fromEntries(counts)).toEqual(expected);
    },
    { timeout: 30_000, interval: 100 },
  );

beforeAll(async () => {
  await capital('100');
});

test('the house owns the capital that was paid in', async () => {
  expect(await positions()).toEqual([
    { currency: { code: 'USDT_TRX' }, owned: '100', target: '60', isWithin: true, buy: null, sell: '40' },
    expect.objectContaining({ currency: { code: 'BRL' }, isWithin: true }),
  ]);
});

describe('the short limit', () => {
  test(`of ${PARALLEL_MAX} parallel conversions of 10, exactly the covered ones are kept; the others are reversed and refunded`, async () => {
    const all = await Promise.all(Array.from({ length: PARALLEL_MAX }, () => onramp('10')));
    await Promise.all(all.map((end2end) => trigger(end2end, 'pay')));
    await ends(all, { 'success/DONE': 10, 'refund/DONE': PARALLEL_MAX - 10 });
    expect(await owned()).toBe('0');
  });

  test('is not exceeded by one more minor unit', async () => {
    await capital('10');
    const [more, exact] = [await onramp('10.000001'), await onramp('10')];
    await trigger(more, 'pay');
    await ends([more], { 'refund/DONE': 1 });
    await trigger(exact, 'pay');
    await ends([exact], { 'success/DONE': 1 });
  });

  test('does not refuse conversions that reduce the position', async () => {
    await capital('20', 'OUT');
    expect((await positions())[0]).toMatchObject({ owned: '-20', isWithin: false, buy: '80', sell: null });
    const { transaction } = await create('createOfframp', {
      amount: { crypto: '15' },
      currency: 'USDT_TRX',
      ...PAYEE,
    });
    await ends([transaction.end2end], { 'success/DONE': 1 });
    expect(await owned()).toBe('-5');
  });
});

test('the long limit reverses an offramp that exceeds it', async () => {
  await capital('150');
  const { transaction } = await create('createOfframp', {
    amount: { crypto: '10' },
    currency: 'USDT_TRX',
    ...PAYEE,
  });
  await ends([transaction.end2end], { 'swap_transfer/ERROR': 1 });
  expect(await owned()).toBe('145');
});

test('a currency without limits is not converted', async () => {
  const end2end = await onramp('1', 'USDC_BASE');
  await trigger(end2end, 'pay');
  await ends([end2end], { 'refund/DONE': 1 });
});

test('a repeated order gets the same answer, and counts once', async () => {
  const end2end = await onramp('5');
  await trigger(end2end, 'pay');
  await ends([end2end], { 'success/DONE': 1 });
  const { rows } = await app.owner.query(
    `select key, answer from inventory_conversion where key like $1 || ':%'`,
    [end2end],
  );
  expect(rows).toEqual([{ key: expect.any(String), answer: 'settled' }]);
  const before = await readFunds(app.database, 'sandbox', ['USDT_TRX']);
  const sandbox = app.services.forMode('sandbox');
  const found = await findTransaction(app.database, app.accountId, end2end);
  const [row] = await readProcesses(app.database, [
    { accountId: app.accountId, transactionId: found?.id ?? 0n },
  ]);
  assert(row, 'it was made');
  expect(await sandbox.rails.liquidity.convert({ key: rows[0].key, row })).toBe('settled');
  expect(await readFunds(app.database, 'sandbox', ['USDT_TRX'])).toEqual(before);
});

test('C-40: only the platform’s own books have the list for rebalancing, in GraphQL, console and command', async () => {
  const { json } = await app.graphql('{ positions { owned } }');
  expect(errorsIn(json)[0].extensions.code).toBe('FORBIDDEN');
  const platform = await platformAccount(app.database, 'sandbox');
  const books = await signInAs(app, platform, { email: 'paul@platform.invalid', role: 'platform_finance' });
  const page = await visit(app, books, '/console/operator');
  expect(page.text).toContain('Inventory and rebalancing');
  const home = newHome();
  onTestFinished(home.remove);
  const file = join(home.home, 'rails.json');
  writeFileSync(file, JSON.stringify({ sandbox: { liquidity: INVENTORY } }));
  const { stdout } = await command(
    { DATABASE_URL: app.url, RAILS_FILE: file },
    'rebalance',
    'list',
    '--json',
  );
  expect(JSON.parse(stdout).positions[0]).toMatchObject({
    ...{ currency: 'USDT_TRX', owned: '140', target: '60', sell: '80', buy: null, worth: expect.any(String) },
  });
  const none = await command({ DATABASE_URL: app.url }, 'rebalance', 'list');
  expect(none.stdout).toBe('there is no inventory\n');
});

test('conversions that wait for the books of the house share one connection and one query of its funds', async () => {
  expect(await owned()).toBe('140');
  const all = await Promise.all(Array.from({ length: 16 }, () => onramp('10')));
  const house = await platformAccount(app.database, 'sandbox');
  const waiting = async () =>
    (
      await app.owner.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    ).rowCount;
  const held = await holdAccounts(app.owner, house);
  try {
    asked.clear();
    await Promise.all(all.map((end2end) => trigger(end2end, 'pay')));
    await vi.waitFor(() => expect(asked.size).toBe(all.length), { timeout: 20_000 });
    await expect.poll(waiting).toBe(1);
    beginCount();
  } finally {
    await held.release();
  }
  await ends(all, { 'success/DONE': 14, 'refund/DONE': 2 });
  expect(counted().byName.get('inventory_funds')).toBeLessThan(all.length / 2);
  expect(await owned()).toBe('0');
});

test('the index finds exactly the accounts of the own funds', async () => {
  const { rows } = await app.owner.query(
    `select indexdef from pg_indexes where indexname = 'ledger_account_of_own_funds'`,
  );
  const [, list = ''] = /ARRAY\[(.*?)\]/.exec(rows[0].indexdef) ?? [];
  expect(list.split(', ').map((each) => /'(.*?)'/.exec(each)?.[1])).toEqual(OWN_FUNDS);
});

test.each([
  [
    { kind: 'inventory', positions: { DOGE: {} } },
    'liquidity.positions.DOGE: expected a currency such as USDT_TRX, or BRL',
  ],
  [
    { kind: 'inventory', positions: { USDT_TRX: { long: '0.0000001' } } },
    'liquidity.positions.USDT_TRX.long: expected at most 6 decimals, got "0.0000001"',
  ],
  [
    { kind: 'inventory', positions: { USDT_TRX: { long: '1', target: '2' } } },
    'liquidity.positions.USDT_TRX.target: expected at most long, 1, got "2"',
  ],
  [
    { kind: 'inventory', positions: { USDT_TRX: { longer: '1' } } },
    'liquidity.positions.USDT_TRX.longer: there is no such setting',
  ],
])('settings %j are refused', (json, message) => {
  expect(() => readInventorySettings(json, 'liquidity')).toThrow(message);
});

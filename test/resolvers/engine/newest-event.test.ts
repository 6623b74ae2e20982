/**
 * Goal: the newest event of a transaction says what a GET says (C-9, I8), also where something was told that changed no
 * step. Method: the real engine; after each telling the stored transaction is rendered and compared with its event.
 */
import { pino } from 'pino';
import { beforeAll, expect, test } from 'vitest';
import { createServices } from '../../../src/compose/services.ts';
import { settle } from '../../../src/resolvers/engine/run-jobs.ts';
import { emptyProcess, endOf } from '../../../src/resolvers/orders/create-transaction.ts';
import type { NewProcess } from '../../../src/resolvers/services/advance.ts';
import type { Services } from '../../../src/resolvers/services/context.ts';
import { createAccount } from '../../../src/store/account/accounts.ts';
import { readProcesses } from '../../../src/store/engine/processes.ts';
import type { ProcessRow } from '../../../src/templates/facts.ts';
import { REGISTRY } from '../../../src/templates/index.ts';
import type { Trigger } from '../../../src/templates/triggers.ts';
import { useDatabase } from '../../support/database.ts';
import { cpfOf } from '../../support/load.ts';
import { MOVER } from '../../support/mover.ts';

const store = useDatabase();
const SILENT = pino({ level: 'silent' });
let services: Services;
let accountId: bigint;

beforeAll(async () => {
  const config = { publicUrl: 'http://127.0.0.1', exactIntegers: false, sandboxAuto: false };
  services = createServices({ database: store.database, registry: REGISTRY, config });
  const templates = REGISTRY.templates.map(({ name }) => name);
  accountId = await createAccount(store.database, 'Events', { templates });
});

const CLIENT = { clientName: 'Ana Souza', clientTaxId: cpfOf(1) };

async function make(template: string, facts: Partial<NewProcess>): Promise<ProcessRow> {
  const nowMs = await services.clock.nowMs();
  const empty = emptyProcess(accountId, template, nowMs, null);
  const create = { ...empty, expiresAt: endOf(nowMs, 1_800), ...facts };
  const made = await services.advance({
    target: { create: { ...create, process: { ...empty.process, isAccepted: true } } },
    trigger: { on: 'created' },
    author: MOVER,
  });
  await settle(services, SILENT, { only: keyOf(made.row) });
  return again(made.row);
}

const keyOf = ({ id }: ProcessRow) => ({ accountId, transactionId: id });

async function again(row: ProcessRow): Promise<ProcessRow> {
  const [now] = await readProcesses(store.database, [keyOf(row)]);
  return now as ProcessRow;
}

async function expectTold(row: ProcessRow): Promise<void> {
  const { rows } = await store.owner.query(
    'select event_body(form, payload) as payload from event where account_id = $1 and transaction_id = $2 order by sequence desc limit 1',
    [String(accountId), String(row.id)],
  );
  expect(services.render(await again(row))).toBe(rows[0].payload);
}

async function tell(row: ProcessRow, trigger: Trigger): Promise<void> {
  expect((await services.advance({ target: keyOf(row), trigger })).code).toBe('ADVANCED');
}

test('a deposit of another amount, seen and then dropped', async () => {
  const row = await make('offramp_instant', {
    sourceCurrency: 'USDT_TRX',
    sourceAmount: '100',
    targetCurrency: 'BRL',
    targetAmount: '490.00',
    fees: '10.00',
    pixKey: 'ana@example.com',
    pixKeyType: 'email',
    ...CLIENT,
  });
  await expectTold(row);
  const txHash = 'e'.repeat(64);
  const seenAt = new Date(await services.clock.nowMs()).toISOString();
  await tell(row, { on: 'deposit_seen', txHash, logIndex: 0, amount: '7', from: 'TKN9umuf74', seenAt });
  await expectTold(row);
  await tell(row, { on: 'deposit_dropped', txHash });
  await expectTold(row);
});

test('a customer who is named again before the confirmation', async () => {
  const row = await make('onramp', {
    sourceCurrency: 'BRL',
    sourceAmount: '550.00',
    targetCurrency: 'USDT_TRX',
    targetAmount: '100',
    fees: '12.50',
  });
  for (const n of [2, 3]) {
    await tell(row, { on: 'identity_given', clientName: `Customer ${n}`, clientTaxId: cpfOf(n) });
    await expectTold(row);
  }
});

/** Orders that are paid, the rail events that report the money, and the books afterwards. */
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { expect } from 'vitest';
import { settle } from '../../../src/resolvers/engine/run-jobs.ts';
import type { DepositEvent, PaymentEvent } from '../../../src/resolvers/services/rail-event.ts';
import { findAnywhere } from '../../../src/store/engine/processes.ts';
import { verifyLedger } from '../../../src/store/ledger/verify.ts';
import type { ProcessRow } from '../../../src/templates/facts.ts';
import type { TestApp } from '../../support/app.ts';

/** Whom money comes for. */
export interface Merchant {
  readonly accountId: bigint;
  readonly apiKey: string;
}

const CUSTOMER = { client_name: 'Ana Souza', client_tax_id: '52998224725' };
/** Where nobody reads what is logged. */
export const SILENT = pino({ level: 'silent' });
let told = 0;

/** What tests of inbound money do with an application. */
export function inboundOf(app: TestApp) {
  const rowOf = async (end2end: string): Promise<ProcessRow> => {
    const row = await findAnywhere(app.database, end2end);
    if (!row) throw new Error(`no transaction ${end2end}`);
    return row;
  };
  const make = async ({ apiKey }: Merchant, path: string, body: object): Promise<ProcessRow> => {
    const { status, json, text } = await app.post(path, body, { key: apiKey });
    expect(status, text).toBe(201);
    return rowOf(json.end2end);
  };
  return {
    rowOf,
    /** An onramp of 100 BRL at its charge. */
    onramp: (merchant: Merchant) =>
      make(merchant, '/v2/onramp', {
        currency_exit_received_code: 'USDT_TRX',
        amount_payment: '100.00',
        ...CUSTOMER,
      }),
    /** An offramp of 20 USDT from an address. */
    offrampInstant: async (merchant: Merchant) =>
      make(merchant, '/v2/offramp', {
        from: 'external',
        currency_entry_paid_code: 'USDT_TRX',
        amount_paid: '20',
        ...CUSTOMER,
        pix_key: CUSTOMER.client_tax_id,
        pix_key_type: 'cpf',
      }),
    act: async ({ apiKey }: Merchant, path: string) => {
      const { status, text } = await app.post(path, {}, { key: apiKey });
      expect(status, text).toBe(200);
    },
    play: async ({ apiKey }: Merchant, scenario: string, { end2end }: Pick<ProcessRow, 'end2end'>) =>
      app.post('/v2/sandbox/trigger', { scenario, end2end }, { key: apiKey }),
    /** Lets the jobs of a transaction be done until it is at a step. */
    reach: async (row: ProcessRow, step: string) => {
      for (let turn = 0; turn < 1_000; turn++) {
        const { component, state } = await rowOf(row.end2end);
        if (`${component}/${state}` === step) return;
        await settle(app.services, SILENT, {
          only: { accountId: row.accountId, transactionId: row.id },
        });
        await sleep(20);
      }
      const { component, state } = await rowOf(row.end2end);
      expect(`${component}/${state}`).toBe(step);
    },
    stepOf: async ({ end2end }: ProcessRow) => {
      const { component, state } = await rowOf(end2end);
      return `${component}/${state}`;
    },
    /** Stored rail events of a natural key, the oldest first. */
    eventsOf: async (key: string) => {
      const { rows } = await app.owner.query(
        'select kind, outcome, account_id, transaction_id from rail_news where key = $1 order by id',
        [key],
      );
      return rows;
    },
    suspenseOf: async (accountId: bigint) => {
      const { rows } = await app.owner.query(
        `select id, currency, amount_minor::text as amount, reason, state, transaction_id from suspense_entry where account_id = $1 order by id`,
        [String(accountId)],
      );
      return rows;
    },
    /** Balances other than zero, by role and currency, minor units. */
    bookOf: async (accountId: bigint): Promise<Record<string, string>> => {
      const { rows } = await app.owner.query(
        `select coalesce(a.house, 'M.' || (array['available', 'in_transit', 'to_receive', 'blocked'])[a.sub_account]) || ' ' || a.currency as name,
            b.balance::text as balance
           from ledger_account a join ledger_balance b on b.account_id = a.account_id and b.ledger_account_id = a.id
          where a.account_id = $1 and b.balance <> 0`,
        [String(accountId)],
      );
      return Object.fromEntries(rows.map(({ name, balance }) => [name, balance]));
    },
    journalsOf: async (accountId: bigint): Promise<string> => {
      const { rows } = await app.owner.query('select name from journal where account_id = $1 order by id', [
        String(accountId),
      ]);
      return rows.map(({ name }) => name).join(' ');
    },
    verified: async (accountId: bigint) => {
      expect((await verifyLedger(app.database, accountId)).defects).toEqual([]);
    },
  };
}

/** A PIX of the price of a charge, unless said otherwise. */
export function pixFor(row: ProcessRow, changes: Partial<PaymentEvent> = {}): PaymentEvent {
  told += 1;
  return {
    kind: 'payment',
    txid: row.process?.txid ?? null,
    endToEndId: `E99999999202611221200${String(told).padStart(11, '0')}`,
    amount: row.sourceAmount as string,
    settledAt: new Date().toISOString(),
    payerTaxId: row.clientTaxId,
    ...changes,
  };
}

/** A final transfer of the exact amount to the address of a session, unless said otherwise. */
export function depositFor(row: ProcessRow, changes: Partial<DepositEvent> = {}): DepositEvent {
  told += 1;
  return {
    kind: 'deposit_confirmed',
    txHash: told.toString(16).padStart(64, '0'),
    logIndex: 0,
    address: row.depositAddress as string,
    currency: row.sourceCurrency as string,
    amount: row.exactDepositAmount as string,
    from: 'TCjow1qG4ZvDNj5ZRCF2RSuS2kMCGKK1JJ',
    seenAt: new Date().toISOString(),
    ...changes,
  };
}

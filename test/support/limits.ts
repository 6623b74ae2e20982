/** Customers, limits and payments for tests of what customers may move (C-21). */
import { expect } from 'vitest';
import type { AccountMode } from '../../src/base/access/account-mode.ts';
import { railEventRecordOf } from '../../src/resolvers/inbound/rail-events.ts';
import type { AdvanceResult } from '../../src/resolvers/services/advance.ts';
import { findProcess } from '../../src/store/engine/processes.ts';
import type { ProcessRow } from '../../src/templates/facts.ts';
import type { Trigger } from '../../src/templates/triggers.ts';
import type { Answer, TestApp } from './app.ts';
import { cpfOf } from './load.ts';
import { MOVER } from './mover.ts';
import { postPatiently } from './post-patiently.ts';

/** An account whose customers are limited. */
export interface Shop {
  readonly accountId: bigint;
  readonly apiKey: string;
  /** What was not answered in time is asked again, under the same idempotency key. */
  readonly post: (path: string, body: unknown, key?: string) => Promise<Answer>;
  /** Sets the limits of all templates; BRL. */
  readonly limit: (limits: { daily?: string; stepUp?: string }) => Promise<unknown>;
  readonly approveAbove: (brl: string | null) => Promise<unknown>;
  readonly onramp: (taxId: string, brl: string, more?: object) => Promise<Answer>;
  readonly checkout: (taxId: string, brl: string, more?: object) => Promise<Answer>;
  /** From a deposit, to a payee. */
  readonly offramp: (taxId: string, brl: string, more?: object) => Promise<Answer>;
  /** A charge that can be paid, however long its rail takes. @returns its id. */
  readonly charge: (taxId: string, brl: string, kind: 'onramp' | 'checkout') => Promise<string>;
  readonly row: (end2end: string) => Promise<ProcessRow>;
  /** The whole amount arrives from the customer, settled at this moment, unless said otherwise. */
  readonly pay: (
    end2end: string,
    settledAtMs?: number,
    changes?: { readonly amount?: string; readonly payerTaxId?: string },
  ) => Promise<AdvanceResult>;
  /** Anything else happens to it. */
  readonly tell: (end2end: string, trigger: Trigger) => Promise<AdvanceResult>;
  /** Another key approves it. */
  readonly approve: (end2end: string) => Promise<AdvanceResult>;
  /** BRL that left unapproved, by day; days with nothing are left out. */
  readonly moneyOut: () => Promise<{ day: string; brl: string }[]>;
  /** Until the transaction is at this step. */
  readonly reach: (end2end: string, step: string) => Promise<ProcessRow>;
  /** Volumes of a subject by day; days with nothing are left out. */
  readonly volumes: (subject: string) => Promise<{ day: string; open: string; paid: string }[]>;
}

let customers = 5_000;
let payments = 0;

/** @returns a tax id that no other call gives. */
export function newCustomer(): string {
  customers += 1;
  return cpfOf(customers);
}

/** @returns a new account with an API of its own. */
export async function newShop(app: TestApp, options?: { readonly mode: AccountMode }): Promise<Shop> {
  const { accountId, apiKey } = await app.addAccount(options);
  const id = String(accountId);
  const services = app.services.forMode(options?.mode ?? 'sandbox');
  const post: Shop['post'] = (path, body, key = apiKey) => postPatiently(app, path, body, key);
  const incoming =
    (path: string) =>
    (client_tax_id: string, amount_payment: string, more: object = {}) =>
      post(path, {
        client_name: 'Ana Souza',
        client_tax_id,
        amount_payment,
        currency_exit_received_code: 'USDT_TRX',
        ...more,
      });
  const row = async (end2end: string) => {
    const found = await findProcess(app.database, accountId, end2end);
    if (!found) throw new Error(`there is no ${end2end}`);
    return found;
  };
  return {
    accountId,
    apiKey,
    post,
    limit: ({ daily = null, stepUp = null }: { daily?: string | null; stepUp?: string | null }) =>
      app.owner.query(
        `update template_setting set customer_limit_daily = coalesce($2, customer_limit_daily),
            customer_step_up_30d = coalesce($3, customer_step_up_30d), amount_max = 1000000 where account_id = $1`,
        [id, daily, stepUp],
      ),
    approveAbove: (brl) =>
      app.owner.query(
        `insert into account_setting (account_id, approval_above, whitelist_cooling_seconds) values ($1, $2, 0)
          on conflict (account_id) do update set approval_above = excluded.approval_above, whitelist_cooling_seconds = 0`,
        [id, brl],
      ),
    onramp: incoming('/v2/onramp'),
    checkout: incoming('/v2/crossramp_checkout'),
    offramp: (client_tax_id, amount_sent, more = {}) =>
      post('/v2/offramp', {
        client_name: 'Ana Souza',
        client_tax_id,
        amount_sent,
        currency_entry_paid_code: 'USDT_TRX',
        pix_key: 'ana@example.com',
        pix_key_type: 'email',
        from: 'external',
        ...more,
      }),
    charge: async (client_tax_id, amount_payment, kind) => {
      const path = kind === 'onramp' ? '/v2/onramp' : '/v2/crossramp_checkout';
      const client_name = 'Ana Souza';
      const body = { client_name, client_tax_id, amount_payment, currency_exit_received_code: 'USDT_TRX' };
      const { status, text, json } = await post(path, body);
      if (status !== 201) throw new Error(`a charge is made: ${text}`);
      return json.end2end;
    },
    row,
    tell: async (end2end, trigger) => {
      const { id: transactionId } = await row(end2end);
      const target = { accountId, transactionId };
      return services.advance({ target, trigger, author: MOVER });
    },
    approve: async (end2end) => {
      const { id: transactionId } = await row(end2end);
      const target = { accountId, transactionId };
      return services.advance({ target, trigger: { on: 'approved', by: MOVER.actorId }, author: MOVER });
    },
    moneyOut: async () => {
      const { rows } = await app.owner.query(
        `select (minute at time zone 'America/Sao_Paulo')::date::text as day, sum(passed)::float8::text as brl
          from money_out_minute where account_id = $1 group by 1 having sum(passed) <> 0 order by 1`,
        [id],
      );
      return rows;
    },
    reach: async (end2end, step) => {
      await expect.poll(async () => stepOf(await row(end2end))).toBe(step);
      return row(end2end);
    },
    pay: async (end2end, settledAtMs = Date.now(), changes = {}) => {
      const { id: transactionId, sourceAmount, clientTaxId } = await row(end2end);
      payments += 1;
      const endToEndId = `E12345678202611221200${String(payments).padStart(11, '0')}`;
      const told = {
        endToEndId,
        amount: sourceAmount as string,
        settledAt: new Date(settledAtMs).toISOString(),
        payerTaxId: clientTaxId,
        ...changes,
      };
      return services.advance({
        target: { accountId, transactionId },
        railEvent: railEventRecordOf(services, { kind: 'payment', txid: null, ...told }),
        trigger: { on: 'pix_received', ...told },
      });
    },
    volumes: async (subject) => {
      const { rows } = await app.owner.query(
        `select day::text, open::float8::text as open, paid::float8::text as paid from volume_day
          where account_id = $1 and subject = $2 and (open <> 0 or paid <> 0) order by day`,
        [id, subject],
      );
      return rows;
    },
  };
}

/** @returns the name of a transaction's step. */
export function stepOf({ component, state }: Pick<ProcessRow, 'component' | 'state'>): string {
  return `${component}/${state}`;
}

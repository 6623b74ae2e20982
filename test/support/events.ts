/** Accounts, transactions and events for tests of what comes after the engine: rows as it writes them, without it. */

import type pg from 'pg';
import type { AccountMode } from '../../src/base/access/account-mode.ts';
import { encodeEventCursor, POSITION_TOKEN_LENGTH } from '../../src/events/cursor.ts';
import { createAccount } from '../../src/store/account/accounts.ts';
import type { Database } from '../../src/store/connection/database.ts';
import { type Head, recordEvents } from '../../src/store/engine/processes.ts';
import { ensureTransactionEndpoint } from '../../src/store/webhooks/webhooks.ts';
import { REGISTRY } from '../../src/templates/index.ts';

/** The template of the made transactions. */
export const TEMPLATE = 'onramp';
/** A secret that is none. */
export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** @returns an account with so many transactions, whose ids are 1 and up. */
export async function addBusiness(
  database: Database,
  owner: pg.Pool,
  options: { readonly transactions?: number; readonly webhook?: string; readonly mode?: AccountMode } = {},
): Promise<bigint> {
  const { transactions = 1, webhook = null, mode = 'sandbox' } = options;
  const templates = REGISTRY.templates.map((t) => t.name);
  const accountId = await createAccount(database, 'Business', { templates, mode });
  await owner.query(
    `insert into transaction (account_id, id, end2end, template, family, list_seq, component, state, created_at, updated_at, webhook)
       select $1::bigint, n, concat('T', $1::bigint, '-', n), $2, 'onramp', n, 'quote', 'created', now(), now(), $3 from generate_series(1, $4::int) n`,
    [String(accountId), TEMPLATE, webhook, transactions],
  );
  if (webhook)
    await database.withTx((tx) =>
      ensureTransactionEndpoint(tx, accountId, webhook, SECRET, '2026-01-01 00:00:00+00'),
    );
  return accountId;
}

/** @returns the cursor of an event of the log, by its number. */
export async function cursorAt(
  owner: pg.Pool,
  accountId: bigint | string,
  seq: bigint | number,
): Promise<string> {
  const { rows } = await owner.query('select token from event where account_id = $1 and seq = $2', [
    String(accountId),
    String(seq),
  ]);
  const token: string = rows[0]?.token.slice(0, POSITION_TOKEN_LENGTH) ?? '';
  return encodeEventCursor(BigInt(accountId), { seq: BigInt(seq), token });
}

/** Adds an endpoint as it is in the table. */
export async function addEndpointRow(
  owner: pg.Pool,
  accountId: bigint,
  row: { readonly id: string; readonly url?: string } & Readonly<Record<string, unknown>>,
): Promise<void> {
  const { id, url = 'http://127.0.0.1:9/none', ...rest } = row;
  const full: Record<string, unknown> = {
    kind: 'general',
    created_at: '2026-01-01T00:00:00Z',
    event_names: [],
    order_mode: 'transaction',
    max_concurrency: 10,
    state: 'enabled',
    consecutive_failures: 0,
    from_seq: 0,
    ...rest,
    account_id: String(accountId),
    id,
    url,
  };
  await owner.query(
    `insert into webhook_endpoint select * from jsonb_populate_record(null::webhook_endpoint, $1::jsonb)`,
    [JSON.stringify(full)],
  );
  await owner.query(
    `insert into webhook_secret (account_id, endpoint_id, secret, created_at) values ($1, $2, $3, now())`,
    [String(accountId), id, SECRET],
  );
}

/** Which event is written. */
export interface Written {
  readonly accountId: bigint;
  readonly transactionId?: bigint;
  readonly name?: string;
  readonly state?: string;
}

/** Writes events as the engine does: under the lock of their accounts, last in a database transaction. */
export async function writeEvents(
  database: Database,
  events: readonly Written[],
  before: () => Promise<void> = async () => {},
): Promise<void> {
  await database.withTx(async (tx) => {
    const accountIds = [...new Set(events.map(({ accountId }) => accountId))].sort((a, b) => Number(a - b));
    const heads = new Map<bigint, { -readonly [Name in keyof Head]: Head[Name] }>();
    const rows = await tx.query<Head>(
      {
        name: 'test_lock',
        text: `select account_id as "accountId", transaction_id as "transactionId", event_seq as "eventSeq",
            audit_seq as "auditSeq", audit_hash as "auditHash"
          from account_head where account_id = any ($1::bigint[]) order by account_id for update`,
      },
      [accountIds],
    );
    for (const row of rows) heads.set(row.accountId, { ...row });
    await before();
    const records = events.map((event) => {
      const head = heads.get(event.accountId);
      if (!head) throw new Error('there is no such account');
      head.eventSeq += 1n;
      const state = event.state ?? 'paid';
      return {
        accountId: event.accountId,
        seq: head.eventSeq,
        transactionId: event.transactionId ?? 1n,
        sequence: Number(head.eventSeq),
        name: event.name ?? `${TEMPLATE}.payment.${state}`,
        component: 'payment',
        state,
        occurredAt: new Date().toISOString(),
        body: {
          form: '{"account":\n,"seq":\n,"text":"é \\"quoted\\""}',
          payload: `"${event.accountId}"\n"${head.eventSeq}"`,
        },
      };
    });
    await recordEvents(tx, records, [...heads.values()]);
  });
}

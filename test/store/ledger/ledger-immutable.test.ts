/**
 * History cannot be changed: by nobody through SQL, and not unseen by a superuser. Every refusal is tried as the
 * owner and as the gateway's role; every defect that the auditor knows is made with the guards taken down, inside a
 * transaction that is rolled back.
 */
import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { BRL, currencyOf } from '../../../src/base/money/currency.ts';
import { houseSheet, subAccountSheet } from '../../../src/ledger/chart.ts';
import { createAccount } from '../../../src/store/account/accounts.ts';
import type { Tx } from '../../../src/store/connection/database.ts';
import { TRANSACTION_COLUMNS } from '../../../src/store/engine/transactions.ts';
import { type NewTransaction, openLedgerAccounts } from '../../../src/store/ledger/history.ts';
import { verifyLedger } from '../../../src/store/ledger/verify.ts';
import { useDatabase } from '../../support/database.ts';
import { insertTransactions } from '../../support/records.ts';

const test = useDatabase();

const GUARDED = ['journal', 'ledger_line', 'ledger_day', 'event'] as const;
let accountId: bigint;
/** Ids of its ledger accounts, by the names that the statements below give them. */
let ids: ReadonlyMap<string, bigint>;

beforeAll(async () => {
  accountId = await createAccount(test.database, 'Book', { templates: [] });
  const usdt = currencyOf('USDT_TRX') ?? BRL;
  const sheets = [
    subAccountSheet(accountId, usdt, 'available'),
    subAccountSheet(accountId, usdt, 'in_transit'),
    houseSheet(accountId, usdt, 'A.custody'),
  ].map((sheet) => ({ ...sheet, id: null }));
  const blank = Object.fromEntries(Object.keys(TRANSACTION_COLUMNS).map((name) => [name, null]));
  const texts = { component: 'success', state: 'DONE', errorEn: '', errorPt: '' };
  const transactions = ['2026-05-01', '2026-05-01', '2026-05-02'].map((day, index) => {
    const times = { createdAt: `${day}T12:00:00.000Z`, updatedAt: `${day}T12:00:00.000Z` };
    return {
      ...blank,
      ...texts,
      ...times,
      end2end: `T${index}`,
      template: 'onramp',
      family: 'onramps',
    } as unknown;
  });
  await test.database.withTx(async (tx) => {
    await openLedgerAccounts(tx, accountId, sheets);
    await insertTransactions(tx, accountId, transactions as NewTransaction[]);
  });
  const { rows } = await test.owner.query(
    'select id, sub_account from ledger_account where account_id = $1',
    [accountId],
  );
  ids = new Map(rows.map((row) => [['HOUSE', 'AVAILABLE', 'HELD'][row.sub_account] ?? '', row.id]));
  // Lines of AVAILABLE: 1 and 3 on the first day, 5 on the second; of HELD: 2 and 4; of HOUSE: -1 and -2.
  for (const [day, ref, lines] of [
    ['2026-05-01', 'in', 'HOUSE -150, AVAILABLE 100, HELD 50'],
    ['2026-05-01', 'hold', 'AVAILABLE -40, HELD 40'],
    ['2026-05-02', 'out', 'AVAILABLE -60, HOUSE 60'],
  ] as const)
    expect(await post(ref, lines, `${day}T12:00:00Z`, 1)).toBe('POSTED');
  await test.owner.query(
    `with head as (update account_head set event_seq = 3 where account_id = $1)
     insert into event (account_id, seq, name, transaction_id, sequence, component, state, occurred_at, payload)
     select $1, n, 'onramp.success.done', 1, n, 'success', 'DONE', now(), '{}' from generate_series(1, 3) n`,
    [accountId],
  );
});

/** Posts lines such as `HELD -5, HOUSE 5` as the gateway does. @returns the code. */
async function post(
  ref: string,
  lines: string,
  at: string | null = null,
  transactionId: number | null = null,
) {
  const parts = fillIn(lines)
    .split(', ')
    .map((line) => line.split(' '));
  const { rows } = await test.owner.query(
    `select code from ledger_post(array[$1::bigint], array[$2], array['h'::bytea], array['test'], array[$3::bigint], coalesce($4, now()),
       array_fill(1, array[cardinality($5::bigint[])]), $5, $6::numeric[])`,
    [accountId, ref, transactionId, at, parts.map(([id]) => id), parts.map(([, delta]) => delta)],
  );
  return rows[0].code as string;
}

/** @returns the text with ids in place of names. */
function fillIn(text: string): string {
  return text.replace(/\b(AVAILABLE|HELD|HOUSE|OWN)\b/g, (name) =>
    String(name === 'OWN' ? accountId : ids.get(name)),
  );
}

/** Runs the statements one after the other in a transaction that is rolled back. */
async function attempt<Result>(
  statements: readonly string[],
  then: (client: pg.PoolClient) => Result,
): Promise<Awaited<Result>> {
  const client = await test.owner.connect();
  try {
    await client.query('begin');
    for (const statement of statements) await client.query(fillIn(statement));
    return await then(client);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

const done = () => 'done';

describe('written rows stay', () => {
  const AS_APP = 'set local role crossramp_app';
  const AS_REPLICA = 'set local session_replication_role = replica';
  const changes = GUARDED.flatMap((table) => [
    { table, change: `update ${table} set account_id = account_id`, verb: 'UPDATE' },
    { table, change: `delete from ${table}`, verb: 'DELETE' },
    { table, change: `truncate ${table} cascade`, verb: 'TRUNCATE' },
  ]);

  it.each(changes)('refuses to $change: as owner, under a replication role, as the gateway', async ({
    table,
    change,
    verb,
  }) => {
    const refusal = { code: '42501', message: `${table} is append-only: ${verb} refused` };
    await expect(attempt([change], done)).rejects.toMatchObject(refusal);
    await expect(attempt([AS_REPLICA, change], done)).rejects.toMatchObject(refusal);
    await expect(attempt([AS_APP, change], done)).rejects.toMatchObject({ code: '42501' });
  });

  const denied = /^permission denied for table /;
  it.each([
    ['insert into journal select * from journal', denied],
    ['insert into ledger_line select * from ledger_line', denied],
    ['insert into ledger_day select * from ledger_day', denied],
    ['insert into ledger_account select * from ledger_account', denied],
    ['insert into ledger_balance select * from ledger_balance', denied],
    ['update ledger_balance set balance = balance + 1', denied],
    ['delete from ledger_balance', denied],
    ['update ledger_account set scale = 0', denied],
    ['delete from transaction', denied],
    ['alter table ledger_line disable trigger all', /^must be owner of table ledger_line$/],
    [AS_REPLICA, /^permission denied to set parameter "session_replication_role"$/],
  ])('the gateway cannot %s', async (change, reason) => {
    await expect(attempt([AS_APP, change], done)).rejects.toMatchObject({
      code: '42501',
      message: expect.stringMatching(reason),
    });
  });

  it('the gateway can post, read, and add events', async () => {
    const event = `with head as (update account_head set event_seq = 4 where account_id = OWN)
      insert into event (account_id, seq, name, transaction_id, sequence, component, state, occurred_at, payload)
      values (OWN, 4, 'onramp.success.done', 1, 2, 'success', 'DONE', now(), '{}')`;
    const posting = `select ledger_post(array[OWN::bigint], array['app'], array['h'::bytea], array['test'], array[null::bigint], now(),
      array[1, 1], array[HOUSE, HELD]::bigint[], array[-5, 5]::numeric[])`;
    expect(await attempt([AS_APP, event, posting, 'select * from ledger_line'], done)).toBe('done');
  });
});

describe('lines that are not a whole balanced journal are refused, whoever inserts them', () => {
  const journal = (id: number, lines: number) =>
    `insert into journal values (OWN, ${id}, 'j${id}', 'h', 'test', null, '2026-05-02T13:00Z', ${lines})`;
  const line = (
    journalId: number,
    ledgerAccount: string,
    seq: number,
    before: string | number,
    delta: string | number,
  ) =>
    `(OWN, ${ledgerAccount}, ${seq}, ${100 + seq}, ${journalId}, null::bigint, '2026-05-02T13:00Z'::timestamptz,
      ${delta}::numeric, ${before}::numeric, ${before}::numeric + ${delta}::numeric)`;
  const insert = (...lines: string[]) => `insert into ledger_line values ${lines.join(', ')}`;
  const apart = [
    line(8, 'HELD', 3, 90, -10),
    line(8, 'AVAILABLE', 4, 0, 5),
    line(9, 'HELD', 4, 80, -5),
    line(9, 'AVAILABLE', 5, 5, 10),
  ];
  const [out, into] = [line(9, 'HELD', 3, 90, -10), line(9, 'HOUSE', 3, -90, 10)];

  it.each([
    ['a whole balanced journal', [journal(9, 2), insert(out, into)], 'done'],
    [
      'one that is off by one',
      [journal(9, 2), insert(out, line(9, 'HOUSE', 3, -90, 9))],
      'journal 9 does not balance',
    ],
    ['half of one', [journal(9, 2), insert(out)], 'journal 9 does not balance'],
    [
      'the halves one after the other',
      [journal(9, 2), insert(out), insert(into)],
      'journal 9 does not balance',
    ],
    ['fewer lines than it announced', [journal(9, 3), insert(out, into)], 'journal 9 is not whole'],
    ['lines of no journal', [insert(out, into)], 'journal 9 is not whole'],
    [
      'two that balance only together',
      [journal(8, 2), journal(9, 2), insert(...apart)],
      /journal [89] does not balance/,
    ],
    [
      'one with an unknown ledger account',
      [journal(9, 3), insert(out, into, line(9, '999', 3, 0, 1))],
      'journal 9 names an unknown ledger account',
    ],
    [
      'a line that does not add up',
      [journal(9, 2), insert(out, into.replace('+ 10::', '+ 11::'))],
      /violates check constraint/,
    ],
    [
      'a movement of nothing',
      [journal(9, 2), insert(line(9, 'HELD', 3, 90, 0), line(9, 'HOUSE', 3, -90, 0))],
      /violates check constraint/,
    ],
    [
      'a movement of NaN',
      [journal(9, 2), insert(line(9, 'HELD', 3, 90, `'NaN'`), line(9, 'HOUSE', 3, -90, `'NaN'`))],
      /violates check constraint/,
    ],
  ])('%s', async (_what, statements, outcome) => {
    for (const role of ['origin', 'replica']) {
      const tried = attempt([`set local session_replication_role = ${role}`, ...statements], done).catch(
        (error: Error) => error.message,
      );
      expect(await tried).toEqual(typeof outcome === 'string' ? outcome : expect.stringMatching(outcome));
    }
  });

  it.each([
    `update ledger_balance set balance = 'NaN'`,
    `update ledger_balance set balance = -1 where ledger_account_id = HELD`,
    `update transaction set fees = 'NaN'`,
    `update transaction set quote = 'NaN'`,
    `update account_head set line_id = -1`,
  ])('the owner cannot %s', async (change) => {
    await expect(attempt([change], done)).rejects.toMatchObject({ code: '23514' });
  });

  it('ledger_post accepts no NaN', async () => {
    expect(await post('nan', 'HELD NaN, HOUSE NaN')).toBe('UNBALANCED');
    expect((await verifyLedger(test.database, accountId)).defects).toEqual([]);
  });
});

/** What a missing line makes wrong. */
const WITHOUT_LINE = 'balance differs from its lines, journal does not balance, journal is not whole';

/** Runs statements on a connection that is in a transaction. */
const throughClient = (client: pg.ClientBase): Tx => ({
  query: async (statement, values) => (await client.query(statement.text, values as unknown[])).rows,
});

describe('the auditor names everything that a superuser tampered with', () => {
  const GUARDS_DOWN = [
    ...GUARDED.map((table) => `alter table ${table} disable trigger all`),
    'alter table ledger_balance disable trigger all',
    ...['ledger_line_check', 'ledger_line_delta_check'].map(
      (name) => `alter table ledger_line drop constraint ${name}`,
    ),
  ];
  const inLast = (set: string) =>
    `update ledger_line set ${set} where ledger_account_id = AVAILABLE and seq = 3`;
  const inBalance = (set: string, of: string) =>
    `update ledger_balance set ${set} where ledger_account_id = ${of}`;
  const moved =
    'balance differs from its lines, broken chain, day index, journal does not balance, no balance';
  const rows: [tampering: string, statement: string, defects: string][] = [
    ['nothing', 'select 1', ''],
    [
      'a line of no ledger account',
      inLast('ledger_account_id = 9, seq = 1'),
      `${moved}, unknown ledger account`,
    ],
    ['a position left out', inLast('seq = 4'), 'day index, sequence gap'],
    ['both balances of a line raised', inLast('balance_before = 61, balance_after = 1'), 'broken chain'],
    ['a balance after raised', inLast('balance_after = 1'), 'balance is not the sum'],
    [
      'an amount',
      inLast('delta = -59, balance_after = 1'),
      'balance differs from its lines, journal does not balance',
    ],
    ['a line id before that of the line before', inLast('id = 0'), 'order of ids'],
    ['a line on an earlier day', inLast(`posted_at = '2026-04-30T12:00Z'`), 'day index, order of days'],
    [
      'a line of a transaction that is not there',
      inLast('transaction_id = 9'),
      'line of an unknown transaction',
    ],
    ['a balance below zero', inLast('balance_before = 59, balance_after = -1'), 'below zero, broken chain'],
    ['a line id given twice', inLast('id = 4'), 'repeated line id'],
    [
      'a line id of the house given twice',
      'update ledger_line set id = -1 where account_id = OWN and id = -2',
      'order of ids, repeated line id',
    ],
    ['a balance raised', inBalance('balance = balance + 1', 'HELD'), 'balance differs from its lines'],
    [
      'a count of lines raised',
      inBalance('last_seq = last_seq + 1', 'HOUSE'),
      'balance differs from its lines',
    ],
    ['a balance gone', 'delete from ledger_balance where ledger_account_id = HELD', 'no balance'],
    [
      'another currency',
      `update ledger_account set currency = 'BRL' where id = HOUSE`,
      'journal does not balance',
    ],
    ['a longer journal', 'update journal set line_count = 3 where id = 2', 'journal is not whole'],
    ['a line gone', 'delete from ledger_line where id = 4', WITHOUT_LINE],
    ['a journal gone', 'delete from journal where id = 2', 'line without journal'],
    ['a day that starts later', 'update ledger_day set first_seq = 2 where first_seq = 1', 'day index'],
    ['a day gone', 'delete from ledger_day where first_seq = 3', 'day index'],
    ['a day too many', `insert into ledger_day values (OWN, HELD, '2026-05-03', 3)`, 'day index'],
    [
      'a list in another order',
      'update transaction set list_seq = 3 - list_seq where list_seq < 3',
      'list position',
    ],
    ['a list cut short', 'update list_head set last_seq = 1', 'list head'],
    ['a list without a head', 'delete from list_head', 'list head'],
    [
      'a day of a list that starts later',
      'update list_day set first_seq = 2 where first_seq = 1',
      'list day index',
    ],
    ['an event gone', 'delete from event where seq = 2', 'event gap'],
    ['the newest event gone', 'delete from event where seq = 3', 'event gap'],
    [
      'an event number given twice',
      `insert into event (account_id, seq, name, transaction_id, sequence, component, state, occurred_at, payload)
        select account_id, seq, name, transaction_id, sequence, component, state, now() + interval '1 month', payload from event where seq = 2`,
      'repeated event',
    ],
    ['an event whose form is gone', 'update event set form = 1 where seq = 2', 'event without form'],
    [
      'an event with a form that was changed',
      `with changed as (insert into event_form (id, text) values (1, '{}')) update event set form = 1 where seq = 2`,
      'event without form',
    ],
    ['a day of a list gone', 'delete from list_day where first_seq = 3', 'list day index'],
    ['an outcome gone', 'delete from list_outcome where list_seq = 2', 'list outcome'],
    ['another outcome', `update list_outcome set outcome = 'FAILED' where list_seq = 2`, 'list outcome'],
    [
      'a PIX of another transaction',
      `insert into list_pix (account_id, family, pix_e2e, list_seq) select account_id, family, 'E9', list_seq from list_outcome where list_seq = 2`,
      'list pix',
    ],
    [
      'a PIX that lists do not find',
      `update transaction set pix_e2e = 'E1' where list_seq = 2; delete from list_pix where pix_e2e = 'E1'`,
      'list pix',
    ],
  ];

  it.each(rows)('%s', async (_tampering, statement, defects) => {
    const found = await attempt([...GUARDS_DOWN, statement], (client) =>
      // Slices of two rows: all that is checked over the edge of a slice is checked.
      verifyLedger(throughClient(client), accountId, { slice: 2 }),
    );
    expect([...new Set(found.defects.map(({ defect }) => defect))].toSorted().join(', ')).toBe(defects);
  });

  it('and the table above has every defect that it knows', async () => {
    const sources = ['verify.ts', 'verify-sql.ts'].map((name) =>
      readFileSync(new URL(`../../../src/store/ledger/${name}`, import.meta.url), 'utf8'),
    );
    const known = [
      ...sources.join('').matchAll(/(?:select |\[\[|then |else |jsonb_build_array\()'([a-z]+ [a-z ]+)'/g),
    ].map(([, name]) => name as string);
    expect(known).not.toEqual([]);
    const made = new Set(rows.flatMap(([, , defects]) => defects.split(', ')));
    expect(known.filter((name) => !made.has(name))).toEqual([]);
  });

  it('postings during a read are no defect, and no statement waits for the next one in a transaction', async () => {
    let posted = 0;
    const growing: Tx = {
      query: async (statement, values) => {
        const rows = await test.database.query(statement, values);
        posted += 1;
        expect(await post(`meanwhile ${posted}`, 'HOUSE -1, HELD 1')).toBe('POSTED');
        const open = `select from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`;
        expect((await test.owner.query(open)).rows).toEqual([]);
        return rows as never[];
      },
    };
    expect(await verifyLedger(growing, accountId, { slice: 2 })).toEqual({ checked: 7, defects: [] });
    expect(posted).toBeGreaterThan(8);
  });
});

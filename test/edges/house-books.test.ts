/**
 * Goal: the books of the house say what the ledger says: the treasury now, the trial balance and the profit and loss of a period,
 * and a day that is closed stays as it was. Method: real transactions over HTTP on a clock that is set ahead, then the answers are
 * compared with lines that are added up here, and a closed day is changed behind the back of the gateway.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { brasiliaDay, dayAfter } from '../../src/base/time/brasilia-day.ts';
import type { HouseAccount } from '../../src/ledger/chart.ts';
import { readBrokenCloses } from '../../src/store/ledger/book-closes.ts';
import { movementOf } from '../../src/store/ledger/books.ts';
import { verifyLedger } from '../../src/store/ledger/verify.ts';
import { ACCOUNT_LABELS } from '../../src/ui/account-labels.ts';
import { useApp } from '../support/app.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { useOneDay } from '../support/one-day.ts';

useOneDay();
const app = useApp();
let shop: Awaited<ReturnType<typeof app.addAccount>>;
const { ask, refusal, create, trigger, until } = graphqlClient(app, () => shop.apiKey);
const platform = (document: string) => ask(document, {}, app.platformKey);

beforeAll(async () => {
  shop = await app.addAccount();
});

interface Line {
  readonly account: HouseAccount | null;
  readonly class: string;
  readonly currency: { readonly code: string };
  readonly [amount: string]: unknown;
}

const ORDER = ['HOUSE_ASSET', 'HOLDER', 'HOUSE_LIABILITY', 'HOUSE_EQUITY', 'HOUSE_REVENUE', 'HOUSE_EXPENSE'];
const TRIAL = 'from to lines { account class currency { code } opening debits credits closing }';

async function sell(brl: string): Promise<void> {
  const { transaction } = await create('createOnramp', {
    amount: { brl },
    currency: 'USDT_TRX',
    clientName: 'Ana Souza',
    clientTaxId: '529.982.247-25',
  });
  await trigger(transaction.end2end, 'pay');
  await until(transaction.end2end, 'success/DONE');
}

const DAY_MS = 86_400_000;
const today = async () => brasiliaDay(await app.services.clock.nowMs());
const units = (text: unknown) => Math.round(Number(text) * 1e6);

describe('a period', () => {
  test('has equal debits and credits in each currency, and continues where the previous one ended', async () => {
    const day = await today();
    await sell('550.00');
    await app.services.sandbox?.advanceClock(DAY_MS);
    await sell('250.00');
    const next = await today();
    const { first, second, both } = await platform(`{
      first: trialBalance(from: "${day}", to: "${day}", account: "${shop.accountId}") { ${TRIAL} }
      second: trialBalance(from: "${next}", to: "${next}", account: "${shop.accountId}") { ${TRIAL} }
      both: trialBalance(from: "${day}", account: "${shop.accountId}") { ${TRIAL} } }`);
    expect(both).toMatchObject({ from: day, to: next });
    for (const { lines } of [first, second, both] as { lines: Line[] }[]) {
      for (const [, rows] of Map.groupBy(lines, ({ currency }) => currency.code)) {
        const sum = (name: string) => rows.reduce((all, row) => all + units(row[name]), 0);
        expect(sum('debits')).toBe(sum('credits'));
        expect(sum('debits')).toBeGreaterThan(0);
        const signed = (name: string) =>
          rows.reduce((all, row) => all + (/ASSET|EXPENSE/.test(row.class) ? -1 : 1) * units(row[name]), 0);
        expect(signed('closing')).toBe(0);
      }
    }
    const pix = ({ lines }: { lines: Line[] }) => lines.find(({ account }) => account === 'A.pix');
    expect(pix(first)).toMatchObject({ opening: '0', debits: '550', credits: '0', closing: '550' });
    expect(pix(second)).toMatchObject({ opening: '550', debits: '250', closing: '800' });
    expect(pix(both)).toMatchObject({ opening: '0', debits: '800', closing: '800' });
    const { rows } = await app.owner.query(
      `select sum(l.delta) filter (where l.delta > 0)::text as credits from ledger_line l join ledger_account a
         on a.account_id = l.account_id and a.id = l.ledger_account_id where l.account_id = $1 and a.house = 'R.fee' and a.currency = 'BRL'`,
      [shop.accountId],
    );
    const fees = (both.lines as Line[]).find((row) => row.account === 'R.fee' && row.currency.code === 'BRL');
    expect(units(fees?.credits) / 1e4).toBe(Number(rows[0].credits ?? 0));
  });

  test('shows earnings and amounts bought and sold', async () => {
    const { profitAndLoss: told } = await platform(
      `{ profitAndLoss(from: "2020-01-01", account: "${shop.accountId}") { lines { account class amount currency { code } } net { amount currency { code } } position { amount currency { code } } } }`,
    );
    for (const { amount, currency } of told.net) {
      const lines = (told.lines as Line[]).filter((row) => row.currency.code === currency.code);
      expect(lines.reduce((sum, row) => sum + units(row.amount), 0)).toBe(units(amount));
    }
    const of = (code: string) =>
      told.position.find((row: { currency: { code: string } }) => row.currency.code === code)?.amount;
    expect(Number(of('BRL'))).toBeGreaterThan(0);
    expect(Number(of('USDT_TRX'))).toBeLessThan(0);
  });

  test('C-13: of days that are none is refused by name', async () => {
    const wrong = (args: string) => refusal(`{ trialBalance(${args}) { from } }`, {}, app.platformKey);
    expect(await wrong('from: "2026-02-30"')).toMatchObject({ code: 'BAD_REQUEST' });
    expect(await wrong('from: "2026-03-02", to: "2026-03-01"')).toMatchObject({ code: 'INVALID_PARAMETER' });
    expect(
      (await platform('{ trialBalance(from: "0001-01-01", to: "9999-12-31") { to } }')).trialBalance,
    ).toEqual({ to: '9999-12-31' });
    expect(await wrong('account: "999999"')).toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('the exported books', () => {
  const file = (search: string, key = app.platformKey) => app.get(`/export/books?${search}`, { key });
  const cellsOf = (text: string, separator: string) =>
    text
      .trimEnd()
      .split('\r\n')
      .map((line) => line.split(separator));

  test('are the trial balance by class, with values in BRL and their sum for each class', async () => {
    const { trialBalance: books } = await platform(
      `{ trialBalance(account: "${shop.accountId}") { from to lines { account class currency { code } opening debits credits closing calculatedBrl } } }`,
    );
    const { status, text, headers } = await file(`account=${shop.accountId}`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    const [headings, ...rows] = cellsOf(text, ',');
    expect(headings?.join()).toBe(
      'date_from,date_to,class,account,account_name,currency,opening,debits,credits,closing,closing_brl',
    );
    const lines = rows.filter(([first]) => first === books.from);
    const expected = (books.lines as Line[]).map((line) =>
      [
        ...[books.from, books.to, line.class, line.account ?? ''],
        ...[ACCOUNT_LABELS[line.account ?? 'holders'].en, line.currency.code],
        ...[line.opening, line.debits, line.credits, line.closing, line.calculatedBrl ?? ''],
      ].join(),
    );
    expect(lines.map((line) => line.join()).toSorted()).toEqual(expected.toSorted());
    const classes = lines.map(([, , kind]) => kind);
    expect(classes).toEqual(
      classes.toSorted((one, other) => ORDER.indexOf(one ?? '') - ORDER.indexOf(other ?? '')),
    );
    const sums = rows.filter(([first]) => first === 'TOTAL');
    for (const [, , kind, , , , , , , , total] of sums) {
      const values = (books.lines as Line[]).filter((line) => line.class === kind);
      const known = values.every(({ calculatedBrl }) => calculatedBrl !== null);
      const sum = values.reduce((all, { calculatedBrl }) => all + units(calculatedBrl), 0);
      expect(units(total || 0)).toBe(known ? sum : 0);
    }
    expect(sums.map(([, , kind]) => kind)).toContain('HOUSE_ASSET');
    for (const [, , , , , code, , debits, credits] of sums.filter(([, , kind]) => kind === '')) {
      const own = (books.lines as Line[]).filter(({ currency }) => currency.code === code);
      const sumOf = (side: 'debits' | 'credits') => own.reduce((all, line) => all + units(line[side]), 0);
      expect([units(debits ?? ''), units(credits ?? '')]).toEqual([sumOf('debits'), sumOf('credits')]);
      expect(units(debits ?? '')).toBe(units(credits ?? ''));
    }
    expect(sums.some(([, , kind]) => kind === '')).toBe(true);
    expect(rows.at(-1)?.slice(0, 7)).toEqual(['COUNT', '', '', '', '', '', String(lines.length)]);
  });

  test('for Brazil have Portuguese texts, commas, and BRL with two decimals', async () => {
    const { text } = await file(`account=${shop.accountId}&format=csv-pt&date_from=2020-01-01`);
    const [headings, ...rows] = cellsOf(text.replace(/^\uFEFF/, ''), ';');
    expect(headings?.join(';')).toBe(
      'De;Até;Classe;Conta;Nome da conta;Moeda;Saldo inicial;Débitos;Créditos;Saldo final;Saldo final (R$)',
    );
    const pix = rows.find(([, , , account]) => account === 'A.pix');
    expect(pix?.slice(2)).toEqual([
      ...['Ativo', 'A.pix', 'BRL no banco liquidante', 'BRL'],
      ...['0,00', '800,00', '0,00', '800,00', '800,00'],
    ]);
    expect(pix?.[0]).toBe('01/01/2020');
  });

  test('are for the operator alone, and refuse unknown names', async () => {
    expect((await file('', shop.apiKey)).status).toBe(403);
    for (const search of ['format=ofx', 'zone=UTC', 'date_from=2026-02-30', 'currency=BRL'])
      expect([search, (await file(search)).status]).toEqual([search, 400]);
    expect((await file('account=999999')).status).toBe(404);
  });
});

test('where a period begins and ends is looked up once for each ledger account, not for each of its lines', async () => {
  const { rows } = await app.owner.query(
    `explain select a.id, m.debits from ledger_account a ${movementOf("'2026-01-01'", "'2026-02-01'")}`,
  );
  const plan: string[] = rows.map((row) => row['QUERY PLAN']);
  expect(plan.join('\n')).toContain('ledger_line_pkey');
  // The index by id has every line of the ledger account, and none of the order by seq.
  expect(plan.join('\n')).not.toContain('ledger_line_rank');
  // In brackets it is what was looked up before.
  expect(plan.filter((line) => / ledger_seq_before\(/.test(line))).toEqual([]);
});

test('the look-up of a time uses the primary key, even without statistics of a ledger account’s size', async () => {
  const { rows: sources } = await app.owner.query(
    `select prosrc as source from pg_proc where proname = 'ledger_seq_before'`,
  );
  const [, inner = ''] = /select posted_at into t (from[^;]+);/.exec(sources[0].source) ?? [];
  const values = { p_account: 1, p_ledger_account: 1, mid: 1 };
  const query = Object.entries(values).reduce(
    (text, [name, value]) => text.replaceAll(new RegExp(`= ${name}\\b`, 'g'), `= ${value}`),
    inner,
  );
  const { rows } = await app.owner.query(`explain select posted_at ${query}`);
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toMatch(/using ledger_line_pkey/);
  expect(plan).toMatch(/Index Cond: .*seq <= 1/);
});

test('the treasury equals the balances, over all accounts and over one', async () => {
  const { all, own } = await platform(`{
    all: treasury { account class currency { code } balance calculatedBrl }
    own: treasury(account: "${shop.accountId}") { account class currency { code } balance } }`);
  const pick = (lines: Line[], account: string | null, code: string) =>
    lines.find((row) => row.account === account && row.currency.code === code)?.balance;
  expect(pick(own, 'A.pix', 'BRL')).toBe('800');
  const { balances } = await ask('{ balances { available currency { code } } }');
  const held = balances.find((row: { currency: { code: string } }) => row.currency.code === 'USDT_TRX');
  expect(pick(own, null, 'USDT_TRX')).toBe(held.available);
  expect(Number(pick(all, 'A.pix', 'BRL'))).toBeGreaterThanOrEqual(800);
});

test('the result of a period has the value of each line in BRL, and marks lines without a rate', async () => {
  const charge = async (order: string, currency: string, amountMinor: string) =>
    app.services.receive({ kind: 'gas_spent', order: null, txHash: order, gas: { currency, amountMinor } });
  await charge('0x01', 'BNB_BSC', '10000000000000000');
  await charge('0x02', 'ETH_BASE', '2000000000000000');
  await app.owner.query(`delete from rate where asset = 'BNB'`);
  const { profitAndLoss } = await platform(
    '{ profitAndLoss { lines { account amount calculatedBrl currency { code } } } }',
  );
  const gas = (code: string) =>
    (profitAndLoss.lines as Line[]).find((row) => row.account === 'X.gas' && row.currency.code === code);
  expect(gas('BNB_BSC')).toMatchObject({ amount: '-0.01', calculatedBrl: null });
  // At 17,250.40.
  expect(gas('ETH_BASE')).toMatchObject({ amount: '-0.002', calculatedBrl: '-34.5' });
});

test('C-40: the books are no matter for a key of the account', async () => {
  for (const query of [
    'treasury { balance }',
    'trialBalance { from }',
    'profitAndLoss { from }',
    'bookCloses { nodes { day } }',
  ])
    expect(await refusal(`{ ${query} }`)).toMatchObject({ code: 'FORBIDDEN' });
  expect(
    await refusal(
      'mutation { closeBooks(input: { day: "2026-01-01" }) { bookClose { day } errors { code message path } } }',
    ),
  ).toMatchObject({
    code: 'FORBIDDEN',
  });
});

describe('a day', () => {
  const close = (day: string, key = '') =>
    `mutation { closeBooks(input: { day: "${day}"${key && `, idempotencyKey: "${key}"`} }) { bookClose { day hash ledgerAccounts closedBy } errors { code message path } } }`;

  test('is closed once, in order, when it is over; its hash is in the audit log', async () => {
    const day = dayAfter(await today(), -1);
    const refused = (which: string) => refusal(close(which), {}, app.platformKey);
    expect(await refused(await today())).toMatchObject({ code: 'STEP_CONFLICT' });
    expect(await refused('2026-02-30')).toMatchObject({ code: 'BAD_REQUEST' });
    const before = dayAfter(day, -1);
    // A slip of the pen in the year would close nothing, and fix where the closes begin.
    const slip = await refused(dayAfter(day, -20 * 365));
    expect(slip).toMatchObject({ code: 'INVALID_PARAMETER' });
    await platform(close(before));
    const {
      closeBooks: { bookClose: closed },
    } = await platform(close(day, 'one'));
    expect((await platform(close(day, 'one'))).closeBooks.bookClose).toEqual(closed);
    expect(closed.ledgerAccounts).toBeGreaterThan(0);
    expect(await refused(day)).toMatchObject({ code: 'STEP_CONFLICT' });
    expect(await refused(before)).toMatchObject({ code: 'STEP_CONFLICT' });
    const { rows } = await app.owner.query(
      `select after from audit_entry where act = 'books.close' and object_id = $1`,
      [day],
    );
    expect(rows).toEqual([{ after: { hash: closed.hash } }]);
    const { bookCloses } = await platform(
      '{ bookCloses(first: 2) { totalCount nodes { day hash } pageInfo { endCursor } } }',
    );
    expect(bookCloses.nodes).toMatchObject([{ day, hash: closed.hash }, { day: before }]);
    const pageOf = async (args: string) =>
      (await platform(`{ bookCloses(${args}) { totalCount nodes { day } } }`)).bookCloses;
    const { totalCount } = bookCloses;
    expect(await pageOf('first: 1, offset: 1')).toEqual({ totalCount, nodes: [{ day: before }] });
    const { nodes } = await pageOf(`last: ${totalCount}`);
    expect(nodes.slice(0, 2)).toEqual([{ day }, { day: before }]);
    const rest = await pageOf(`first: 100, after: "${bookCloses.pageInfo.endCursor}"`);
    expect(rest.nodes).toEqual(nodes.slice(2));
  });

  test('that is closed accepts no journal any more, on any clock', async () => {
    const { rows } = await app.owner.query(
      `select min(h.posted_at) >= ((c.day + 1)::timestamp at time zone 'America/Sao_Paulo') as sealed
         from account_head h join account o on o.id = h.account_id and o.mode = 'sandbox',
              (select max(day) as day from book_close where mode = 'sandbox') c group by c.day`,
    );
    expect(rows).toEqual([{ sealed: true }]);
  });

  test('that was changed directly in the database is found by the auditor', async () => {
    const defects = async () => (await verifyLedger(app.database, BigInt(shop.accountId))).defects;
    expect(await defects()).toEqual([]);
    expect(await readBrokenCloses(app.database, 'sandbox')).toEqual([]);
    const change = (by: number) =>
      app.owner.query(
        `update book_close_line set opening = opening + $2, closing = closing + $2 where account_id = $1 and ledger_account_id =
           (select min(ledger_account_id) from book_close_line where account_id = $1)`,
        [shop.accountId, by],
      );
    await app.owner.query('alter table book_close_line disable trigger append_only');
    await change(1);
    expect(await defects()).toMatchObject([{ defect: 'closed day' }]);
    expect(await readBrokenCloses(app.database, 'sandbox')).toHaveLength(1);
    await change(-1);
    await app.owner.query('alter table book_close_line enable always trigger append_only');
    await expect(change(1)).rejects.toThrow(/append-only/);
    expect(await defects()).toEqual([]);
  });
});

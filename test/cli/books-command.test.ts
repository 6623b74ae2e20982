/**
 * Goal: the operator's actions on failed refunds, receivables and capital have the same effect on the command line as
 * over GraphQL (C-35, C-40): once, audited, with the same refusals. Method: real processes on the database of a running
 * gateway.
 */
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { brasiliaDay } from '../../src/base/time/brasilia-day.ts';
import { verifyLedger } from '../../src/store/ledger/verify.ts';
import { useApp } from '../support/app.ts';
import { command } from '../support/command.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { useOneDay } from '../support/one-day.ts';

useOneDay();
const app = useApp();
const ANA = { clientName: 'Ana Souza', clientTaxId: '529.982.247-25' };
let env: Record<string, string>;
let shop: Awaited<ReturnType<typeof app.addAccount>>;
const { ask, create, trigger, fund, until, refusal } = graphqlClient(app, () => shop.apiKey);

beforeAll(async () => {
  env = { DATABASE_URL: app.url };
  shop = await app.addAccount();
});

/** An onramp of 550.00 BRL. */
async function onramp(): Promise<string> {
  const { transaction } = await create('createOnramp', {
    amount: { brl: '550.00' },
    currency: 'USDT_TRX',
    ...ANA,
  });
  return transaction.end2end;
}

const run = async (...words: string[]) => {
  const { code, stdout, stderr } = await command(env, ...words, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
};
const lastAct = async (accountId: unknown) =>
  (
    await app.owner.query(
      `select act, actor_kind, object_id, after from audit_entry where account_id = $1 order by seq desc limit 1`,
      [String(accountId)],
    )
  ).rows[0];

describe('refund', () => {
  const receivable = async () => {
    const end2end = await onramp();
    await trigger(end2end, 'refund-fail');
    await trigger(end2end, 'pay-under');
    await until(end2end, 'refund/ERROR');
    return end2end;
  };

  test('retry orders failed returns again, and settle books those paid by hand', async () => {
    const [first, second] = [await receivable(), await receivable()];
    expect(await run('refund', 'retry', first, '--reason', 'case 1')).toMatchObject({
      end2end: first,
      component: 'refund',
    });
    await until(first, 'refund/DONE');
    const reference = 'E12345678202611211205abcdef12345';
    expect(await run('refund', 'settle', second, '--reference', reference)).toMatchObject({
      end2end: second,
      component: 'refund',
      state: 'DONE',
    });
    expect(await lastAct(shop.accountId)).toMatchObject({
      act: 'refund.settle_by_hand',
      actor_kind: 'OPERATOR',
      object_id: second,
    });
    const [again, unknown, empty] = await Promise.all([
      command(env, 'refund', 'settle', second, '--reference', reference),
      command(env, 'refund', 'retry', 'CRX0', '--reason', 'case 1'),
      command(env, 'refund', 'settle', first, '--reference', ''),
    ]);
    expect(again.code).toBe(1);
    expect(unknown).toMatchObject({ code: 1, stderr: 'crossramp: there is no transaction CRX0\n' });
    expect(empty).toMatchObject({ code: 2, stderr: expect.stringContaining('--reference') });
  });
});

describe('receivables', () => {
  const LIST = `query($first: Int, $after: String, $last: Int, $before: String, $offset: Int) { receivables(first: $first, after: $after,
    last: $last, before: $before, offset: $offset) { totalCount nodes { account accountName currency { code } amount }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;
  const list = async (variables = {}) => (await ask(LIST, variables, app.platformKey)).receivables;

  /** Makes an account owe a payment that it has already spent. */
  async function owing() {
    shop = await app.addAccount();
    const end2end = await onramp();
    await trigger(end2end, 'pay');
    await until(end2end, 'success/DONE');
    const { balances } = await ask('{ balances { available currency { code } } }');
    const { available } = balances.find(
      (each: { currency: { code: string } }) => each.currency.code === 'USDT_TRX',
    );
    const payee = { ...ANA, pixKey: 'ana@example.com', pixKeyType: 'EMAIL' };
    await create('createOfframp', { amount: { crypto: available }, currency: 'USDT_TRX', ...payee });
    await trigger(end2end, 'dispute-open');
    await trigger(end2end, 'dispute-accept');
    return shop;
  }

  test('receivables are listed by account with an exact total, in pages from both ends, only with the scope platform:books', async () => {
    expect(await list()).toMatchObject({ totalCount: 0, nodes: [] });
    expect((await command(env, 'receivable', 'list')).stdout).toBe('nothing is owed\n');
    const shops = [await owing(), await owing(), await owing()];
    const whole = await list();
    expect(whole.totalCount).toBe(3);
    expect(whole.nodes.map(({ account }: { account: string }) => account)).toEqual(
      shops.map(({ accountId }) => String(accountId)),
    );
    expect(whole.nodes[0].currency).toEqual({ code: 'USDT_TRX' });
    expect(Number(whole.nodes[0].amount)).toBeGreaterThan(50);
    const first = await list({ first: 1 });
    expect(first.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    const rest = await list({ first: 5, after: first.pageInfo.endCursor });
    expect([...first.nodes, ...rest.nodes]).toEqual(whole.nodes);
    expect(rest.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    const back = await list({ last: 1, before: rest.pageInfo.endCursor });
    expect(back.nodes).toEqual([whole.nodes[1]]);
    expect(back.totalCount).toBe(3);
    expect(back.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
    const second = await list({ first: 1, offset: 1 });
    expect([second.totalCount, second.nodes]).toEqual([3, [whole.nodes[1]]]);
    expect(second.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
    const none = await list({ offset: 3 });
    expect([none.totalCount, none.nodes]).toEqual([3, []]);
    expect(none.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    for (const wrong of [
      { offset: -1 },
      { last: 1, offset: 1 },
      { offset: 1, after: second.pageInfo.endCursor },
    ])
      expect(await refusal(LIST, wrong, app.platformKey)).toMatchObject({
        code: 'INVALID_PARAMETER',
        violations: [{ parameter: 'offset' }],
      });
    expect(await refusal(LIST)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await refusal(LIST, { after: 'MTIz' }, app.platformKey)).toMatchObject({
      code: 'INVALID_PARAMETER',
      violations: [{ parameter: 'after' }],
    });
    const listed = await run('receivable', 'list', '--limit', '2');
    expect(listed).toEqual({
      total: 3,
      receivables: whole.nodes
        .slice(0, 2)
        .map(({ currency, ...row }: { currency: { code: string } }) => ({ ...row, currency: currency.code })),
    });
    expect((await command(env, 'receivable', 'list')).stdout).toMatch(/^ *ACCOUNT +OWED +CURRENCY +NAME\n/);
    expect(await run('receivable', 'list', '--live')).toEqual({ total: 0, receivables: [] });
  });

  test('receivables are settled from the balance and by capital, once under a key, never beyond the receivable', async () => {
    const { accountId } = shop;
    const { amount: receivable } = (await list({ last: 1 })).nodes[0];
    await fund('USDT_TRX', '10');
    const settle = (amount: string, ...more: string[]) => [
      ...[
        'receivable',
        'settle',
        '--account',
        String(accountId),
        '--currency',
        'USDT_TRX',
        '--amount',
        amount,
      ],
      ...more,
    ];
    const once = settle('10', '--source', 'balance', '--idempotency-key', 'one');
    const booking = await run(...once);
    expect(booking).toMatchObject({ currency: 'USDT_TRX', amount: '10' });
    expect(await run(...once)).toEqual(booking);
    expect(await lastAct(accountId)).toMatchObject({ act: 'receivable.settle', actor_kind: 'OPERATOR' });
    const [other, beyond, bad] = await Promise.all([
      command(env, ...settle('11', '--source', 'balance', '--idempotency-key', 'one')),
      command(env, ...settle(receivable, '--source', 'capital')),
      command(env, ...settle('-1', '--source', 'capital')),
    ]);
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('already used') });
    expect(beyond).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^crossramp: the account owes \S+ USDT/),
    });
    await run(...settle((Number(receivable) - 10).toFixed(6), '--source', 'capital'));
    expect((await list()).totalCount).toBe(2);
    expect((await verifyLedger(app.database, accountId)).defects).toEqual([]);
    expect(bad).toMatchObject({ code: 2, stderr: expect.stringContaining('--amount') });
  });
});

test('capital book proposes on the account of the platform, and refuses unknown values', async () => {
  const book = (...words: string[]) => ['capital', 'book', '--currency', 'brl', ...words];
  expect(await run(...book('--amount', '50.00', '--direction', 'in'))).toMatchObject({
    amount: '50',
    state: 'proposed',
  });
  const { rows } = await app.owner.query(`select id from account where is_platform and mode = 'sandbox'`);
  expect(await lastAct(rows[0].id)).toMatchObject({ act: 'capital.book', actor_kind: 'OPERATOR' });
  expect((await command(env, ...book('--amount', '1', '--direction', 'up'))).code).toBe(2);
  const fine = await command(env, ...book('--amount', '0.001', '--direction', 'in'));
  expect(fine).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/--amount: must be a decimal number/),
  });
  const much = await command(env, ...book('--amount', '1000000000000.01', '--direction', 'in'));
  expect(much).toMatchObject({ code: 2, stderr: 'crossramp: --amount: must be at most 1000000000000\n' });
});

describe('the books of the house', () => {
  test('books are read and closed at the command line as over GraphQL', async () => {
    await onramp();
    // Earlier orders may still be under way, and change the books between two reads.
    await vi.waitFor(
      async () => {
        const { lines } = await run('treasury');
        const { treasury } = await ask('{ treasury { account balance } }', {}, app.platformKey);
        expect(
          lines.map(({ house, balance }: Record<string, unknown>) => ({ account: house, balance })),
        ).toEqual(treasury);
      },
      { timeout: 30_000, interval: 500 },
    );
    const trial = await run('books', 'trial-balance', '--account', String(shop.accountId));
    const { trialBalance } = await ask(
      `{ trialBalance(account: "${shop.accountId}") { from to lines { account debits credits } } }`,
      {},
      app.platformKey,
    );
    expect(trial).toMatchObject({ from: trialBalance.from, to: trialBalance.to });
    expect(trial.lines).toHaveLength(trialBalance.lines.length);
    const { stdout: csv } = await command(env, 'books', 'trial-balance', '--csv');
    expect(csv.split(/\r?\n/)[0]).toBe('ACCOUNT,CURRENCY,OPENING,DEBITS,CREDITS,CLOSING');
    expect(await run('books', 'profit-and-loss')).toMatchObject({
      lines: expect.any(Array),
      net: expect.any(Array),
    });
    expect((await command(env, 'books', 'closes')).stdout).toBe('no day is closed\n');
    const january = ['books', 'close', '--day', '2006-01-01', '--idempotency-key', 'january'];
    const refused = await command(env, ...january);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/^crossramp: --day: must be \S+ or later, as no day is closed yet; with --begin/),
    ]);
    const closed = await run(...january, '--begin');
    expect(await run(...january, '--begin')).toEqual(closed);
    expect(await run('books', 'closes')).toMatchObject({
      closes: [{ day: '2006-01-01', hash: closed.hash }],
    });
    expect(await command(env, 'books', 'close', '--day', '2006-01-01')).toMatchObject({ code: 1 });
    expect((await command(env, 'verify')).code).toBe(0);
  });
});

test('manual journals are proposed at the command line, and approved by another person', async () => {
  const propose = [
    'journal',
    'propose',
    '--account',
    String(shop.accountId),
    '--debit',
    'X.loss',
    '--credit',
    'A.pix',
  ];
  const { id } = await run(...propose, '--currency', 'brl', '--amount', '12.34', '--reason', 'a bank fee');
  expect((await command(env, 'journal', 'approve', id)).stderr).toMatch(/approved by somebody other than/);
  const {
    approveJournal: { manualJournal: approveJournal },
  } = await ask(
    `mutation { approveJournal(input: { proposalId: "${id}" }) { manualJournal { state journalId } errors { code message path } } }`,
    {},
    app.platformKey,
  );
  expect(approveJournal.state).toBe('POSTED');
  expect(await run('journal', 'list', '--state', 'posted')).toMatchObject({
    journals: [{ id, amount: '12.34', journalId: approveJournal.journalId }],
  });
  expect((await command(env, 'journal', 'reject', id)).code).toBe(1);
  expect((await command(env, 'journal', 'list', '--live')).stdout).toBe('there are no manual journals\n');
});

test('records of a month have the completed transactions of all accounts of a mode, each line with its account', async () => {
  const other = await app.addAccount();
  const first = await onramp();
  const clientOfOther = graphqlClient(app, () => other.apiKey);
  const { transaction } = await clientOfOther.create('createOnramp', {
    amount: { brl: '100' },
    currency: 'USDT_TRX',
    ...ANA,
  });
  const second: string = transaction.end2end;
  for (const [client, end2end] of [
    [{ trigger, until }, first],
    [clientOfOther, second],
  ] as const) {
    await client.trigger(end2end, 'pay');
    await client.until(end2end, 'success/DONE');
  }
  const unpaid = await onramp();
  const month = brasiliaDay(await app.services.clock.nowMs()).slice(0, 7);
  const { code, stdout } = await command(env, 'records', '--month', month);
  expect(code).toBe(0);
  const rows = parse(stdout, { columns: true }) as Record<string, string>[];
  expect(rows.at(-1)).toMatchObject({ account_id: 'COUNT', end2end: String(rows.length - 1) });
  const accountOf = (end2end: string) => rows.find((row) => row.end2end === end2end)?.account_id;
  expect(accountOf(first)).toBe(String(shop.accountId));
  expect(accountOf(second)).toBe(String(other.accountId));
  expect(accountOf(unpaid)).toBeUndefined();
  const live = await command(env, 'records', '--month', month, '--live', '--json');
  expect(
    live.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .at(-1),
  ).toMatchObject({ type: 'totals' });
  expect(live.stdout).not.toContain(first);
  expect(await command(env, 'records', '--month', '2026-13')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('A month is YYYY-MM'),
  });
});

/**
 * Goal: the statement shows the available balance first, names fees, and its files have exactly the lines of the screen, in one
 * calendar. Method: journals around a midnight of Brasília and one of UTC, over the pages of the real application.
 */
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { BRL } from '../../src/base/money/currency.ts';
import { brasiliaDay } from '../../src/base/time/brasilia-day.ts';
import { daysOf, PERIODS } from '../../src/base/time/period.ts';
import { fund } from '../../src/ledger/journals.ts';
import { lockHeads } from '../../src/store/engine/processes.ts';
import { postJournals } from '../../src/store/ledger/posting.ts';
import { useApp } from '../support/app.ts';
import { visit } from '../support/console.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';

const app = useApp();
let owner: SignedInForTest;

/** Brasília is three hours behind UTC: the first is still of October 9 there, the last already of October 11. */
const TIMES = [
  '2026-10-10T02:59:59.000Z',
  '2026-10-10T03:00:00.000Z',
  '2026-10-10T12:00:00.000Z',
  '2026-10-11T00:30:00.000Z',
  '2026-10-11T02:59:59.000Z',
  '2026-10-11T03:00:00.000Z',
];
const OF_THE_DAY = TIMES.slice(1, 5);
const DAY = 'dateFrom=2026-10-10&dateTo=2026-10-10';

beforeAll(async () => {
  const { accountId } = await app.addAccount();
  for (const [at, time] of TIMES.entries())
    await app.database.withTx(async (tx) => {
      await lockHeads(tx, [accountId], 'sandbox');
      const request = {
        accountId,
        ref: `at ${at}`,
        transactionId: null,
        journal: fund(BRL, BigInt(at + 1)),
      };
      await postJournals(tx, [request], new Date(time));
    });
  owner = await signInAs(app, accountId, { email: 'ana@books.invalid', role: 'owner' });
  // On a busy machine the first page takes longer than a page may.
  await vi.waitFor(async () => expect((await visit(app, owner, '/console/statement')).status).toBe(200), {
    timeout: 30_000,
  });
});

/** @returns times of the shown lines, oldest first. */
function linesOf(text: string): readonly string[] {
  const shown = text.slice(text.indexOf('data-whole'));
  const wide = [...shown.matchAll(/<td class="wide"><time datetime="([^"]+)"/g)].map(
    ([, time]) => time ?? '',
  );
  return wide.toReversed();
}

const linkOf = (text: string, format: string) =>
  (new RegExp(`href="(/export/statement\\?format=${format}&amp;[^"]+)"`).exec(text)?.[1] ?? '').replaceAll(
    '&amp;',
    '&',
  );

async function fileOf(text: string, format: string): Promise<string> {
  const file = await visit(app, owner, linkOf(text, format));
  expect([linkOf(text, format), file.status]).toEqual([
    expect.stringMatching(/zone=America%2FSao_Paulo/),
    200,
  ]);
  return file.text;
}

describe('days of the statement are those of Brasília', () => {
  test('on the screen, with the balances at both ends', async () => {
    const { status, text } = await visit(app, owner, `/console/statement?${DAY}`);
    expect([status, linesOf(text)]).toEqual([200, OF_THE_DAY]);
    expect(text).toContain('From (Brasília)');
    // 1 cent of the evening before, and 2 to 5 of the day.
    const ends = text.slice(text.indexOf('Balances of the period'), text.indexOf('data-whole'));
    expect(ends.match(/0\.\d\d/g)).toEqual(['0.01', '0.15']);
    const page = await visit(app, owner, `/console/statement?${DAY}&page=1`);
    expect(linesOf(page.text)).toEqual(OF_THE_DAY);
  });

  test('in every file of it: its lines are those of the screen', async () => {
    const { text } = await visit(app, owner, `/console/statement?${DAY}`);
    const csv = parse(await fileOf(text, 'csv'), { columns: true }) as Record<string, string>[];
    const rows = csv.filter(({ line }) => line !== 'TOTAL' && line !== 'COUNT');
    expect(rows.map(({ date }) => new Date(date ?? '').toISOString())).toEqual(linesOf(text));
    expect(csv.at(-1)).toMatchObject({ line: 'COUNT' });
    const lines = (await fileOf(text, 'jsonl'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const entries = lines.filter(({ type }) => type === 'statement_entry');
    expect(entries).toHaveLength(OF_THE_DAY.length);
    const pt = await fileOf(text, 'csv-pt');
    for (const time of [
      '10/10/2026 00:00:00',
      '10/10/2026 09:00:00',
      '10/10/2026 21:30:00',
      '10/10/2026 23:59:59',
    ])
      expect(pt).toContain(time);
    expect((await fileOf(text, 'ofx')).match(/<STMTTRN>/g)).toHaveLength(OF_THE_DAY.length);
    const days = (await fileOf(text, 'hledger')).match(/^2026-10-\d\d/gm) ?? [];
    expect(new Set(days)).toEqual(new Set(['2026-10-10']));
  });
});

test('the available balance is shown first; all parts of the balance are one press away', async () => {
  const { text } = await visit(app, owner, '/console/statement');
  expect(text).toMatch(/aria-current="[^"]+">Available</);
  expect(linkOf(text, 'csv')).toMatch(/sub_account=available/);
  const all = await visit(app, owner, '/console/statement?subAccount=all');
  expect(all.text).toMatch(/aria-current="[^"]+">All</);
  expect(linkOf(all.text, 'csv')).not.toMatch(/sub_account/);
});

test('days of the list of transactions are those of Brasília, in each of its files, too', async () => {
  const { text } = await visit(app, owner, '/console/transactions?dateFrom=2026-10-10');
  for (const format of ['csv', 'csv-pt', 'jsonl'])
    expect(text).toMatch(
      new RegExp(`format=${format}&amp;[^"]*date_from=2026-10-10[^"]*zone=America%2FSao_Paulo`),
    );
  expect(text).toContain('Created from (Brasília)');
});

test('each line names the fees of its transaction', async () => {
  const merchant = await signInAs(app, app.accountId, { email: 'rita@books.invalid', role: 'owner' });
  const { text } = await visit(app, merchant, '/console/statement?subAccount=all');
  expect(text).toContain('>Transaction fees<');
  const { json } = await app.graphql('{ statement(first: 50) { nodes { transaction { fees } } } }');
  const fees: string[] = json.data.statement.nodes.flatMap(
    ({ transaction }: { transaction: { fees: string | null } | null }) => transaction?.fees ?? [],
  );
  expect(fees.length).toBeGreaterThan(0);
  for (const fee of fees)
    expect(text.includes(`Fees R$${fee.includes('.') ? fee : `${fee}.00`}`), fee).toBe(true);
});

test('yesterday, this month and the last one are a link each, in days of Brasília', async () => {
  const { text } = await visit(app, owner, '/console/statement?subAccount=all');
  const today = brasiliaDay(app.database.nowMs());
  for (const period of PERIODS) {
    const { from, to } = daysOf(period, today);
    expect(text).toContain(`href="/console/statement?subAccount=all&amp;dateFrom=${from}&amp;dateTo=${to}"`);
  }
  const { text: chosen } = await visit(app, owner, `/console/statement?${DAY}`);
  expect(chosen).toMatch(/<span class="soft">From \(Brasília\)<\/span> Oct 10, 2026/);
});

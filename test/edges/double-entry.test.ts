/**
 * Goal: an accountant rebuilds double entry from what the gateway gives out, without SQL: from the journals of an export,
 * and from statement lines with their counterparts. Method: accounts that went through walks of several templates, with
 * held, refunded and failed money, adjustments, and imported history; the sums are taken from the text alone.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { sum } from '../../src/base/money/money.ts';
import { exportJournals } from '../../src/resolvers/exports/export-account.ts';
import { withSnapshot } from '../../src/store/ledger/long-transaction.ts';
import { useApp } from '../support/app.ts';
import { Client } from '../walk/client.ts';
import { meansOf } from '../walk/means.ts';
import { runWalk } from '../walk/run.ts';
import { WALKS } from '../walk/walks.ts';

const app = useApp();

const WALKED = [
  'onramp: paid too much',
  'onramp_instant: a dispute, accepted, when other funds are there',
  'onramp_instant: success',
  'offramp: the payout is rejected',
  'offramp_instant: success',
  'withdrawal: reverted by the network',
];

interface Posting {
  readonly class: string;
  readonly line: number | null;
  readonly account: string | null;
  readonly currency: string;
  readonly debit: string;
  readonly credit: string;
}

interface Journal {
  readonly id: number;
  readonly name: string;
  readonly transaction: string | null;
  readonly postings: readonly Posting[];
}

let walked: { accountId: bigint; apiKey: string };

beforeAll(async () => {
  walked = await app.addAccount();
  const second = await app.addKey(walked.accountId, ['read', 'move']);
  const client = new Client(app.baseUrl, walked.apiKey);
  const means = await meansOf(
    client,
    new Client(app.baseUrl, second.apiKey),
    new Client(app.baseUrl, app.platformKey),
  );
  const walks = WALKS.filter(({ name }) => WALKED.includes(name));
  expect(walks.map(({ name }) => name).toSorted()).toEqual(WALKED.toSorted());
  for (const walk of walks) expect(await runWalk(client, means, walk)).toMatchObject({ problems: [] });
});

/** Numbers stay text: a sum of doubles proves nothing. */
async function exported(accountId: bigint): Promise<Journal[]> {
  const lines = await withSnapshot(app.database, (tx) => Array.fromAsync(exportJournals(tx, accountId)));
  return lines.map((line) =>
    JSON.parse(line, (name, value, context?: { source?: string }) =>
      name === 'debit' || name === 'credit' ? context?.source : value,
    ),
  );
}

const change = ({ debit, credit }: Pick<Posting, 'debit' | 'credit'>) => sum([credit, `-${debit}`]);

/** Sums of what the postings change, by what `keyOf` says of each; without those of nothing. */
function sums<Each extends Pick<Posting, 'debit' | 'credit'>>(
  postings: readonly Each[],
  keyOf: (posting: Each) => string,
) {
  const groups = Map.groupBy(postings, keyOf);
  const entries = [...groups].map(([key, group]) => [key, sum(group.map(change))] as const);
  return Object.fromEntries(entries.filter(([, total]) => total !== '0'));
}

const statementOf = async (key: string) =>
  (await app.get('/v2/statement?limit=100', { key })).json.entries as {
    id: number;
    account: { code: string };
  }[];

describe.each([
  ['an account that was walked through', () => walked],
  ['imported history', () => ({ accountId: app.accountId, apiKey: app.apiKey })],
])('the journals of %s', (_name, accountOf) => {
  it('balance, each in each currency', async () => {
    const journals = await exported(accountOf().accountId);
    expect(journals.length).toBeGreaterThan(4);
    for (const { postings } of journals) {
      expect(postings.length).toBeGreaterThan(1);
      expect(sums(postings, ({ currency }) => currency)).toEqual({});
    }
  });

  it('have every line of the statement once, on its account, with the same sides', async () => {
    const postings = (await exported(accountOf().accountId)).flatMap((journal) => journal.postings);
    const entries = await statementOf(accountOf().apiKey);
    const ids = new Set(entries.map(({ id }) => id));
    const own = postings.filter((posting) => posting.line !== null && ids.has(posting.line));
    const told = (posting: Posting) => [posting.line, posting.account, +posting.debit, +posting.credit];
    const published = (entry: (typeof entries)[number] & { debit?: number; credit?: number }) => [
      entry.id,
      entry.account.code,
      entry.debit,
      entry.credit,
    ];
    expect(own.map(told).toSorted()).toEqual(entries.map(published).toSorted());
    expect(own.every((posting) => posting.class === 'HOLDER')).toBe(true);
  });

  it('make the balances of the account', async () => {
    const postings = (await exported(accountOf().accountId)).flatMap((journal) => journal.postings);
    const own = sums(
      postings.filter((posting) => posting.class === 'HOLDER'),
      ({ account }) => String(account),
    );
    const { rows } = await app.owner.query(
      `select a.code, b.balance / power(10::numeric, a.scale) as balance from ledger_account a join ledger_balance b
         on b.account_id = a.account_id and b.ledger_account_id = a.id
       where a.account_id = $1 and a.house is null and b.balance <> 0`,
      [accountOf().accountId],
    );
    expect(own).toEqual(Object.fromEntries(rows.map(({ code, balance }) => [code, sum([balance])])));
  });

  it('name no house account, and no balance', async () => {
    const postings = (await exported(accountOf().accountId)).flatMap((journal) => journal.postings);
    const house = postings.filter((posting) => posting.class !== 'HOLDER');
    expect(house.length).toBeGreaterThan(4);
    expect(house.filter(({ line, account }) => line !== null || account !== null)).toEqual([]);
    expect(new Set(house.flatMap(Object.keys))).toEqual(
      new Set(['class', 'line', 'account', 'currency', 'debit', 'credit']),
    );
  });
});

it('classes of the other side follow the chart of accounts', async () => {
  const classes = new Set(
    (await exported(walked.accountId)).flatMap(({ postings }) => postings.map((posting) => posting.class)),
  );
  expect([...classes].toSorted()).toEqual([
    'HOLDER',
    'HOUSE_ASSET',
    'HOUSE_EQUITY',
    'HOUSE_EXPENSE',
    'HOUSE_LIABILITY',
    'HOUSE_REVENUE',
  ]);
});

const LINES = `query ($after: String) { statement(first: 50, after: $after) {
  pageInfo { hasNextPage endCursor }
  nodes { number journalId debit credit ledgerAccount { currency { code } }
    counterparts { accountClass subAccount currency { code } debit credit } } } }`;

describe('GraphQL', () => {
  it.each([
    ['walked', () => walked.apiKey],
    ['imported', () => app.apiKey],
  ])('a line and its counterparts balance in each currency: %s', async (_name, keyOf) => {
    let after: string | null = null;
    let lines = 0;
    do {
      const { json } = await app.graphql(LINES, { after }, { key: keyOf() });
      const { nodes, pageInfo } = json.data.statement;
      for (const { debit, credit, ledgerAccount, counterparts } of nodes) {
        const all = [{ debit, credit, currency: ledgerAccount.currency }, ...counterparts];
        expect(sums(all, ({ currency }: { currency: { code: string } }) => currency.code)).toEqual({});
      }
      lines += nodes.length;
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    } while (after !== null);
    expect(lines).toBeGreaterThan(4);
  });

  it('lines of one journal have its number; a line of the holder is a counterpart with its sub-account', async () => {
    const { json } = await app.graphql(LINES, {}, { key: walked.apiKey });
    const byNumber = new Map(
      (await exported(walked.accountId)).map((journal) => [String(journal.id), journal]),
    );
    for (const { number, journalId, counterparts } of json.data.statement.nodes) {
      const journal = byNumber.get(journalId);
      expect(journal?.postings.map(({ line }) => String(line))).toContain(number);
      expect(counterparts).toHaveLength((journal?.postings.length ?? 0) - 1);
      for (const { accountClass, subAccount } of counterparts)
        expect(subAccount === null).toBe(accountClass !== 'HOLDER');
    }
  });

  it('the lines of a transaction have them as well', async () => {
    const [onramp] = (await app.get('/v2/onramps?limit=1', { key: walked.apiKey })).json.results;
    const { json } = await app.graphql(
      `{ transaction(end2end: "${onramp.end2end}") { ledgerLines { journalId counterparts { accountClass } } } }`,
      {},
      { key: walked.apiKey },
    );
    const { ledgerLines } = json.data.transaction;
    expect(ledgerLines.length).toBeGreaterThan(1);
    for (const { counterparts } of ledgerLines) expect(counterparts.length).toBeGreaterThan(0);
  });
});

it('C-1: entries of /v2 are as they were', async () => {
  const [entry] = await statementOf(walked.apiKey);
  expect(Object.keys(entry ?? {})).toEqual([
    ...['id', 'date', 'account', 'debit', 'credit', 'previous_balance', 'balance', 'transaction'],
  ]);
});

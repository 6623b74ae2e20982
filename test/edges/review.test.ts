/**
 * Goal: the review queue has everything that waits for a person, and nothing of others; people divide it among themselves and note what
 * they know; a look of the operator is written down. Method: cases of several kinds from the sandbox's scenarios, over GraphQL.
 */
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { REVIEW_KINDS } from '../../src/resolvers/review/queue-sources.ts';
import { raiseHits } from '../../src/store/rails/screening-hits.ts';
import { useApp } from '../support/app.ts';
import { errorsIn } from '../support/refusals.ts';

const app = useApp();
let shop: Awaited<ReturnType<typeof app.addAccount>>;
let other: Awaited<ReturnType<typeof app.addAccount>>;
let held: string;
let disputed: string;

const PARTS =
  'id: caseKey kind account accountName reference detail since dueAt brl isMine assignee transaction { end2end }';
const QUEUE = `query ($kinds: [ReviewKind!], $assignee: ReviewAssignee, $waitingHours: Int, $first: Int, $after: String) {
  reviewQueue(kinds: $kinds, assignee: $assignee, waitingHours: $waitingHours, first: $first, after: $after) {
    totalCount nodes { ${PARTS} } pageInfo { hasNextPage endCursor } } }`;
const CASE = `query ($id: String!) { reviewCase(caseKey: $id) { id: caseKey kind account waiting { id: caseKey } transaction { end2end possibleActions { action } }
  samePayer { payments { transaction { end2end } } } candidates { transaction { end2end } } suspense { suspenseId } facts { name } notes { body author authorName } } }`;

async function query(query: string, variables: Record<string, unknown> = {}, key = shop.apiKey) {
  const { json } = await app.graphql(query, variables, { key });
  expect(errorsIn(json), query).toBeUndefined();
  return json.data;
}

/** @returns the answer of a mutation that may be refused. */
async function send(query: string, variables: Record<string, unknown>, key = shop.apiKey) {
  return (await app.graphql(query, variables, { key })).json.data;
}

async function pay(scenarios: readonly string[], status: string): Promise<string> {
  const { createCheckout } = await query(
    'mutation { createCheckout(input: { currency: "USDT_TRX", amount: { brl: "150.00" }, clientName: "Maria Souza Prado", clientTaxId: "39053344705" }) { transaction { end2end } errors { code message path } } }',
  );
  const { end2end } = createCheckout.transaction;
  const reached = async () => {
    const { transaction } = await query(
      'query ($e: String!) { transaction(end2end: $e) { component state } }',
      { e: end2end },
    );
    return `${transaction.component}/${transaction.state}`;
  };
  for (const scenario of scenarios) {
    await vi.waitFor(
      async () => {
        const { sandboxTrigger } = await query(
          'mutation ($e: String!, $s: SandboxScenarioName!) { sandboxTrigger(input: { end2end: $e, scenario: $s }) { errors { code message path } } }',
          { e: end2end, s: scenario },
        );
        expect(sandboxTrigger.errors).toEqual([]);
      },
      { timeout: 15_000 },
    );
  }
  await vi.waitFor(async () => expect(await reached()).toBe(status), { timeout: 15_000 });
  return end2end;
}

async function numberOf(end2end: string): Promise<bigint> {
  const text = 'select id from transaction where end2end = $1';
  const [row] = await app.database.query<{ id: bigint }>({ name: 'test_transaction_id', text }, [end2end]);
  return row?.id ?? 0n;
}

beforeAll(async () => {
  shop = await app.addAccount();
  other = await app.addAccount();
  held = await pay(['HOLD', 'PAY'], 'compliance/UNCOMPLIANT');
  disputed = await pay(['PAY', 'DISPUTE_OPEN'], 'dispute/OPEN');
}, 60_000);

const idOf = (kind: string, end2end: string) => `${kind}:${shop.accountId}:${end2end}`;

describe('the queue', () => {
  test('of an account has its own cases; that of the operator those of all accounts', async () => {
    const own = (await query(QUEUE)).reviewQueue;
    expect(own.nodes.map(({ id }: { id: string }) => id).toSorted()).toEqual(
      [idOf('DISPUTE', disputed), idOf('HOLD', held)].toSorted(),
    );
    expect(own.nodes[0]).toMatchObject({ brl: '150', isMine: false, assignee: null });
    expect((await query(QUEUE, {}, other.apiKey)).reviewQueue.nodes).toEqual([]);
    const all = (await query(QUEUE, { kinds: ['HOLD', 'DISPUTE'] }, app.platformKey)).reviewQueue;
    expect(all.nodes.map(({ id }: { id: string }) => id)).toEqual(
      expect.arrayContaining([idOf('DISPUTE', disputed), idOf('HOLD', held)]),
    );
  });

  test('counts each kind that the caller sees', async () => {
    const { reviewCounts } = await query('{ reviewCounts { kind count } }');
    expect(reviewCounts).toContainEqual({ kind: 'HOLD', count: 1 });
    const kinds = reviewCounts.map(({ kind }: { kind: string }) => kind.toLowerCase());
    const ofAccounts = Object.entries(REVIEW_KINDS).flatMap(([name, { isOfAccounts }]) =>
      isOfAccounts ? [name] : [],
    );
    expect(kinds).toEqual(ofAccounts);
    const books = await app.addKey((await app.addAccount()).accountId, ['read']);
    expect((await query('{ reviewCounts { kind } }', {}, books.apiKey)).reviewCounts.length).toBe(
      ofAccounts.length,
    );
  });

  test('of the operator has frozen customers and open screening hits; that of their account does not', async () => {
    const taxId = '52998224725';
    const { freezeCustomer } = await query(
      'mutation ($account: String!, $taxId: String!) { freezeCustomer(input: { account: $account, taxId: $taxId, reason: "court order" }) { customerCase { state } errors { code } } }',
      { account: String(shop.accountId), taxId },
      app.platformKey,
    );
    expect(freezeCustomer.errors).toEqual([]);
    const transactionId = await numberOf(held);
    const place = { mode: 'sandbox', accountId: BigInt(shop.accountId), transactionId } as const;
    const hit = {
      ...{ role: 'customer', subject: `tax_id:${taxId}`, subjectName: 'Ana Souza', taxId, address: null },
      ...{ list: 'own', entry: '7', entryName: 'Ana Sousa', score: '0.9', strength: 'review' },
      ...({ answer: 'held', version: '1' } as const),
    };
    await app.database.withTx((tx) => raiseHits(tx, place, [hit], new Date()));
    const kinds = ['CUSTOMER_CASE', 'SCREENING_HIT'];
    const { nodes } = (await query(QUEUE, { kinds }, app.platformKey)).reviewQueue;
    expect(nodes.map(({ kind, detail }: Record<string, string>) => [kind, detail]).toSorted()).toEqual([
      ['CUSTOMER_CASE', '***.982.247-**'],
      ['SCREENING_HIT', 'Ana Souza'],
    ]);
    const worth = Object.fromEntries(nodes.map(({ kind, brl }: Record<string, string>) => [kind, brl]));
    // A hit stops money of its transaction; no transaction waits for the frozen customer.
    expect(worth).toEqual({ CUSTOMER_CASE: null, SCREENING_HIT: '150' });
    for (const { id } of nodes)
      expect((await query(CASE, { id }, app.platformKey)).reviewCase).toMatchObject({ waiting: { id } });
    expect((await query(QUEUE, { kinds })).reviewQueue.nodes).toEqual([]);
  });

  test('of the operator has the defects of the books, one case for a journal and a defect; that of their account has none', async () => {
    const ofAccount = ['journal does not balance', '7', 'the lines of BRL sum to 1'];
    const twice = ['journal does not balance', '7', 'the lines of USDT sum to 1'];
    await app.owner.query(
      `insert into verify_place (account_id, journal_id, lines, since, round_ended_at, round_defects)
         values ($1, 0, '{}', now(), now(), $2::jsonb)
         on conflict (account_id) do update set round_defects = excluded.round_defects`,
      [String(shop.accountId), JSON.stringify([ofAccount, twice])],
    );
    await app.owner.query(`update verify_turn set sums_at = now(), sums_defects = $1::jsonb`, [
      JSON.stringify([['sum of all accounts', null, 'BRL sums to 1']]),
    ]);
    const variables = { kinds: ['BOOK_DEFECT'] };
    const { nodes } = (await query(QUEUE, variables, app.platformKey)).reviewQueue;
    expect(nodes.map(({ id, detail }: { id: string; detail: string }) => [id, detail]).toSorted()).toEqual([
      ['BOOK_DEFECT:0:sum of all accounts', 'sum of all accounts: BRL sums to 1'],
      [
        `BOOK_DEFECT:${shop.accountId}:journal does not balance/7`,
        'journal does not balance: the lines of USDT sum to 1',
      ],
    ]);
    for (const { id } of nodes) {
      const { reviewCase } = await query(CASE, { id }, app.platformKey);
      expect(reviewCase).toMatchObject({ kind: 'BOOK_DEFECT', waiting: { id }, transaction: null });
    }
    expect((await query(QUEUE, variables)).reviewQueue.nodes).toEqual([]);
    await app.owner.query(
      `update verify_place set round_defects = '[]'; update verify_turn set sums_defects = '[]'`,
    );
    expect((await query(QUEUE, variables, app.platformKey)).reviewQueue.nodes).toEqual([]);
  });

  test('is filtered by kind and age, and read page by page', async () => {
    expect((await query(QUEUE, { kinds: ['SUSPENSE'] })).reviewQueue.totalCount).toBe(0);
    expect((await query(QUEUE, { waitingHours: 24 })).reviewQueue.totalCount).toBe(0);
    const first = (await query(QUEUE, { first: 1 })).reviewQueue;
    expect(first).toMatchObject({ totalCount: 2, pageInfo: { hasNextPage: true } });
    const second = (await query(QUEUE, { first: 1, after: first.pageInfo.endCursor })).reviewQueue;
    expect(second.nodes[0].id).not.toBe(first.nodes[0].id);
    expect(second.pageInfo.hasNextPage).toBe(false);
  });
});

describe('a case', () => {
  const assign = (id: string, key?: string) =>
    send(
      'mutation ($id: String!) { assignReviewCase(input: { caseKey: $id }) { reviewCase { isMine } errors { code } } }',
      { id },
      key,
    );

  test('is assigned and given back, and both are in the audit log', async () => {
    const id = idOf('HOLD', held);
    expect((await assign(id)).assignReviewCase).toEqual({ reviewCase: { isMine: true }, errors: [] });
    const mine = (await query(QUEUE, { assignee: 'ME' })).reviewQueue;
    expect(mine.nodes).toMatchObject([{ id, isMine: true, assignee: shop.keyId }]);
    // The operator has a desk of its own.
    const theirs = (await query(QUEUE, { kinds: ['HOLD'] }, app.platformKey)).reviewQueue.nodes;
    expect(theirs.find((each: { id: string }) => each.id === id)).toMatchObject({
      isMine: false,
      assignee: null,
    });
    const { releaseReviewCase } = await query(
      'mutation ($id: String!) { releaseReviewCase(input: { caseKey: $id }) { reviewCase { assignee } errors { code } } }',
      { id },
    );
    expect(releaseReviewCase).toEqual({ reviewCase: { assignee: null }, errors: [] });
    const { auditLog } = await query(
      'query ($id: String!) { auditLog(objectId: $id) { nodes { act objectKind } } }',
      { id },
    );
    expect(auditLog.nodes).toEqual([
      { act: 'review.release', objectKind: 'review_case' },
      { act: 'review.assign', objectKind: 'review_case' },
    ]);
  });

  test('of another account, or one that does not wait, is missing', async () => {
    for (const [id, key] of [
      [idOf('HOLD', held), other.apiKey],
      [idOf('HOLD', disputed), shop.apiKey],
      ['HOLD:1:CRX', shop.apiKey],
      ['nothing', shop.apiKey],
    ] as const)
      expect((await assign(id, key)).assignReviewCase.errors).toEqual([{ code: 'NOT_FOUND' }]);
    const { json } = await app.graphql(CASE, { id: idOf('HOLD', held) }, { key: other.apiKey });
    expect(json.errors[0].extensions.code).toBe('NOT_FOUND');
  });

  test('is seen whole by the operator, and both audit logs record the view, once', async () => {
    const id = idOf('HOLD', held);
    for (const _each of [1, 2]) {
      const { reviewCase } = await query(CASE, { id }, app.platformKey);
      expect(reviewCase).toMatchObject({
        id,
        waiting: { id },
        transaction: { end2end: held },
        samePayer: { payments: [{ transaction: { end2end: disputed } }] },
      });
      expect(
        reviewCase.transaction.possibleActions.map(({ action }: { action: string }) => action),
      ).toContain('RELEASE_HOLD');
    }
    const LOG =
      'query ($id: String!) { auditLog(objectId: $id, acts: ["transaction.view"]) { nodes { act scope actorKind } } }';
    const seen = [{ act: 'transaction.view', scope: 'platform:risk', actorKind: 'KEY' }];
    expect((await query(LOG, { id: held })).auditLog.nodes).toEqual(seen);
    expect((await query(LOG, { id: held }, app.platformKey)).auditLog.nodes).toEqual(seen);
  });

  test('keeps notes of each side separate, also when it is decided', async () => {
    const id = idOf('DISPUTE', disputed);
    const note = (body: string, key?: string) =>
      send(
        'mutation ($id: String!, $body: String!) { addReviewNote(input: { caseKey: $id, body: $body }) { reviewNote { body } errors { code path } } }',
        { id, body },
        key,
      );
    expect((await note('Called the customer')).addReviewNote.errors).toEqual([]);
    expect((await note('Asked the bank', app.platformKey)).addReviewNote.errors).toEqual([]);
    expect((await note(' ')).addReviewNote.errors).toMatchObject([{ path: 'input.body' }]);
    const own = (await query(CASE, { id })).reviewCase;
    expect(own.notes).toEqual([
      { body: 'Called the customer', author: shop.keyId, authorName: expect.any(String) },
    ]);
    // A case of another kind about the same transaction has the same subject.
    const same = (await query(CASE, { id: idOf('HOLD', disputed) })).reviewCase;
    expect(same).toMatchObject({ waiting: null, notes: [{ body: 'Called the customer' }] });
  });
});

test('a customer case has the amount of the transaction that waits for it', async () => {
  await pay(['HOLD', 'PAY'], 'compliance/UNCOMPLIANT');
  const { freezeCustomer } = await query(
    'mutation ($account: String!) { freezeCustomer(input: { account: $account, taxId: "39053344705", reason: "court order" }) { errors { code } } }',
    { account: String(shop.accountId) },
    app.platformKey,
  );
  expect(freezeCustomer.errors).toEqual([]);
  const { nodes } = (await query(QUEUE, { kinds: ['CUSTOMER_CASE'] }, app.platformKey)).reviewQueue;
  const maria = nodes.filter(({ detail }: { detail: string }) => detail !== '***.982.247-**');
  expect(maria.map(({ brl }: { brl: string }) => brl)).toEqual(['150']);
});

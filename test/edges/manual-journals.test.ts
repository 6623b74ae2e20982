/**
 * Goal: a journal by hand is proposed by one and posted by another, once, and both stand in the audit logs (C-40). Method: real
 * keys of the platform over HTTP, at once too, then the ledger is looked at.
 */

import { beforeAll, describe, expect, test } from 'vitest';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { verifyLedger } from '../../src/store/ledger/verify.ts';
import { useApp } from '../support/app.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { errorsIn } from '../support/refusals.ts';

const app = useApp();
let shop: Awaited<ReturnType<typeof app.addAccount>>;
let other: string;
const { ask, refusal } = graphqlClient(app, () => shop.apiKey);

beforeAll(async () => {
  shop = await app.addAccount();
  const platform = await platformAccount(app.database, 'sandbox');
  other = (await app.addKey(platform, ['read', 'platform:books'])).apiKey;
});

const propose = (rest = '', debit = 'X.loss', credit = 'A.pix') =>
  `mutation { proposeJournal(input: { account: "${shop.accountId}", debit: "${debit}", credit: "${credit}", currency: "BRL", amount: "12.34", reason: "a bank fee"${rest} }) { manualJournal { id: proposalId state maker journalId amount } errors { code message path } } }`;
const decide = (what: 'approve' | 'reject', id: string, rest = '') =>
  `mutation { ${what}Journal(input: { proposalId: "${id}"${rest} }) { manualJournal { id: proposalId state journalId decidedBy } errors { code message path } } }`;
const made = async (key = app.platformKey): Promise<string> =>
  (await ask(propose(), {}, key)).proposeJournal.manualJournal.id;
const loss = async () => {
  const { treasury } = await ask(
    `{ treasury(account: "${shop.accountId}") { account balance } }`,
    {},
    app.platformKey,
  );
  return treasury.find(({ account }: { account: string }) => account === 'X.loss')?.balance ?? '0';
};

describe('a manual journal', () => {
  test('is posted when another person approves it, once, and is in both audit logs', async () => {
    const {
      proposeJournal: { manualJournal: proposeJournal },
    } = await ask(propose(', idempotencyKey: "a"'), {}, app.platformKey);
    expect(proposeJournal).toMatchObject({ state: 'PROPOSED', amount: '12.34', journalId: null });
    expect(
      (await ask(propose(', idempotencyKey: "a"'), {}, app.platformKey)).proposeJournal.manualJournal,
    ).toEqual(proposeJournal);
    expect(await loss()).toBe('0');
    const { id } = proposeJournal;
    expect(await refusal(decide('approve', id), {}, app.platformKey)).toMatchObject({ code: 'FORBIDDEN' });
    const {
      approveJournal: { manualJournal: approveJournal },
    } = await ask(decide('approve', id, ', idempotencyKey: "b"'), {}, other);
    expect(approveJournal).toMatchObject({ state: 'POSTED', journalId: expect.any(String) });
    expect(
      (await ask(decide('approve', id, ', idempotencyKey: "b"'), {}, other)).approveJournal.manualJournal,
    ).toEqual(approveJournal);
    expect(await loss()).toBe('12.34');
    expect(await refusal(decide('approve', id), {}, other)).toMatchObject({ code: 'STEP_CONFLICT' });
    expect(await refusal(decide('reject', id), {}, other)).toMatchObject({ code: 'STEP_CONFLICT' });
    const { rows } = await app.owner.query(
      `select account_id, act, maker from audit_entry where object_kind = 'manual_journal' and object_id = $1 order by account_id, seq`,
      [id],
    );
    expect(rows.map(({ act: action }) => action)).toEqual([
      'journal.propose',
      'journal.approve',
      'journal.propose',
      'journal.approve',
    ]);
    expect(rows[1].maker).toBe(proposeJournal.maker);
    expect((await verifyLedger(app.database, BigInt(shop.accountId))).defects).toEqual([]);
  });

  test('that is rejected is never posted', async () => {
    const id = await made();
    expect((await ask(decide('reject', id), {}, app.platformKey)).rejectJournal.manualJournal).toMatchObject({
      state: 'REJECTED',
      journalId: null,
    });
    expect(await refusal(decide('approve', id), {}, other)).toMatchObject({ code: 'STEP_CONFLICT' });
    const { manualJournals } = await ask(
      '{ manualJournals(state: REJECTED) { id: proposalId reason } }',
      {},
      other,
    );
    expect(manualJournals).toEqual([{ id, reason: 'a bank fee' }]);
  });

  test('is posted once when many approve and reject it in parallel', async () => {
    const before = Number(await loss());
    const id = await made();
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        app.post('/graphql', { query: decide(index % 4 === 0 ? 'reject' : 'approve', id) }, { key: other }),
      ),
    );
    const done = answers.filter(({ json }) => !errorsIn(json));
    expect(done).toHaveLength(1);
    const { rows } = await app.owner.query('select state from manual_journal where id = $1', [id]);
    expect(Number(await loss())).toBeCloseTo(before + (rows[0].state === 'posted' ? 12.34 : 0), 2);
  });

  test('moves no account that transactions rely on, and needs two of them', async () => {
    for (const [debit, credit] of [
      ['L.payer', 'A.pix'],
      ['A.pix', 'C.clearing'],
      ['A.pix', 'A.pix'],
      ['M.available', 'A.pix'],
    ])
      expect(await refusal(propose('', debit, credit), {}, app.platformKey)).toMatchObject({
        code: 'INVALID_PARAMETER',
      });
  });

  test('C-40: is closed to a key of the account, including one that the maker created', async () => {
    expect(await refusal(propose())).toMatchObject({ code: 'FORBIDDEN' });
    expect(await refusal('{ manualJournals { id: proposalId } }')).toMatchObject({ code: 'FORBIDDEN' });
    const unknown = propose().replace(`"${shop.accountId}"`, '"999999"');
    expect(await refusal(unknown, {}, app.platformKey)).toMatchObject({ code: 'NOT_FOUND' });
    expect(await refusal(decide('approve', '999999'), {}, other)).toMatchObject({ code: 'NOT_FOUND' });
  });
});

/**
 * Goal: acts of the platform that give money away by themselves need two people (C-25, C-40). Method: real keys of the platform
 * over HTTP, in parallel as well; then ledger and audit log are read.
 */

import { beforeAll, describe, expect, test, vi } from 'vitest';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { verifyLedger } from '../../src/store/ledger/verify.ts';
import { useApp } from '../support/app.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { errorsIn } from '../support/refusals.ts';

const app = useApp();
let shop: Awaited<ReturnType<typeof app.addAccount>>;
let platform: bigint;
/** Of another person than the platform's first key. */
let other: string;
const { ask, create, refusal, trigger, until } = graphqlClient(app, () => shop.apiKey);
const CUSTOMER = { clientName: 'Ana Souza', clientTaxId: '529.982.247-25' };

beforeAll(async () => {
  shop = await app.addAccount();
  platform = await platformAccount(app.database, 'sandbox');
  other = (await app.addKey(platform, ['read', 'platform:books', 'platform:risk'])).apiKey;
});

const auditOf = async (account: bigint | string, kind: string, id: string) =>
  (
    await app.owner.query(
      'select act, maker from audit_entry where account_id = $1 and object_kind = $2 and object_id = $3 order by seq',
      [String(account), kind, id],
    )
  ).rows;

describe('capital', () => {
  const FIELDS =
    '{ manualJournal { id: proposalId state maker debit credit currency amount journalId } errors { code message path } }';
  const book = (direction: string, rest = '') =>
    `mutation { bookCapital(input: { currency: "USDT_TRX", amount: "40", direction: ${direction}${rest} }) ${FIELDS} }`;
  const approve = (id: string) => `mutation { approveJournal(input: { proposalId: "${id}" }) ${FIELDS} }`;
  const posted = async () => {
    const { rows } = await app.owner.query(
      `select j.name from journal j where j.account_id = $1 and j.name in ('L65', 'L66') order by j.id`,
      [String(platform)],
    );
    return rows.map(({ name }) => name);
  };

  test('C-25: is posted when another person approves it, and both are in the audit log', async () => {
    const {
      bookCapital: { manualJournal: bookCapital },
    } = await ask(book('IN', ', idempotencyKey: "in"'), {}, app.platformKey);
    expect(bookCapital).toMatchObject({
      state: 'PROPOSED',
      debit: 'A.custody',
      credit: 'E.capital',
      currency: 'USDT_TRX',
      amount: '40',
      journalId: null,
    });
    const again = await ask(book('IN', ', idempotencyKey: "in"'), {}, app.platformKey);
    expect(again.bookCapital.manualJournal).toEqual(bookCapital);
    expect(await posted()).toEqual([]);
    const { id, maker } = bookCapital;
    const barOf = async (key: string) =>
      (
        await ask('{ manualJournals(state: PROPOSED) { id: proposalId secondPersonBar } }', {}, key)
      ).manualJournals.find((each: { id: string }) => each.id === id).secondPersonBar;
    expect([await barOf(app.platformKey), await barOf(other)]).toEqual(['SAME_MAKER', null]);
    expect(await refusal(approve(id), {}, app.platformKey)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await posted()).toEqual([]);
    const {
      approveJournal: { manualJournal: approveJournal },
    } = await ask(approve(id), {}, other);
    expect(approveJournal).toMatchObject({ state: 'POSTED', journalId: expect.any(String) });
    expect(await posted()).toEqual(['L65']);
    expect(await auditOf(platform, 'manual_journal', id)).toEqual([
      { act: 'capital.book', maker: null },
      { act: 'journal.approve', maker },
    ]);
    expect((await verifyLedger(app.database, platform)).defects).toEqual([]);
  });

  test('that is withdrawn is posted as such, and not at all once it is rejected', async () => {
    const made = await ask(book('OUT'), {}, other);
    await ask(approve(made.bookCapital.manualJournal.id), {}, app.platformKey);
    expect(await posted()).toEqual(['L65', 'L66']);
    const { id } = (await ask(book('OUT'), {}, other)).bookCapital.manualJournal;
    await ask(
      `mutation { rejectJournal(input: { proposalId: "${id}" }) { manualJournal { id: proposalId } errors { code message path } } }`,
      {},
      app.platformKey,
    );
    expect(await refusal(approve(id), {}, app.platformKey)).toMatchObject({ code: 'STEP_CONFLICT' });
    expect(await posted()).toEqual(['L65', 'L66']);
  });
});

describe('money in suspense for another account', () => {
  const FIELDS =
    '{ suspenseEntry { id: suspenseId state assignedTo proposedTo proposedBy decidedBy } errors { code message path } }';
  const decide = (action: string, id: string, account?: string) =>
    `mutation { ${action}(input: { suspenseId: "${id}"${account ? `, account: "${account}"` : ''}, reason: "checked" }) ${FIELDS} }`;

  /** A second payment of a charge of the shop. @returns the id of its entry. */
  async function stray(): Promise<string> {
    const { transaction } = await create('createOnramp', {
      amount: { brl: '60.00' },
      currency: 'USDT_TRX',
      ...CUSTOMER,
    });
    await trigger(transaction.end2end, 'pay');
    await until(transaction.end2end, 'success/DONE');
    await trigger(transaction.end2end, 'pay');
    return (await ask('{ suspense { nodes { id: suspenseId } } }')).suspense.nodes[0].id;
  }

  const balanceOf = async (account: string) => {
    const { rows } = await app.owner.query(
      `select count(*)::int as n from journal where account_id = $1 and name in ('L38', 'L53')`,
      [account],
    );
    return rows[0].n;
  };

  test('C-25: is credited when another person approves it, and both are in the audit logs', async () => {
    const [id, thief] = [await stray(), String((await app.addAccount()).accountId)];
    const proposed = (await ask(decide('assignSuspense', id, thief), {}, app.platformKey)).assignSuspense
      .suspenseEntry;
    expect(proposed).toMatchObject({ state: 'OPEN', assignedTo: null, proposedTo: thief, decidedBy: null });
    expect(await balanceOf(thief)).toBe(0);
    const own = (await ask('{ suspense { nodes { id: suspenseId proposedTo proposedBy } } }')).suspense.nodes;
    expect(own[0]).toEqual({ id, proposedTo: null, proposedBy: null });
    const approval = decide('approveSuspense', id, thief);
    expect(await refusal(approval, {}, app.platformKey)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await refusal(approval)).toMatchObject({ code: 'FORBIDDEN' });
    const elsewhere = decide('approveSuspense', id, String((await app.addAccount()).accountId));
    expect(await refusal(elsewhere, {}, other)).toMatchObject({ code: 'STEP_CONFLICT' });
    expect(await refusal(decide('assignSuspense', id, thief), {}, other)).toMatchObject({
      code: 'STEP_CONFLICT',
    });
    expect(await balanceOf(thief)).toBe(0);
    const done = (await ask(approval, {}, other)).approveSuspense.suspenseEntry;
    expect(done).toMatchObject({ state: 'ASSIGNED', assignedTo: thief, proposedTo: null });
    expect(await balanceOf(thief)).toBe(1);
    expect(await refusal(approval, {}, other)).toMatchObject({ code: 'STEP_CONFLICT' });
    expect(await auditOf(String(shop.accountId), 'suspense_entry', id)).toEqual([
      { act: 'suspense.assign', maker: null },
      { act: 'suspense.approve', maker: proposed.proposedBy },
    ]);
    expect((await verifyLedger(app.database, BigInt(thief))).defects).toEqual([]);
  });

  test('C-40: is not credited by a key that the maker made', async () => {
    const [id, thief] = [await stray(), String((await app.addAccount()).accountId)];
    const maker = await app.addKey(platform, ['read', 'platform:risk', 'admin']);
    const made = await ask(
      'mutation { createApiKey(input: { name: "second", scopes: ["platform:risk"] }) { issuedApiKey { apiKey } errors { code message path } } }',
      {},
      maker.apiKey,
    );
    await ask(decide('assignSuspense', id, thief), {}, maker.apiKey);
    const barOf = async (key: string) =>
      (
        await ask('{ suspense(state: OPEN) { nodes { id: suspenseId secondPersonBar } } }', {}, key)
      ).suspense.nodes.find((each: { id: string }) => each.id === id).secondPersonBar;
    const { apiKey } = made.createApiKey.issuedApiKey;
    expect([await barOf(maker.apiKey), await barOf(apiKey), await barOf(other)]).toEqual([
      ...['SAME_MAKER', 'SAME_MAKER'],
      null,
    ]);
    expect(await refusal(decide('approveSuspense', id, thief), {}, apiKey)).toMatchObject({
      code: 'FORBIDDEN',
    });
  });

  test('waits for another decision when it is rejected; money that belongs to an account needs one person', async () => {
    const [id, thief] = [await stray(), String((await app.addAccount()).accountId)];
    expect(await refusal(decide('rejectSuspense', id), {}, other)).toMatchObject({ code: 'STEP_CONFLICT' });
    await ask(decide('assignSuspense', id, thief), {}, app.platformKey);
    const rejected = (await ask(decide('rejectSuspense', id), {}, other)).rejectSuspense.suspenseEntry;
    expect(rejected).toMatchObject({ state: 'OPEN', proposedTo: null, proposedBy: null });
    expect(await refusal(decide('approveSuspense', id, thief), {}, other)).toMatchObject({
      code: 'STEP_CONFLICT',
    });
    await ask(decide('assignSuspense', id, thief), {}, app.platformKey);
    const own = String(shop.accountId);
    const kept = (await ask(decide('assignSuspense', id, own), {}, app.platformKey)).assignSuspense
      .suspenseEntry;
    expect(kept).toMatchObject({ state: 'ASSIGNED', assignedTo: own, proposedTo: null });
    expect(await balanceOf(thief)).toBe(0);
  });

  test('is credited once when many approve and reject it in parallel', async () => {
    const [id, thief] = [await stray(), String((await app.addAccount()).accountId)];
    await ask(decide('assignSuspense', id, thief), {}, app.platformKey);
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, index) => {
        const query = index % 4 === 0 ? decide('rejectSuspense', id) : decide('approveSuspense', id, thief);
        return app.post('/graphql', { query }, { key: other });
      }),
    );
    const done = answers.filter(({ json }) => !errorsIn(json));
    expect(done).toHaveLength(1);
    expect(await balanceOf(thief)).toBe(done[0]?.json.data.approveSuspense?.suspenseEntry ? 1 : 0);
  });
});

test('C-40: the first people of a page are looked up by one statement', async () => {
  const second = (await app.addKey(platform, ['read', 'platform:books'])).apiKey;
  const book = (key: string, id: string) =>
    ask(
      `mutation { bookCapital(input: { currency: "USDT_TRX", amount: "41", direction: IN, idempotencyKey: "${id}" }) { manualJournal { state } errors { code message path } } }`,
      {},
      key,
    );
  await book(app.platformKey, 'page-1');
  await book(app.platformKey, 'page-2');
  await book(second, 'page-3');
  const queries = vi.spyOn(app.database, 'query');
  const { manualJournals } = await ask('{ manualJournals(state: PROPOSED) { secondPersonBar } }', {}, second);
  const names = queries.mock.calls.map(([{ name }]) => name);
  queries.mockRestore();
  const bars = manualJournals.map((each: { secondPersonBar: string | null }) => each.secondPersonBar);
  expect([bars.includes('SAME_MAKER'), bars.includes(null)]).toEqual([true, true]);
  expect(names.filter((name) => name === 'api_key_access')).toHaveLength(1);
});

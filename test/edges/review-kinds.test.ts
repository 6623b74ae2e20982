/**
 * Goal: each kind of work that waits for a person is in the review queue, with its age, its worth in BRL and its due time (C-22, C-25).
 * Method: one case of every kind in an account of the sandbox, by scenarios where there are some, else by the records of their sources; the
 * queue is read over GraphQL by the operator, or by the account where the kind is the account's alone.
 */
import { beforeAll, expect, test, vi } from 'vitest';
import { newPayment } from '../../src/rails/sandbox/pix.ts';
import { REVIEW_KINDS, type ReviewKind } from '../../src/resolvers/review/queue-sources.ts';
import { findTransaction } from '../../src/store/engine/transactions.ts';
import { raiseHits } from '../../src/store/rails/screening-hits.ts';
import { useApp } from '../support/app.ts';
import { fundAccount } from '../support/fund-account.ts';
import { graphqlClient } from '../support/graphql-client.ts';

const app = useApp();
const PATIENCE = { timeout: 60_000, interval: 200 };
const CUSTOMER = { clientName: 'Maria Souza Prado', clientTaxId: '39053344705' };
const WALLET = 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD';
const MONEY = /^\d+(\.\d{1,2})?$/;
let shop: Awaited<ReturnType<typeof app.addAccount>>;
const { ask, create, trigger, stepNow } = graphqlClient(app, () => shop.apiKey);

beforeAll(async () => {
  shop = await app.addAccount();
});

const reach = (end2end: string, step: string) =>
  vi.waitFor(async () => expect(await stepNow(end2end)).toBe(step), PATIENCE);
const idOf = async (end2end: string) =>
  (await findTransaction(app.database, shop.accountId, end2end))?.id as bigint;

/** @returns an onramp of R$ 150 after its scenarios. */
async function onramp(scenarios: readonly string[], step: string, more: object = {}): Promise<string> {
  const input = { currency: 'USDT_TRX', amount: { brl: '150.00' }, ...CUSTOMER, ...more };
  const { end2end } = (await create('createOnramp', input)).transaction;
  for (const scenario of scenarios) await vi.waitFor(() => trigger(end2end, scenario), PATIENCE);
  await reach(end2end, step);
  return end2end;
}

async function withdrawal(): Promise<void> {
  const { createWhitelistGroup } = await ask(
    'mutation { createWhitelistGroup(input: { name: "t" }) { whitelistGroup { groupId } errors { message } } }',
  );
  const { groupId } = createWhitelistGroup.whitelistGroup;
  await ask(
    `mutation { addWhitelistEntry(input: { groupId: "${groupId}", target: { wallet: { network: "TRX", address: "${WALLET}" } } }) { whitelistEntry { id } errors { message } } }`,
  );
  await create('createWithdrawal', { amountReceived: '30', currency: 'USDT_TRX', groupId });
}

const setLimits = (outflowPerHour: string, approvalAbove: string) =>
  app.owner.query(
    `insert into account_setting (account_id, outflow_per_hour, approval_above, whitelist_cooling_seconds)
       values ($1, ${outflowPerHour}, ${approvalAbove}, 0)
       on conflict (account_id) do update set outflow_per_hour = ${outflowPerHour}, approval_above = ${approvalAbove}, whitelist_cooling_seconds = 0`,
    [String(shop.accountId)],
  );

/** Money out above a limit. */
async function heldOutflow(outflowPerHour: string, approvalAbove: string): Promise<void> {
  await fundAccount(app.database, shop.accountId, { currency: 'USDT_TRX', amount: '100' });
  await setLimits(outflowPerHour, approvalAbove);
  await withdrawal();
}

/** A case that is planted. */
interface Row {
  readonly seenBy: 'operator' | 'account';
  /** Worth in BRL; null without an amount. */
  readonly brl: string | RegExp | null;
  readonly isDue: boolean;
  readonly plant: () => Promise<unknown>;
}

const ROWS: Readonly<Record<ReviewKind, Row>> = {
  hold: {
    ...{ seenBy: 'operator', brl: '150', isDue: false },
    plant: () => onramp(['hold', 'pay'], 'compliance/UNCOMPLIANT'),
  },
  step_up: {
    ...{ seenBy: 'operator', brl: '150', isDue: true },
    plant: () => onramp([], 'valida_id/PENDING', { externalCode: 'sandbox:step-up-require' }),
  },
  customer_case: {
    ...{ seenBy: 'operator', brl: '150', isDue: false },
    plant: async () => {
      const other = { clientName: 'Bruno Lima', clientTaxId: '11144477735' };
      await onramp(['hold', 'pay'], 'compliance/UNCOMPLIANT', other);
      const input = `account: "${shop.accountId}", taxId: "${other.clientTaxId}", reason: "court order"`;
      await ask(`mutation { freezeCustomer(input: { ${input} }) { errors { code } } }`, {}, app.platformKey);
    },
  },
  screening_hit: {
    ...{ seenBy: 'operator', brl: '150', isDue: false },
    plant: async () => {
      const transactionId = await idOf(await onramp(['hold', 'pay'], 'compliance/UNCOMPLIANT'));
      const place = { mode: 'sandbox', accountId: shop.accountId, transactionId } as const;
      const { clientTaxId: taxId, clientName: subjectName } = CUSTOMER;
      const hit = {
        ...{ role: 'customer', subject: `tax_id:${taxId}`, subjectName, taxId, address: null },
        ...{ list: 'own', entry: '7', entryName: 'Maria Sousa Prado', score: '0.9', version: '1' },
        ...({ strength: 'review', answer: 'held' } as const),
      };
      await app.database.withTx((tx) => raiseHits(tx, place, [hit], new Date()));
    },
  },
  dispute: {
    ...{ seenBy: 'operator', brl: '150', isDue: true },
    plant: () => onramp(['pay', 'dispute-open'], 'dispute/OPEN'),
  },
  med_case: {
    ...{ seenBy: 'operator', brl: '90', isDue: true },
    plant: async () => {
      const end2end = await onramp(['pay'], 'success/DONE');
      const row = await findTransaction(app.database, shop.accountId, end2end);
      await app.services.forMode('sandbox').receive({
        ...{ kind: 'infraction', infractionId: 'inf-kinds', endToEndId: row?.pixE2e as string },
        ...{ amount: '90.00', reason: 'golpe', reportedAt: new Date().toISOString() },
      });
    },
  },
  failed_refund: {
    // The refund, not the payment of 150.
    ...{ seenBy: 'operator', brl: '130', isDue: false },
    plant: () => onramp(['refund-fail', 'pay-under'], 'refund/ERROR'),
  },
  held_deposit: {
    ...{ seenBy: 'operator', brl: MONEY, isDue: false },
    plant: async () => {
      const payee = { pixKey: 'ana@example.com', pixKeyType: 'EMAIL' };
      const input = {
        amount: { crypto: '20' },
        currency: 'USDT_TRX',
        ...CUSTOMER,
        ...payee,
        from: 'EXTERNAL',
      };
      const { end2end } = (await create('createOfframp', input)).transaction;
      await vi.waitFor(() => trigger(end2end, 'deposit-wrong'), PATIENCE);
    },
  },
  suspense: {
    ...{ seenBy: 'operator', brl: '75', isDue: false },
    plant: async () => {
      const settledAtMs = await app.services.clock.nowMs();
      const { clientTaxId: payerTaxId } = CUSTOMER;
      await app.services.receive(newPayment({ txid: null, amount: 7_500n, settledAtMs, payerTaxId }));
    },
  },
  outflow_ceiling: {
    ...{ seenBy: 'operator', brl: MONEY, isDue: true },
    plant: () => heldOutflow('1', 'null'),
  },
  approval: {
    ...{ seenBy: 'account', brl: MONEY, isDue: true },
    plant: () => heldOutflow('null', '1'),
  },
  failing_endpoint: {
    ...{ seenBy: 'account', brl: null, isDue: false },
    plant: async () => {
      const { createWebhookEndpoint } = await ask(
        'mutation { createWebhookEndpoint(input: { url: "https://hooks.invalid/in?key=secret" }) { webhookEndpoint { endpointId } errors { message } } }',
      );
      await app.owner.query('update webhook_endpoint set failing_since = now() where id = $1', [
        createWebhookEndpoint.webhookEndpoint.endpointId,
      ]);
    },
  },
  journal: {
    ...{ seenBy: 'operator', brl: '12.34', isDue: false },
    plant: () =>
      ask(
        `mutation { proposeJournal(input: { account: "${shop.accountId}", debit: "X.loss", credit: "A.pix", currency: "BRL", amount: "12.34", reason: "a bank fee" }) { manualJournal { state } errors { message } } }`,
        {},
        app.platformKey,
      ),
  },
  price_proposal: {
    ...{ seenBy: 'operator', brl: null, isDue: true },
    plant: () =>
      ask(
        `mutation { updateTemplateSettings(input: { account: "${shop.accountId}", template: onramp, spread: "0", feeRate: "0" }) { templateSetting { spread } errors { message } } }`,
        {},
        app.platformKey,
      ),
  },
  unclosed_day: {
    ...{ seenBy: 'operator', brl: null, isDue: true },
    plant: () =>
      app.owner.query(
        `insert into book_close (mode, day, closed_at, closed_by, hash)
           values ('sandbox', (now() - interval '3 days')::date, now() - interval '2 days', 'test', '\\x00')`,
      ),
  },
  open_reconciliation: {
    ...{ seenBy: 'operator', brl: null, isDue: false },
    plant: () =>
      app.owner.query(
        `insert into reconciliation (mode, rail, day, until, made_at, made_by, matched, missing_here, missing_there, amount_differs, in_suspense,
           oldest_open_at, findings) values ('sandbox', 'pix', (now() - interval '1 day')::date, now(), now(), 'test', 1, 1, 0, 0, 0, now(), '[]')`,
      ),
  },
  book_defect: {
    ...{ seenBy: 'operator', brl: null, isDue: false },
    plant: () =>
      app.owner.query(
        `insert into verify_place (account_id, journal_id, lines, since, round_ended_at, round_defects)
           values ($1, 0, '{}', now(), now(), $2::jsonb)
           on conflict (account_id) do update set round_defects = excluded.round_defects, round_ended_at = excluded.round_ended_at`,
        [
          String(shop.accountId),
          JSON.stringify([['journal does not balance', '7', 'the lines of BRL sum to 1']]),
        ],
      ),
  },
  unknown_payment: {
    ...{ seenBy: 'operator', brl: '20', isDue: false },
    plant: () =>
      app.owner.query(
        `insert into unknown_payment (mode, rail, name, kind, currency, amount_minor, destination, sent_at)
           values ('sandbox', 'pix', 'p1', 'payout', 'BRL', 2000, 'ana@example.com', now())`,
      ),
  },
  undecided_order: {
    ...{ seenBy: 'operator', brl: '20', isDue: false },
    plant: () =>
      app.owner.query(
        `insert into pix_order (mode, key, kind, account_id, psp_id, amount, pix_key, placed_at, sent_at)
           values ('sandbox', 'CRX1:9', 'payout', $1, 'CRX19', 20, 'ana@example.com', now() - interval '2 days', now() - interval '2 days')`,
        [String(shop.accountId)],
      ),
  },
  paused_network: {
    ...{ seenBy: 'operator', brl: null, isDue: false },
    plant: () =>
      app.owner.query(
        `insert into chain_network (mode, network, paused_at, paused_by, pause_reason) values ('sandbox', 'ETH', now(), 'test', 'a test')
           on conflict (mode, network) do update set paused_at = excluded.paused_at, pause_reason = excluded.pause_reason`,
      ),
  },
};

const QUEUE = `query ($kinds: [ReviewKind!]) { reviewQueue(kinds: $kinds) { totalCount nodes { caseKey kind since dueAt brl detail } } }`;
const COUNTS = '{ reviewCounts { kind count } }';

test.each(
  Object.entries(ROWS),
)('C-22: %s is in the queue, with its age, its worth and its due time', async (name, row) => {
  const key = row.seenBy === 'operator' ? app.platformKey : shop.apiKey;
  const kind = name.toUpperCase();
  await row.plant();
  const find = async () => (await ask(QUEUE, { kinds: [kind] }, key)).reviewQueue.nodes;
  await vi.waitFor(async () => expect(await find()).not.toEqual([]), PATIENCE);
  const nodes = await find();
  for (const each of nodes) {
    expect(each).toMatchObject({
      kind,
      since: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      dueAt: row.isDue ? expect.stringMatching(/^\d{4}-\d\d-\d\dT/) : null,
    });
    if (row.isDue) expect(Date.parse(each.dueAt)).toBeGreaterThan(Date.parse(each.since));
    expect(JSON.stringify(each)).not.toContain('key=secret');
  }
  const worth = row.brl instanceof RegExp ? expect.stringMatching(row.brl) : row.brl;
  expect(nodes.map(({ brl }: { brl: string | null }) => brl)).toContainEqual(worth);
  const { reviewCounts } = await ask(COUNTS, {}, key);
  expect(reviewCounts).toContainEqual({ kind, count: nodes.length });
});

test('a kind that an account sees is in its own queue, and in that of no other account', async () => {
  const other = await app.addAccount();
  const own = new Set<string>(
    (await ask(QUEUE, {})).reviewQueue.nodes.map(({ kind }: { kind: string }) => kind.toLowerCase()),
  );
  const ofAccounts = Object.entries(REVIEW_KINDS).flatMap(([name, each]) =>
    each.isOfAccounts ? [name] : [],
  );
  // Money in suspense stands with the house until it is assigned.
  expect([...own, 'suspense'].toSorted()).toEqual(ofAccounts.toSorted());
  expect((await ask(QUEUE, {}, other.apiKey)).reviewQueue.nodes).toEqual([]);
});

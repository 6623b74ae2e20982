/**
 * Goal: a form that decides about money states the amount that the ledger then moves (C-22, C-25, C-33, C-34). Method: money that waits
 * for a decision on a real gateway; the sentence and the figures of the form are read from the page, the form is sent as a browser without
 * script sends it, and the balances of all ledger accounts before it are compared with those after everything has ended.
 */

import { beforeAll, expect, test, vi } from 'vitest';
import { type Currency, currencyOf } from '../../src/base/money/currency.ts';
import { creditedDropped } from '../../src/ledger/journals.ts';
import { newPayment } from '../../src/rails/sandbox/pix.ts';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { postJournals } from '../../src/store/ledger/posting.ts';
import { useApp } from '../support/app.ts';
import { visit } from '../support/console.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';
import { newCpf } from '../walk/walker.ts';

const app = useApp();
const { ask, create, trigger, until, fund } = graphqlClient(app, () => app.apiKey);
const asOperator = (query: string) => ask(query, {}, app.platformKey);
const USDT = 'USDT_TRX';
const PATIENCE = { timeout: 15_000 };
const customer = () => ({ clientName: 'Ana Souza', clientTaxId: newCpf() });
const PAYEE = { pixKeyType: 'EMAIL', pixKey: 'ana@example.com' };
const ELSEWHERE = 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD';

let owner: SignedInForTest;
let operator: SignedInForTest;
let platform: bigint;

beforeAll(async () => {
  platform = await platformAccount(app.database, 'sandbox');
  owner = await signInAs(app, app.accountId, { email: 'rita@shop.invalid', role: 'owner' });
  operator = await signInAs(app, platform, { email: 'op@gateway.invalid', role: 'platform_operator' });
  await fund(USDT, '5000');
  // The first read of a screen can be slow on a busy machine.
  for (const [person, path] of [
    [owner, '/console/approvals'],
    [operator, '/console/operator'],
  ] as const)
    await vi.waitFor(async () => expect((await visit(app, person, path)).status).toBe(200), {
      timeout: 30_000,
    });
});

/** From here on, all money out of the account waits for another person. */
async function needApproval(): Promise<void> {
  await ask(
    'mutation { updateAccountSettings(input: { whitelistCoolingSeconds: 0, approvalAbove: "1" }) { accountSettings { approvalAbove } errors { code } } }',
  );
}

/** A decision that waits: where its form is, and what has ended when its money has moved. */
interface Waiting {
  readonly path: string;
  readonly given: Readonly<Record<string, string>>;
  readonly typed?: Readonly<Record<string, string>>;
  readonly ended?: () => Promise<unknown>;
}

interface Row {
  readonly act: string;
  readonly about: string;
  readonly who: () => SignedInForTest;
  readonly begin: () => Promise<Waiting>;
  /** Text of the form, with a group for each amount; the amounts in that order make the changes. */
  readonly says: RegExp;
  /** Changes of ledger accounts, by their name; those of the holder are `available` and its like. */
  readonly moves: (...amounts: readonly number[]) => Readonly<Record<string, number>>;
}

async function onramp(): Promise<string> {
  const input = { ...customer(), currency: USDT, amount: { brl: '550.00' } };
  return (await create('createOnramp', input)).transaction.end2end;
}

/** A partial refund that waits for another person. */
async function refundAsked(): Promise<Waiting> {
  const end2end = await onramp();
  await trigger(end2end, 'pay');
  await until(end2end, 'success/DONE');
  await needApproval();
  await ask(
    `mutation { refundPayment(input: { end2end: "${end2end}", amount: "50" }) { transaction { end2end } errors { code } } }`,
  );
  const refunded = async () =>
    (await ask(`{ transaction(end2end: "${end2end}") { refunds { state } } }`)).transaction.refunds;
  return {
    path: '/console/approvals',
    given: { end2end },
    ended: () => expect.poll(refunded, PATIENCE).toEqual([{ state: 'DONE' }]),
  };
}

/** A payout from the balance; its quote waits for acceptance, or the payout for another person. */
async function payout(path: string, accept: boolean): Promise<Waiting> {
  if (accept) await needApproval();
  const input = { ...customer(), ...PAYEE, currency: USDT, amount: { brl: '100' }, from: 'BALANCE', accept };
  const { end2end } = (await create('createOfframp', input)).transaction;
  if (!accept) await until(end2end, 'quote/QUOTE');
  const ended = () => until(end2end, 'success/DONE');
  return { path: path || `/console/transactions/${end2end}`, given: { end2end }, ended };
}

/** A deposit whose return to another address waits for another person. */
async function redirected(): Promise<Waiting> {
  await needApproval();
  const input = { ...customer(), ...PAYEE, amount: { crypto: '20' }, currency: USDT, from: 'EXTERNAL' };
  const { end2end } = (await create('createOfframp', input)).transaction;
  await until(end2end, 'crypto_deposit/WAITING_DEPOSIT');
  await trigger(end2end, 'deposit-wrong', '33.5');
  await until(end2end, 'crypto_deposit/OVERPAID');
  await ask(
    `mutation { resolveDeposit(input: { end2end: "${end2end}", resolution: REFUND, address: "${ELSEWHERE}" }) { transaction { end2end } errors { code } } }`,
  );
  return { path: '/console/approvals', given: { end2end }, ended: () => until(end2end, 'refund/DONE') };
}

/** A payment below the price, of which the return fails. */
async function failedReturn(): Promise<Waiting> {
  const end2end = await onramp();
  await trigger(end2end, 'refund-fail');
  await trigger(end2end, 'pay-under');
  await until(end2end, 'refund/ERROR');
  const given = { account: String(app.accountId), end2end };
  const path = `/console/review/case?id=${encodeURIComponent(`FAILED_REFUND:${app.accountId}:${end2end}`)}`;
  return { path, given, typed: { reference: 'E12345678202611211205abcdef12345' } };
}

/** A PIX that no transaction waits for. */
async function stray(): Promise<string> {
  const settledAtMs = await app.services.clock.nowMs();
  const payment = newPayment({ txid: null, amount: 7_512n, settledAtMs, payerTaxId: newCpf() });
  await app.services.receive(payment);
  const { suspense } = await asOperator(
    '{ suspense(state: OPEN, first: 100) { nodes { id: suspenseId railEvent } } }',
  );
  return suspense.nodes.find(({ railEvent: event }: { railEvent: unknown }) =>
    JSON.stringify(event).includes(payment.endToEndId),
  ).id;
}

async function suspense(change: 'assign' | 'approve' | 'return'): Promise<Waiting> {
  const id = await stray();
  const account = String(app.accountId);
  if (change === 'approve')
    await asOperator(
      `mutation { assignSuspense(input: { suspenseId: "${id}", account: "${account}", reason: "checked" }) { suspenseEntry { suspenseId } errors { code } } }`,
    );
  const state = async () => {
    const found = await asOperator('{ suspense(first: 100) { nodes { id: suspenseId state } } }');
    return found.suspense.nodes.find((each: { id: string }) => each.id === id).state;
  };
  return {
    path: '/console/operator',
    given: change === 'approve' ? { id, account } : { id },
    // Money without an owner lies with the platform: another account is only proposed.
    typed: { reason: 'case 4716', ...(change === 'assign' && { account }) },
    ended: async () => {
      if (change === 'return') await expect.poll(state, PATIENCE).toBe('RETURNED');
    },
  };
}

/** An account that owes the house 5 USDT. */
async function debt(source: string): Promise<Waiting> {
  const accountId = app.accountId;
  const journal = creditedDropped(currencyOf(USDT) as Currency, 5_000_000n);
  await app.database.withTx((tx) =>
    postJournals(tx, [{ accountId, ref: 'dropped', transactionId: null, journal }], new Date()),
  );
  const given = { account: String(accountId), currency: USDT };
  return { path: '/console/operator', given, typed: { amount: '2.5', source } };
}

async function proposal(): Promise<Waiting> {
  const parts = `account: "${platform}", debit: "X.loss", credit: "A.pix", currency: "BRL", amount: "12.30"`;
  const { proposeJournal } = await asOperator(
    `mutation { proposeJournal(input: { ${parts}, reason: "fee" }) { manualJournal { proposalId } errors { code } } }`,
  );
  return { path: '/console/books', given: { id: proposeJournal.manualJournal.proposalId } };
}

const brl = 'R\\$([\\d.,]+)';
const usdt = '([\\d.,]+)\\u00a0USDT \\(TRX\\)';
const debited = `<li>Available: − ${usdt}</li>`;
const asOwner = () => owner;
const asRisk = () => operator;
const BRL = 'BRL';

const ROWS: readonly Row[] = [
  {
    act: 'AcceptQuote',
    about: 'of a payout from the balance',
    who: asOwner,
    begin: () => payout('', false),
    says: new RegExp(`${debited}[\\s\\S]*<li>${brl} to the recipient</li>`),
    moves: (crypto, paid) => ({ [`available ${USDT}`]: crypto, [`A.pix ${BRL}`]: paid }),
  },
  {
    act: 'ApproveMoneyOut',
    about: 'of a payout from the balance',
    who: asOwner,
    begin: () => payout('/console/approvals', true),
    says: new RegExp(`${debited}[\\s\\S]*<li>${brl} to the recipient</li>`),
    moves: (crypto, paid) => ({ [`available ${USDT}`]: crypto, [`A.pix ${BRL}`]: paid }),
  },
  {
    act: 'ApproveMoneyOut',
    about: 'of a refund',
    who: asOwner,
    begin: refundAsked,
    says: new RegExp(`${debited}[\\s\\S]*<li>${brl} back to the payer</li>`),
    moves: (crypto, paid) => ({ [`available ${USDT}`]: crypto, [`A.pix ${BRL}`]: paid }),
  },
  {
    act: 'ApproveMoneyOut',
    about: 'of a deposit to another address',
    who: asOwner,
    begin: redirected,
    says: new RegExp(`<li>${usdt} back to the payer</li>`),
    moves: (amount) => ({ [`blocked ${USDT}`]: amount }),
  },
  {
    act: 'RejectMoneyOut',
    about: 'of a refund',
    who: asOwner,
    begin: async () => {
      const { path, given } = await refundAsked();
      return { path, given };
    },
    says: /Nothing leaves the account\./,
    moves: () => ({}),
  },
  {
    act: 'SettleRefundByHand',
    about: 'of a return that failed',
    who: asRisk,
    begin: failedReturn,
    says: new RegExp(`you paid the payer ${brl} outside the gateway`),
    moves: () => ({}),
  },
  {
    act: 'AssignSuspense',
    about: 'to another account, which is proposed first',
    who: asRisk,
    begin: () => suspense('assign'),
    says: new RegExp(`Choose the account to credit with ${brl}\\.`),
    moves: () => ({}),
  },
  {
    act: 'ApproveSuspense',
    about: 'of another account',
    who: asRisk,
    begin: () => suspense('approve'),
    says: new RegExp(`${brl} is credited to account \\d+ now\\.`),
    moves: (amount) => ({ [`available ${BRL}`]: amount }),
  },
  {
    act: 'ReturnSuspense',
    about: 'to the payer',
    who: asRisk,
    begin: () => suspense('return'),
    says: new RegExp(`${brl} is returned to the account it came from\\.`),
    moves: (amount) => ({ [`A.pix ${BRL}`]: amount }),
  },
  ...(['BALANCE', 'CAPITAL'] as const).map(
    (source): Row => ({
      act: 'SettleReceivable',
      about: `from ${source}`,
      who: asRisk,
      begin: () => debt(source),
      says: /Settle all or part of the amount\./,
      moves: () => ({ [source === 'BALANCE' ? `available ${USDT}` : `E.capital ${USDT}`]: 2.5 }),
    }),
  ),
  {
    act: 'ApproveJournal',
    about: 'of the house',
    who: asRisk,
    begin: proposal,
    says: new RegExp(
      `${brl} is posted immediately: debit Losses \\(X\\.loss\\), credit BRL at the settlement bank \\(A\\.pix\\)\\.`,
    ),
    moves: (amount) => ({ [`X.loss ${BRL}`]: amount, [`A.pix ${BRL}`]: amount }),
  },
  {
    act: 'SandboxFund',
    about: 'of a balance',
    who: asOwner,
    begin: async () => ({
      path: '/console/developers',
      given: {},
      typed: { currency: USDT, amount: '12.345678' },
    }),
    says: /Test funds/,
    moves: () => ({ [`available ${USDT}`]: 12.345678 }),
  },
];

const HOLDER = ['', 'available', 'in_transit', 'to_receive', 'blocked'];

/** Balances of all ledger accounts of the shop and of the house, by name and currency. */
async function books(): Promise<ReadonlyMap<string, number>> {
  const { rows } = await app.owner.query(
    `select coalesce(a.house, a.sub_account::text) as name, a.currency, sum(b.balance / 10::numeric ^ a.scale) as balance
     from ledger_account a join ledger_balance b on b.account_id = a.account_id and b.ledger_account_id = a.id
     group by 1, 2`,
  );
  return new Map(
    rows.map(({ name, currency, balance }) => [`${HOLDER[name] ?? name} ${currency}`, Number(balance)]),
  );
}

/** How much each ledger account changed. */
async function changesSince(before: ReadonlyMap<string, number>): Promise<Record<string, number>> {
  const changes = [...(await books())].map(
    ([name, balance]) => [name, Math.abs(Number((balance - (before.get(name) ?? 0)).toFixed(6)))] as const,
  );
  return Object.fromEntries(changes.filter(([, change]) => change !== 0));
}

test.each(ROWS.map((row) => [row.act, row.about, row] as const))('%s %s states what then moves', async (...[
  action,
  ,
  { who, begin, says, moves },
]) => {
  const { path, given, typed, ended } = await begin();
  const { status, text } = await visit(app, who(), path);
  expect(status).toBe(200);
  const part = partOf(text, action, given);
  expect(part).toMatch(says);
  const amounts = (says.exec(part) ?? []).slice(1).map((figure) => Number(figure.replaceAll(',', '')));
  const hidden = Object.fromEntries(
    [
      ...part.slice(part.indexOf('<form')).matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g),
    ].map(([, name, value]) => [name, (value ?? '').replaceAll('&amp;', '&')]),
  );
  const { csrf: _own, ...rest } = hidden;
  const before = await books();
  const done = await visit(app, who(), `/console/acts/${action}`, { form: { ...rest, ...typed } });
  expect(done.status).toBe(303);
  await ended?.();
  const expected = moves(...amounts);
  await vi.waitFor(async () => expect(await changesSince(before)).toMatchObject(expected), PATIENCE);
  const holders = (changes: object) => Object.keys(changes).filter((name) => !/^[A-Z]\./.test(name));
  expect(holders(await changesSince(before))).toEqual(holders(expected));
});

/** The form of an act on a page that sends these values, with the sentence before it. */
function partOf(page: string, action: string, given: Readonly<Record<string, string>>): string {
  const forms = page.match(/(?:<p class="small">[^<]*<\/p>)?<form method="post"[\s\S]*?<\/form>/g) ?? [];
  const found = forms.filter(
    (form) =>
      form.includes(`/acts/${action}"`) &&
      Object.entries(given).every(([name, value]) => form.includes(`name="${name}" value="${value}"`)),
  );
  expect(found, `forms of ${action}`).toHaveLength(1);
  return found[0] ?? '';
}

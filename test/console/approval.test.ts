/**
 * Goal: a withdrawal that waits for a second person says who asked and who may approve, on its own screen as in the list (C-22,
 * C-40). Method: two people over the pages of the real application.
 */
import { beforeAll, expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { visit } from '../support/console.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';

const app = useApp();
const WALLET = 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD';
let maker: SignedInForTest;
let second: SignedInForTest;
let end2end: string;

beforeAll(async () => {
  maker = await signInAs(app, app.accountId, { email: 'rita@shop.invalid', role: 'owner' });
  second = await signInAs(app, app.accountId, { email: 'leo@shop.invalid', role: 'finance' });
  await app.graphql(
    'mutation { updateAccountSettings(input: { whitelistCoolingSeconds: 0, approvalAbove: "1" }) { accountSettings { approvalAbove } errors { code message path } } }',
  );
  await app.graphql(
    'mutation { sandboxFund(input: { currency: "USDT_TRX", amount: "500" }) { funding { journalId } errors { code message path } } }',
  );
  const action = (name: string, form: Record<string, string>) =>
    visit(app, maker, `/console/acts/${name}`, { form: { back: '/console/whitelist', ...form } });
  await action('CreateWhitelistGroup', { name: 'Vault' });
  const groupId =
    /name="groupId" value="([^"]+)"/.exec((await visit(app, maker, '/console/whitelist')).text)?.[1] ?? '';
  await action('AddWhitelistEntry', { groupId, network: 'TRX', address: WALLET });
  const made = await action('CreateWithdrawal', {
    currency: 'USDT_TRX',
    amountReceived: '30',
    groupId,
    address: WALLET,
    idempotencyKey: 'vault-1',
  });
  end2end = /CRX\w+/.exec(made.headers.get('location') ?? made.text)?.[0] ?? made.text;
});

const APPROVE = 'action="/console/acts/ApproveWithdrawal"';

test('the maker sees why they cannot approve, and gets no button that would be refused', async () => {
  const path = `/console/transactions/${end2end}`;
  const [own, other] = [await visit(app, maker, path), await visit(app, second, path)];
  expect([own.text.includes(APPROVE), other.text.includes(APPROVE)]).toEqual([false, true]);
  expect(own.text).toContain('You requested or already approved this, so someone else has to approve it.');
  expect(other.text).not.toContain('You requested or already approved this');
});

test('a withdrawal leaves the balance: no money comes in', async () => {
  const { text } = await visit(app, maker, `/console/transactions/${end2end}`);
  expect(text).toMatch(/30\.000000\u00a0USDT \(TRX\) debited, 29\.000000\u00a0USDT \(TRX\) sent/);
  expect(text).toContain('<dt>Amount debited</dt>');
  expect(text).not.toMatch(/<dt>(?:Paid|Received)</);
});

test('people and destinations are shown by name, and the audit log names both', async () => {
  const list = await visit(app, second, '/console/approvals');
  expect(list.text).toMatch(/Requested by<\/dt><dd>rita</);
  expect((await visit(app, second, '/console/transactions?family=WITHDRAWALS')).text).toContain(
    '>TKN9um…xUtbsD<',
  );
  expect((await visit(app, second, '/console/statement')).text).toContain('>TKN9um…xUtbsD<');
  const log = await visit(app, maker, '/console/audit');
  expect(log.text).toContain('>Person rita<');
  expect(log.text).not.toMatch(/Person per_/);
  // Acts are said in words; the link to those of one kind has the name.
  expect(log.text).toMatch(/act=withdrawal\.create">Withdrawal created</);
  const pt = await visit(app, maker, '/console/audit?lang=pt&act=withdrawal.create');
  expect(pt.text).toMatch(/<span class="soft">Ação<\/span> Saque criado</);
});

test('the network of a destination is chosen, not typed', async () => {
  const { text } = await visit(app, maker, '/console/whitelist');
  expect(text).toMatch(/<select [^>]*name="network"/);
  expect(text).toContain('<option value="TRX">TRON (TRX)</option>');
});

test('a browser is shown under its common name', async () => {
  const { text } = await visit(app, maker, '/console/people');
  expect(text).not.toContain('Test/1.0');
});

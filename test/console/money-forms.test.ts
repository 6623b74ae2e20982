/**
 * Goal: a form that moves money says exactly what the ledger then does (C-21, C-22). Method: each form of the console that states an
 * amount is filled in, its sentence is read from the page, it is sent as a browser without script sends it, and the balances and
 * the transaction are compared with the sentence. A form of an act that is in none of the lists below fails the test.
 */

import { beforeAll, expect, test } from 'vitest';
import { sum } from '../../src/base/money/money.ts';
import { useApp } from '../support/app.ts';
import { visit } from '../support/console.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { FORMS } from '../support/mutations.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';
import { errorsIn } from '../support/refusals.ts';

const WALLET = 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD';
const PIX = { pixKeyType: 'EMAIL', pixKey: 'ana@example.com' };
const ANA = { clientName: 'Ana Souza', clientTaxId: '529.982.247-25' };
const app = useApp();
let owner: SignedInForTest;
let groupId: string;
const { ask, trigger, until, create, stepNow } = graphqlClient(app, () => app.apiKey);

beforeAll(async () => {
  owner = await signInAs(app, app.accountId, { email: 'rita@shop.invalid', role: 'owner' });
  await ask(
    'mutation { updateAccountSettings(input: { whitelistCoolingSeconds: 0 }) { accountSettings { whitelistCoolingSeconds } errors { code message path } } }',
  );
  await ask(
    'mutation { sandboxFund(input: { currency: "USDT_TRX", amount: "5000" }) { funding { journalId } errors { code message path } } }',
  );
  await ask(
    'mutation { sandboxFund(input: { currency: "BRL", amount: "5000" }) { funding { journalId } errors { code message path } } }',
  );
  const {
    createWhitelistGroup: { whitelistGroup: createWhitelistGroup },
  } = await ask(
    'mutation { createWhitelistGroup(input: { name: "Vault" }) { whitelistGroup { id: groupId } errors { code message path } } }',
  );
  groupId = createWhitelistGroup.id;
  for (const input of [
    `target: { wallet: { network: "TRX", address: "${WALLET}" } }`,
    `target: { pixKey: { type: EMAIL, key: "rita@example.com" } }`,
  ])
    await ask(
      `mutation { addWhitelistEntry(input: { groupId: "${groupId}", ${input} }) { whitelistEntry { id: entryId } errors { code message path } } }`,
    );
});

/** A form of the screen *Create*: what is typed, how the sandbox brings it to its end, and which balance moves. */
interface Row {
  readonly act: string;
  readonly kind: string;
  readonly typed: () => Readonly<Record<string, string>>;
  readonly sentence: RegExp;
  readonly play?: string;
  readonly end: string;
  /** Balance that the source leaves, and balance that the target reaches; undefined: outside of the account. */
  readonly moves: { readonly out?: string; readonly in?: string };
}

const brl = 'R\\$([\\d.,]+)';
const usdt = '([\\d.,]+)\\u00a0USDT \\(TRX\\)';
const CURRENCY = { currency: 'USDT_TRX' };
const ROWS: readonly Row[] = [
  {
    act: 'CreateCheckout',
    kind: 'checkout',
    typed: () => ({ brl: '150.50', ...CURRENCY, ...ANA }),
    sentence: new RegExp(`^The customer pays ${brl}; your balance receives ${usdt}\\.$`),
    play: 'pay',
    end: 'success/DONE',
    moves: { in: 'USDT_TRX' },
  },
  {
    act: 'CreateOnramp',
    kind: 'onramp-order',
    typed: () => ({ brl: '150.50', ...CURRENCY, ...ANA }),
    sentence: new RegExp(`^The customer pays ${brl}; your balance receives ${usdt}\\.$`),
    play: 'pay',
    end: 'success/DONE',
    moves: { in: 'USDT_TRX' },
  },
  {
    act: 'CreateOnramp',
    kind: 'onramp-order',
    typed: () => ({ brl: '150.50', ...CURRENCY, ...ANA, wallet: WALLET }),
    sentence: new RegExp(`^The customer pays ${brl}; the wallet receives ${usdt}\\.$`),
    play: 'pay',
    end: 'success/DONE',
    moves: {},
  },
  {
    act: 'CreateOfframp',
    kind: 'offramp-order',
    typed: () => ({ brl: '150.00', from: 'BALANCE', ...CURRENCY, ...PIX, ...ANA }),
    sentence: new RegExp(`^${usdt} is debited from your balance; the recipient gets ${brl}\\.$`),
    end: 'success/DONE',
    moves: { out: 'USDT_TRX' },
  },
  {
    act: 'CreateOfframp',
    kind: 'offramp-order',
    typed: () => ({ brl: '150.00', from: 'EXTERNAL', ...CURRENCY, ...PIX, ...ANA }),
    sentence: new RegExp(`^The deposit is ${usdt}; the recipient gets ${brl}\\.$`),
    play: 'deposit',
    end: 'success/DONE',
    moves: {},
  },
  {
    act: 'CreateWithdrawal',
    kind: 'withdrawal',
    typed: () => ({ amountReceived: '30', ...CURRENCY, groupId, address: WALLET }),
    sentence: new RegExp(`^${usdt} is debited from your balance; the destination receives ${usdt}\\.$`),
    end: 'success_withdrawl_dash/DONE',
    moves: { out: 'USDT_TRX' },
  },
  {
    act: 'CreateWithdrawal',
    kind: 'withdrawal',
    typed: () => ({ amountReceived: '30.50', currency: 'BRL', groupId, address: 'rita@example.com' }),
    sentence: new RegExp(`^${brl} is debited from your balance; the destination receives ${brl}\\.$`),
    end: 'success_withdrawl_dash/DONE',
    moves: { out: 'BRL' },
  },
];

/** Forms that are sent without an amount of their own: all of what a record has moves, or nothing does. */
const WITHOUT_AMOUNT = FORMS.filter(
  ({ variables }) => !variables.some(({ type, name }) => type === 'Decimal' && /amount/i.test(name)),
).map(({ name }) => name);
/** Forms of limits, of links that wait for a payer, and of the sandbox. */
const MOVES_NOTHING = [
  'CreateStaticLink',
  'UpdateTemplateLimits',
  'UpdateTemplateSettings',
  'SandboxTrigger',
];
/** Forms whose amount is read by tests of their own. */
const ELSEWHERE = ['SettleReceivable', 'BookCapital', 'ProposeJournal', 'SandboxFund'];

test('every form with an amount is tested, or moves no money', () => {
  const tried = [...ROWS.map(({ act: action }) => action), 'RefundPayment'];
  const rest = FORMS.map(({ name }) => name).filter(
    (name) => ![...tried, ...WITHOUT_AMOUNT, ...MOVES_NOTHING, ...ELSEWHERE].includes(name),
  );
  expect(rest).toEqual([]);
});

async function available(): Promise<Readonly<Record<string, string>>> {
  const { balances } = await ask('{ balances { currency { code } available } }');
  return Object.fromEntries(
    balances.map((each: { currency: { code: string }; available: string }) => [
      each.currency.code,
      each.available,
    ]),
  );
}

/** The hidden fields of the first form in a part of a page. */
function fieldsIn(page: string): Record<string, string> {
  const [form = ''] = /<form method="post"[\s\S]*?<\/form>/.exec(page) ?? [];
  return Object.fromEntries(
    [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(([, name, value]) => [
      name,
      (value ?? '').replaceAll('&amp;', '&'),
    ]),
  );
}
/** Fields of the form of an action on a screen, and those of them that are amounts. */
function shownFields(page: string, action: string): Readonly<Record<'names' | 'amounts', readonly string[]>> {
  const start = page.indexOf(`action="/console/acts/${action}"`);
  const form = page.slice(start, page.indexOf('</form>', start));
  const tags = form.match(/<(?:input|select|textarea)\b[^>]*>/g) ?? [];
  const nameOf = (tag: string) => / name="([^"]*)"/.exec(tag)?.[1] ?? '';
  return {
    names: tags.map(nameOf),
    amounts: tags.filter((tag) => tag.includes('inputmode="decimal"')).map(nameOf),
  };
}
const plain = (figure: string | undefined) => (figure ?? '').replaceAll(',', '');
const less = (left: string, right: string) =>
  sum([left, right.startsWith('-') ? right.slice(1) : `-${right}`]);

test.each(
  ROWS.map((row) => [row.act, row.sentence.source, row] as const),
)('C-21: %s does what its sentence says: %s', async (action, _sentence, {
  kind,
  typed,
  sentence,
  play,
  end,
  moves,
}) => {
  const screen = `/console/new?kind=${kind}`;
  const { names, amounts } = shownFields((await visit(app, owner, screen)).text, action);
  expect(names).toEqual(expect.arrayContaining(Object.keys(typed())));
  expect(Object.keys(typed())).toEqual(expect.arrayContaining([...amounts]));
  const form = { back: screen, accept: 'true', ...typed() };
  const page = await visit(app, owner, `/console/acts/${action}`, { form: { ...form, ask: 'confirm' } });
  expect(page.status, page.text).toBe(200);
  const part = page.text.slice(page.text.indexOf('id="confirm"'));
  const said = /<p data-sentence><b>([^<]*)<\/b>/.exec(part)?.[1] ?? part.slice(0, 2_000);
  expect(said).toMatch(sentence);
  const [, source, target] = (sentence.exec(said) ?? []).map(plain);

  const before = await available();
  const { csrf: _own, ...hidden } = fieldsIn(part);
  const made = await visit(app, owner, `/console/acts/${action}`, { form: hidden });
  expect(made.status, made.text).toBe(303);
  const end2end = /transactions\/(\w+)\?/.exec(made.headers.get('location') ?? '')?.[1] ?? '';
  if (play) {
    await expect.poll(() => stepNow(end2end)).toMatch(/QRCODE|WAITING_DEPOSIT/);
    await trigger(end2end, play);
  }
  await until(end2end, end);
  const { transaction } = await ask(
    `{ transaction(end2end: "${end2end}") { source { amount } target { amount } } }`,
  );
  expect(Number(transaction.source.amount)).toBe(Number(source));
  expect(Number(transaction.target.amount)).toBe(Number(target));
  const after = await available();
  const change = (code: string) => less(after[code] ?? '0', before[code] ?? '0');
  const expected = { USDT_TRX: 0, BRL: 0 };
  if (moves.out) expected[moves.out as keyof typeof expected] -= Number(source);
  if (moves.in) expected[moves.in as keyof typeof expected] += Number(target);
  expect(Number(change('USDT_TRX'))).toBe(expected.USDT_TRX);
  expect(Number(change('BRL'))).toBe(expected.BRL);
});

test('C-21: the confirmation leads back to the form with its input', async () => {
  const form = { back: '/console/new?kind=offramp-order', accept: 'true', brl: '150.00', ...CURRENCY };
  const from = { from: 'BALANCE', ...PIX, ...ANA, externalCode: 'o-1' };
  const confirmed = await visit(app, owner, '/console/acts/CreateOfframp', {
    form: { ...form, ...from, ask: 'confirm' },
  });
  const part = confirmed.text.slice(
    confirmed.text.lastIndexOf('<form method="post" action="/console/acts/CreateOfframp"'),
  );
  const { csrf: _own, ...hidden } = fieldsIn(part);
  const back = await visit(app, owner, '/console/acts/CreateOfframp', {
    form: { ...hidden, ask: 'price' },
  });
  for (const value of ['150.00', 'ana@example.com', 'Ana Souza', 'o-1'])
    expect(back.text).toContain(`value="${value}"`);
});

test('C-22: an amount with too many decimals is refused before it is confirmed', async () => {
  const form = { back: '/console/new?kind=withdrawal', ask: 'confirm', groupId, amountReceived: '30.555' };
  const page = await visit(app, owner, '/console/acts/CreateWithdrawal', {
    form: { ...form, currency: 'BRL' },
  });
  expect(page.status).toBe(400);
  expect(page.text).toContain('id="CreateWithdrawal-amountReceived-wrong"');
});

test('C-22: a network fee above the stated one refuses the withdrawal', async () => {
  const input = {
    currency: 'USDT_TRX',
    amountReceived: '30',
    groupId,
    address: WALLET,
    networkFeeMax: '0.000001',
  };
  const document =
    'mutation($input: CreateWithdrawalInput!) { createWithdrawal(input: $input) { transaction { end2end } errors { code message path } } }';
  const { json } = await app.graphql(document, { input }, { key: app.apiKey });
  expect(errorsIn(json)?.[0].extensions.code).toBe('LIMIT_EXCEEDED');
});

/** A payment of R$80.00 that was converted into crypto of the balance. */
async function paid(): Promise<string> {
  const input = { amount: { brl: '80.00' }, ...CURRENCY, ...ANA };
  const { end2end } = (await create('createOnramp', input)).transaction;
  await trigger(end2end, 'pay');
  await until(end2end, 'success/DONE');
  return end2end;
}

/** Fills the refund form of a transaction's page in, and asks to confirm it. */
async function reviewRefund(end2end: string, amount: string) {
  const { text } = await visit(app, owner, `/console/transactions/${end2end}`);
  const { csrf: _own, ...hidden } = fieldsIn(
    text.slice(text.indexOf('action="/console/acts/RefundPayment"') - 30),
  );
  return visit(app, owner, '/console/acts/RefundPayment', { form: { ...hidden, amount, ask: 'confirm' } });
}

const REFUND = new RegExp(`^${brl} goes back to the payer; ${usdt} is debited from your balance\\.$`);

test.each([
  ['a part', '30.00'],
  ['all that is left', ''],
])('C-35: the confirmation of a refund of %s states both amounts, and moves them', async (_what, amount) => {
  const end2end = await paid();
  const page = await reviewRefund(end2end, amount);
  expect(page.status, page.text).toBe(200);
  const part = page.text.slice(page.text.indexOf('id="confirm"'));
  const said = /<p data-sentence><b>([^<]*)<\/b>/.exec(part)?.[1] ?? part.slice(0, 2_000);
  expect(said).toMatch(REFUND);
  const [, back, debited] = (REFUND.exec(said) ?? []).map(plain);
  expect(Number(back)).toBe(Number(amount || '80'));

  const before = await available();
  const { csrf: _own, ...confirmed } = fieldsIn(part);
  const done = await visit(app, owner, '/console/acts/RefundPayment', { form: confirmed });
  expect(done.status, done.text).toBe(303);
  const after = await available();
  expect(Number(less(after.USDT_TRX ?? '0', before.USDT_TRX ?? '0'))).toBe(-Number(debited));
  expect(after.BRL).toBe(before.BRL);
  const { transaction } = await ask(
    `{ transaction(end2end: "${end2end}") { refunds { amount { amount } } } }`,
  );
  expect(
    transaction.refunds.map((each: { amount: { amount: string } }) => Number(each.amount.amount)),
  ).toEqual([Number(back)]);
});

test('C-35: a refund above the rest of the payment is refused before it is confirmed', async () => {
  const page = await reviewRefund(await paid(), '80.01');
  expect(page.status).toBe(422);
  expect(page.text).not.toContain('id="confirm"');
  expect(page.text).toMatch(/Up to 80(\.00)? BRL can still be refunded\./);
});

test('a withdrawal of crypto to a PIX key is refused before its confirmation, at the field with the focus', async () => {
  const form = { ...CURRENCY, amountReceived: '20', groupId, address: 'rita@example.com', ask: 'confirm' };
  const back = '/console/new?kind=withdrawal';
  const { status, text } = await visit(app, owner, '/console/acts/CreateWithdrawal', {
    form: { ...form, back },
  });
  expect(status).toBe(400);
  expect(text).toContain('Choose another destination: a PIX key gets BRL');
  expect(text).toMatch(/<select[^>]* name="address"[^>]* autofocus/);
  expect(text).not.toContain('id="confirm"');
  expect(text).toContain('Vault · PIX: rita@example.com');
});

/**
 * Goal: everything that makes or moves something can be done by GraphQL, with the refusals of the contract and once under
 * its key. Method: real operations over HTTP on accounts of their own, played on by `sandboxTrigger` to the expected step.
 */

import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import {
  action,
  creation,
  graphqlClient,
  parametersOf,
  stepOf,
  type Variables,
} from '../support/graphql-client.ts';

const app = useApp();
const ANA = { clientName: 'Ana Souza', clientTaxId: '529.982.247-25' };
const PAYEE = { ...ANA, pixKey: 'ana@example.com', pixKeyType: 'EMAIL' };
const WALLET = 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD';

let shop: Awaited<ReturnType<typeof app.addAccount>>;
const { ask, refusal, create, perform, trigger, fund, until } = graphqlClient(app, () => shop.apiKey);

beforeAll(async () => {
  shop = await app.addAccount();
  await fund('USDT_TRX', '10000');
  await fund('BRL', '10000.00');
});

async function group(...entries: readonly string[]): Promise<string> {
  const {
    createWhitelistGroup: { whitelistGroup: createWhitelistGroup },
  } = await ask(
    'mutation { createWhitelistGroup(input: { name: "Treasury" }) { whitelistGroup { id: groupId } errors { code message path } } }',
  );
  await ask(
    'mutation { updateAccountSettings(input: { whitelistCoolingSeconds: 0 }) { accountSettings { approvalAbove } errors { code message path } } }',
  );
  for (const entry of entries)
    await ask(
      `mutation($id: String!) { addWhitelistEntry(input: { groupId: $id, ${entry} }) { whitelistEntry { id: entryId } errors { code message path } } }`,
      {
        id: createWhitelistGroup.id,
      },
    );
  return createWhitelistGroup.id;
}
const TO_WALLET = `target: { wallet: { network: "TRX", address: "${WALLET}" } }`;
const TO_ANA = 'target: { pixKey: { type: EMAIL, key: "Ana@Example.com" } }';

describe('checkouts', () => {
  test('with all inputs is payable immediately, and paid to success', async () => {
    const made = await create('createCheckout', {
      amount: { brl: '550.00' },
      currency: 'USDT (TRX)',
      ...ANA,
      externalCode: 'order 7',
      expiresIn: 600,
    });
    expect(stepOf(made.transaction)).toBe('depositpix_v2/QRCODE');
    expect(made.paymentLink).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/pay\/[\w-]{24}$/);
    expect(made.pixCopyPaste).toMatch(/^000201/);
    expect(made.pixQrSvgUrl).toBe(`${made.paymentLink}/qr.svg`);
    const { end2end } = made.transaction;
    expect(await trigger(end2end, 'pay')).toBe('depositpix_v2/PAID');
    await until(end2end, 'success/DONE');
    const { transaction } = await ask(
      `{ transaction(end2end: "${end2end}") { events { component } ledgerLines { credit } ... on CrossrampCheckout { amountPayment clientTaxId externalCode } } }`,
    );
    expect(transaction).toMatchObject({
      amountPayment: '550',
      clientTaxId: '52998224725',
      externalCode: 'order 7',
    });
    expect(transaction.events.map(({ component }: { component: string }) => component)).toEqual([
      'quote',
      'quote',
      'valida_id_v2',
      'depositpix_v2',
      'depositpix_v2',
      'swap_transfer_v2',
      'success',
    ]);
    expect(transaction.ledgerLines).not.toHaveLength(0);
  });

  test('without inputs collects amount, customer and confirmation', async () => {
    const made = await create('createCheckout', { currency: 'USDT_TRX' });
    const { end2end } = made.transaction;
    expect(made).toMatchObject({ pixCopyPaste: null, pixQrSvgUrl: null, replayed: false });
    expect(stepOf(made.transaction)).toBe('static_entry/AMOUNT');
    expect(await perform('enterAmount', end2end, 'amountPayment: "80",')).toBe('pre_kyc/INFO');
    const identity = 'clientName: "Ana Souza", clientTaxId: "52998224725",';
    expect(await perform('provideIdentity', end2end, identity)).toBe('pre_kyc/CONFIRM');
    expect(await perform('confirmIdentity', end2end)).toBe('valida_id_v2/INITIAL');
    await until(end2end, 'depositpix_v2/QRCODE');
    await trigger(end2end, 'pay');
    await until(end2end, 'success/DONE');
  });

  test('a quote that is not accepted waits for that, and is cancelled', async () => {
    const input = { amount: { brl: '90' }, currency: 'USDT_TRX', accept: false };
    const { end2end, ...made } = (await create('createCheckout', input)).transaction;
    expect(stepOf(made)).toBe('quote/QUOTE');
    expect(await perform('acceptQuote', end2end)).toBe('pre_kyc/INFO');
    expect(await perform('cancelTransaction', end2end)).toBe('quote/CANCELLED');
    expect((await refusal(action('acceptQuote'), { end2end })).code).toBe('STEP_CONFLICT');
  });

  test('C-21: a customer above the limit of the day ends the session', async () => {
    const { end2end } = (await create('createCheckout', { amount: { brl: '40000' }, currency: 'USDT_TRX' }))
      .transaction;
    await ask(
      `mutation { updateTemplateSettings(input: { account: "${shop.accountId}", template: crossramp_checkout, customerLimitDaily: "39999.99" }) { templateSetting { template } errors { code message path } } }`,
    );
    const identity = 'clientName: "Bia Lima", clientTaxId: "11144477735",';
    expect(await perform('provideIdentity', end2end, identity)).toBe('pre_kyc/LIMIT');
    const named = { currency: 'USDT_TRX', clientName: 'Bia Lima', clientTaxId: '11144477735' };
    const open = (await create('createCheckout', named)).transaction;
    expect(await perform('enterAmount', open.end2end, 'amountPayment: "40000",')).toBe('quote/ERROR');
    await ask(
      `mutation { updateTemplateSettings(input: { account: "${shop.accountId}", template: crossramp_checkout, customerLimitDaily: "50000" }) { templateSetting { template } errors { code message path } } }`,
    );
  });
});

describe('onramps', () => {
  test('to the balance, by the received amount', async () => {
    const made = await create('createOnramp', { amount: { crypto: '100' }, currency: 'USDT_TRX', ...ANA });
    expect(made.transaction).toMatchObject({ __typename: 'Onramp', component: 'depositpix' });
    expect(made.pixCopyPaste).toMatch(/^000201/);
    await trigger(made.transaction.end2end, 'pay');
    await until(made.transaction.end2end, 'success/DONE');
  });

  test('to a wallet', async () => {
    const input = { amount: { brl: '550.00' }, currency: 'USDT_TRX', wallet: WALLET, ...ANA };
    const made = await create('createOnramp', input);
    expect(made.transaction.__typename).toBe('OnrampInstant');
    await trigger(made.transaction.end2end, 'pay');
    await until(made.transaction.end2end, 'success/DONE');
  });

  test('without a customer shows its PIX code once it has one', async () => {
    const input = { amount: { brl: '60' }, currency: 'USDT_TRX' };
    const made = await create('createOnramp', input, 'later');
    const { end2end } = made.transaction;
    expect([stepOf(made.transaction), made.pixCopyPaste]).toEqual(['pre_kyc/INFO', null]);
    await perform('provideIdentity', end2end, 'clientName: "Ana", clientTaxId: "52998224725",');
    await perform('confirmIdentity', end2end);
    await until(end2end, 'depositpix/QRCODE');
    const again = await create('createOnramp', input, 'later');
    expect(again).toMatchObject({ replayed: true, transaction: { end2end, state: 'QRCODE' } });
    expect(again.pixCopyPaste).toMatch(/^000201/);
  });

  test('compliance: held money is released, or rejected and returned', async () => {
    for (const [decision, end] of [
      ['releaseHold', 'success/DONE'],
      ['rejectHold', 'refund/DONE'],
    ] as const) {
      const input = { amount: { brl: '70' }, currency: 'USDT_TRX', ...ANA, externalCode: 'sandbox:hold' };
      const { end2end } = (await create('createOnramp', input)).transaction;
      await trigger(end2end, 'pay');
      await until(end2end, 'compliance/UNCOMPLIANT');
      await perform(decision, end2end, `account: "${shop.accountId}", reason: "checked",`);
      await until(end2end, end);
    }
  });
});

describe('quotes', () => {
  const QUOTE =
    'id: quoteId template currency { code } rate refQuote brlAmount cryptoAmount fees networkFee createdAt expiresAt';
  const keep = (input: Variables, key?: string) =>
    ask(
      `mutation($input: CreateQuoteInput!) { createQuote(input: $input) { quote { ${QUOTE} } errors { code message path } } }`,
      { input: { ...input, idempotencyKey: key } },
    );

  test('C-21: an indicative quote is not binding, a reserved one lasts ten minutes', async () => {
    const input = { template: 'onramp', currency: 'USDT_TRX', amount: { brl: '550.00' } };
    const { quote } = await ask(`query($input: QuoteInput!) { quote(input: $input) { ${QUOTE} } }`, {
      input,
    });
    expect(quote).toMatchObject({
      id: null,
      template: 'onramp',
      currency: { code: 'USDT_TRX' },
      rate: '5.375018',
      refQuote: '5.3218',
      brlAmount: '550',
      cryptoAmount: '101.301986',
      fees: '5.5',
      networkFee: '0',
      expiresAt: null,
    });
    const {
      createQuote: { quote: createQuote },
    } = await keep(input);
    expect(createQuote).toMatchObject({
      ...quote,
      id: expect.stringMatching(/^quo_/),
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
    });
    expect(Date.parse(createQuote.expiresAt) - Date.parse(createQuote.createdAt)).toBe(600_000);
  });

  test('every template that converts has a price, in both directions', async () => {
    for (const template of ['crossramp_checkout', 'onramp', 'onramp_instant', 'offramp', 'offramp_instant'])
      for (const amount of [{ brl: '550' }, { crypto: '100' }]) {
        const input = { template, currency: 'USDT_TRX', amount };
        const { quote } = await ask(
          'query($input: QuoteInput!) { quote(input: $input) { brlAmount cryptoAmount networkFee } }',
          { input },
        );
        const side = 'brl' in amount ? { brlAmount: amount.brl } : { cryptoAmount: amount.crypto };
        expect(quote).toMatchObject(side);
        expect(quote.networkFee).toBe(template === 'onramp_instant' ? '1' : '0');
      }
  });

  test('a reserved quote is used once, for its own purpose', async () => {
    const {
      createQuote: { quote: createQuote },
    } = await keep({ template: 'onramp', currency: 'USDT_TRX', amount: { crypto: '100' } });
    const input = { currency: 'USDT_TRX', amount: { quoteId: createQuote.id }, ...ANA };
    expect((await refusal(creation('createOnramp'), { input: { ...input, wallet: WALLET } })).code).toBe(
      'QUOTE_EXPIRED',
    );
    const { end2end } = (await create('createOnramp', input)).transaction;
    const { transaction } = await ask(
      `{ transaction(end2end: "${end2end}") { ... on Onramp { amountPayment amountReceived quote } } }`,
    );
    expect(transaction).toEqual({
      amountPayment: createQuote.brlAmount,
      amountReceived: '100',
      quote: createQuote.rate,
    });
    expect((await refusal(creation('createOnramp'), { input })).code).toBe('QUOTE_EXPIRED');
  });

  test('a quote of an offramp, and an expired one', async () => {
    const quoted = { template: 'offramp', currency: 'USDT_TRX', amount: { brl: '100' } };
    const first = (await keep(quoted, 'quote-1')).createQuote.quote;
    expect((await keep(quoted, 'quote-1')).createQuote.quote).toEqual(first);
    const input = { currency: 'USDT_TRX', ...PAYEE };
    await create('createOfframp', { ...input, amount: { quoteId: first.id } });
    const late = (await keep(quoted)).createQuote.quote;
    await ask('mutation { sandboxAdvanceClock(input: { by: "601s" }) { now errors { code message path } } }');
    expect(
      (await refusal(creation('createOfframp'), { input: { ...input, amount: { quoteId: late.id } } })).code,
    ).toBe('QUOTE_EXPIRED');
  });

  test.each([
    [
      'template: withdraw_dash_same_curr, currency: "USDT_TRX", amount: { brl: "1" }',
      'INVALID_PARAMETER',
      'input.template',
    ],
    ['template: onramp, currency: "BRL", amount: { brl: "1" }', 'INVALID_PARAMETER', 'input.currency'],
    ['template: onramp, currency: "USDT", amount: { brl: "1" }', 'CURRENCY_AMBIGUOUS', 'input.currency'],
    [
      'template: onramp, currency: "USDT_TRX", amount: { crypto: "0.0000001" }',
      'INVALID_PARAMETER',
      'input.amount.crypto',
    ],
    ['template: onramp, currency: "USDT_TRX", amount: { brl: "50000.01" }', 'LIMIT_EXCEEDED', undefined],
  ])('quote(%s) is refused with %s', async (input, code, parameter) => {
    const refused = await refusal(`{ quote(input: { ${input} }) { rate } }`);
    expect(refused.code).toBe(code);
    if (parameter) expect(parametersOf(refused)).toEqual([parameter]);
  });
});

describe('offramps', () => {
  test('from the balance to a named payee', async () => {
    const made = await create('createOfframp', { amount: { crypto: '20' }, currency: 'USDT_TRX', ...PAYEE });
    expect(made).toMatchObject({ depositUri: null, transaction: { __typename: 'Offramp' } });
    await until(made.transaction.end2end, 'success/DONE');
  });

  test('with a payee who is named later', async () => {
    const { end2end, ...made } = (
      await create('createOfframp', { amount: { brl: '50' }, currency: 'USDT_TRX' })
    ).transaction;
    expect(stepOf(made)).toBe('pre_kyc/INFO');
    const identity = 'clientName: "Ana Souza", clientTaxId: "52998224725",';
    const refused = await refusal(action('provideIdentity', identity), { end2end });
    expect([refused.code, ...parametersOf(refused)]).toEqual(['INVALID_PARAMETER', 'input.pixKey']);
    const payout = 'pixKey: "52998224725", pixKeyType: CPF,';
    expect(await perform('provideIdentity', end2end, identity + payout)).toBe('reserve/DONE');
    await until(end2end, 'success/DONE');
  });

  test('from outside is requested as a link, and paid when the deposit is confirmed', async () => {
    const input = { amount: { crypto: '20' }, currency: 'USDC_BASE', from: 'EXTERNAL', ...PAYEE };
    const made = await create('createOfframp', input);
    const { end2end } = made.transaction;
    expect(made.transaction.__typename).toBe('OfframpInstant');
    expect(made.depositUri).toMatch(/^ethereum:0x\w+@8453\/transfer\?address=0x\w+&uint256=\d+$/);
    await trigger(end2end, 'deposit');
    await trigger(end2end, 'deposit-confirm');
    await until(end2end, 'success/DONE');
  });

  test.each([
    ['KEEP', '', 'partial_success/DONE'],
    ['REFUND', `address: "${WALLET}",`, 'refund/DONE'],
    ['REQUOTE', '', 'success/DONE'],
  ])('a wrong deposit is resolved: %s', async (resolution, address, end) => {
    const input = { amount: { crypto: '20' }, currency: 'USDT_TRX', from: 'EXTERNAL', ...PAYEE };
    const { end2end } = (await create('createOfframp', input)).transaction;
    expect(await trigger(end2end, 'deposit-wrong', '15.5')).toBe('crypto_deposit/UNDERPAID');
    await perform('resolveDeposit', end2end, `resolution: ${resolution}, ${address}`);
    await until(end2end, end);
  });

  test('a refund goes to an address only', async () => {
    const input = { amount: { crypto: '20' }, currency: 'USDT_TRX', from: 'EXTERNAL', ...PAYEE };
    const { end2end } = (await create('createOfframp', input)).transaction;
    const early = await refusal(action('resolveDeposit', 'resolution: KEEP,'), { end2end });
    expect(early.code).toBe('STEP_CONFLICT');
    await trigger(end2end, 'deposit-wrong');
    const refused = await refusal(action('resolveDeposit', 'resolution: REFUND, address: "nowhere",'), {
      end2end,
    });
    expect([refused.code, ...parametersOf(refused)]).toEqual(['INVALID_PARAMETER', 'input.address']);
  });
});

describe('withdrawals', () => {
  test('to a wallet and to a PIX key of a group', async () => {
    const groupId = await group(TO_WALLET, TO_ANA);
    for (const input of [
      { amountReceived: '10', currency: 'USDT_TRX', groupId, notes: 'rent' },
      { amountReceived: '10.00', currency: 'BRL', groupId },
    ]) {
      const { transaction } = await create('createWithdrawal', input);
      await until(transaction.end2end, 'success_withdrawl_dash/DONE');
    }
  });

  test('C-22: above the limit another key approves, or refuses', async () => {
    const groupId = await group(TO_WALLET);
    const input = { amountReceived: '30', currency: 'USDT_TRX', groupId };
    await ask(
      'mutation { updateAccountSettings(input: { approvalAbove: "100" }) { accountSettings { approvalAbove } errors { code message path } } }',
    );
    const second = (await app.addKey(shop.accountId, ['read', 'move'])).apiKey;
    const first = (await create('createWithdrawal', input)).transaction;
    await until(first.end2end, 'approval_withdrawl_dash/PENDING');
    const refused = await refusal(action('approveWithdrawal'), { end2end: first.end2end });
    expect(refused.code).toBe('FORBIDDEN');
    await app.graphql(
      'mutation { sandboxAdvanceClock(input: { by: "10m" }) { now errors { code message path } } }',
      {},
      { key: app.platformKey },
    );
    await perform('approveWithdrawal', first.end2end, '', second);
    // An approval leaves the transaction at its step: the entry has the time of the act, not that of the step (C-40).
    const { rows } = await app.owner.query(
      `select extract(epoch from max(at) - min(at)) > 590 as "isLater" from audit_entry
        where object_id = $1 and act in ('withdrawal.create', 'withdrawal.approve')`,
      [first.end2end],
    );
    expect(rows).toEqual([{ isLater: true }]);
    await until(first.end2end, 'success_withdrawl_dash/DONE');
    const other = (await create('createWithdrawal', input)).transaction;
    await until(other.end2end, 'approval_withdrawl_dash/PENDING');
    expect(await perform('rejectWithdrawal', other.end2end, '', second)).toBe(
      'approval_withdrawl_dash/REJECTED',
    );
    await ask(
      'mutation { updateAccountSettings(input: { approvalAbove: null }) { accountSettings { approvalAbove } errors { code message path } } }',
    );
  });
});

test('C-52: a refused field of a mutation neither hides, undoes nor stops the others', async () => {
  const { apiKey } = await app.addAccount();
  const query = `mutation {
    a: createWhitelistGroup(input: { name: "a", idempotencyKey: "a" }) { whitelistGroup { id: groupId } errors { code message path } }
    b: createWhitelistGroup(input: { name: "", idempotencyKey: "b" }) { whitelistGroup { id: groupId } errors { code message path } }
    c: createWhitelistGroup(input: { name: "c", idempotencyKey: "c" }) { whitelistGroup { id: groupId } errors { code message path } }
  }`;
  for (const _time of [1, 2]) {
    const { json } = await app.graphql(query, {}, { key: apiKey });
    expect(json.errors).toBeUndefined();
    expect(json.data).toEqual({
      a: { whitelistGroup: { id: expect.any(String) }, errors: [] },
      b: {
        whitelistGroup: null,
        errors: [{ code: 'INVALID_PARAMETER', message: expect.any(String), path: 'input.name' }],
      },
      c: { whitelistGroup: { id: expect.any(String) }, errors: [] },
    });
  }
  const { json } = await app.graphql(
    '{ viewer { account { whitelistGroups { name } } } }',
    {},
    { key: apiKey },
  );
  expect(json.data.viewer.account.whitelistGroups).toEqual([{ name: 'a' }, { name: 'c' }]);
});

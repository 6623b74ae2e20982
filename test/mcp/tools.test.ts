/**
 * Goal: an agent that has these tools alone gets to a paid checkout, with no more rights than its key has, and moves no money out
 * (C-40). Method: the protocol's own client, over HTTP and over standard input and output.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { parse, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { toMinor } from '../../src/base/money/money.ts';
import * as documents from '../../src/mcp/documents.ts';
import { TOOLS } from '../../src/mcp/tools.ts';
import { buildSchema } from '../../src/schema/index.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { useApp } from '../support/app.ts';
import { visit } from '../support/console.ts';
import { signInAs } from '../support/people.ts';
import { revokeKey } from '../support/revoke-key.ts';

const app = useApp();

const overHttp = (apiKey: string) =>
  new StreamableHTTPClientTransport(new URL(`${app.baseUrl}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${apiKey}` } },
  });
const overPipes = (apiKey: string) =>
  new StdioClientTransport({
    command: process.execPath,
    args: [
      '--disable-warning=ExperimentalWarning',
      'scripts/run.js',
      'src/cli/main.ts',
      'mcp',
      '--base-url',
      app.baseUrl,
      '--key',
      apiKey,
    ],
    stderr: 'inherit',
  });

/** Runs with a client of its own. */
async function withClient<Result>(
  transport: ReturnType<typeof overHttp | typeof overPipes>,
  run: (call: Call, client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  try {
    return await run(async (name, given = {}) => {
      const { structuredContent, content, isError } = await client.callTool({ name, arguments: given });
      const [first] = content as { text: string }[];
      return {
        value: structuredContent as Value,
        text: first?.text ?? '',
        isError: isError === true,
      };
    }, client);
  } finally {
    await client.close();
  }
}
// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
type Value = Record<string, any>;
type Call = (
  name: string,
  given?: Record<string, unknown>,
) => Promise<{ value: Value; text: string; isError: boolean }>;

const CHECKOUT = {
  amount_brl: '150.00',
  currency: 'USDT_TRX',
  payer_name: 'Ana Souza',
  payer_tax_id: '52998224725',
};

test('the documents of the tools are of the published schema', () => {
  const schema = buildSchema(REGISTRY);
  const texts = Object.values(documents).flatMap((each) =>
    typeof each === 'string' ? [each] : Object.values(each),
  );
  expect(texts.length).toBeGreaterThan(7);
  for (const text of texts) expect(validate(schema, parse(text)), text).toEqual([]);
});

describe.each([
  ['over HTTP', overHttp],
  ['over standard input and output', overPipes],
])('%s', (_name, transport) => {
  test('a checkout is made once, paid, waited for, and in the balance', async () => {
    await withClient(transport(app.apiKey), async (call, client) => {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
      const { value: quote } = await call('get_quote', {
        template: 'crossramp_checkout',
        currency: 'USDT_TRX',
        amount_brl: '150.00',
      });
      const given = {
        ...CHECKOUT,
        order: `mcp-${_name}`,
        idempotency_key: `mcp ${_name}`.replaceAll(' ', '-'),
      };
      const [made, again] = [await call('create_checkout', given), await call('create_checkout', given)];
      expect([made.value.replayed, again.value.replayed]).toEqual([false, true]);
      const { end2end, payment, target } = made.value.transaction;
      expect(again.value.transaction.end2end).toBe(end2end);
      expect((await fetch(payment.link)).status).toBe(200);
      expect(target.amount).toBe(quote.cryptoAmount);
      const balance = async () => {
        const { balances } = (await call('get_balances')).value;
        const found = balances.find(({ currency }: Value) => currency.code === 'USDT_TRX');
        return toMinor(found?.available ?? '0', 6);
      };
      const before = await balance();
      expect((await call('simulate_payment', { end2end, scenario: 'PAY' })).isError).toBe(false);
      const { value: ended } = await call('wait_for_transaction', { end2end });
      expect(ended).toMatchObject({ is_final: true, statusCode: 'SUCCESS', externalCode: given.order });
      expect((await balance()) - before).toBe(toMinor(target.amount, 6));
      const { value: list } = await call('list_transactions', { order: given.order });
      expect(list.nodes.map((each: Value) => each.end2end)).toEqual([end2end]);
    });
  }, 60_000);
});

test('C-40: money out is a link for a person: nothing moves, whatever the key may do', async () => {
  const owner = await signInAs(app, app.accountId, { email: 'rita@shop.invalid', role: 'owner' });
  await withClient(overHttp(app.apiKey), async (call) => {
    const withdrawals = async () =>
      (await call('list_transactions', { family: 'WITHDRAWALS' })).value.totalCount;
    const before = await withdrawals();
    const { value: made } = await call('create_checkout', { ...CHECKOUT, idempotency_key: 'to-refund' });
    const { end2end } = made.transaction;
    await call('simulate_payment', { end2end });
    await call('wait_for_transaction', { end2end });
    const { value: refund } = await call('request_refund', { end2end });
    expect(refund.is_done).toBe(false);
    const page = await visit(app, owner, new URL(refund.confirm_at).pathname);
    expect(page.text).toContain('/console/acts/RefundPayment');
    expect((await call('get_transaction', { end2end })).value.statusCode).toBe('SUCCESS');

    const { value: out } = await call('request_withdrawal', {
      currency: 'USDT_TRX',
      amount: '5.5',
      notes: 'supplier',
    });
    const { pathname, search } = new URL(out.confirm_at);
    const form = (await visit(app, owner, pathname + search)).text;
    expect(form).toMatch(/name="amountReceived"[^>]*value="5.5"|value="5.5"[^>]*name="amountReceived"/);
    expect(form).toContain('supplier');
    expect(await withdrawals()).toBe(before);
  });
  const money = TOOLS.filter(({ name }) => name.startsWith('request_'));
  expect(money.every(({ isRead }) => isRead)).toBe(true);
});

test('C-40: the key of the documents, `read` and `create`, is told the truth by every tool', async () => {
  const agent = await app.addKey(app.accountId, ['read', 'create']);
  await withClient(overHttp(agent.apiKey), async (call) => {
    const done = async (name: string, given: Record<string, unknown> = {}) => {
      const { value, text, isError } = await call(name, given);
      expect(isError, `${name}: ${text}`).toBe(false);
      return value;
    };
    await done('get_balances');
    await done('get_quote', { template: 'crossramp_checkout', currency: 'USDT_TRX', amount_brl: '150' });
    const { transaction: onramp } = await done('create_onramp', CHECKOUT);
    expect(onramp.payment.pixCopyPaste).toEqual(expect.any(String));
    const { transaction: offramp } = await done('create_offramp', {
      ...{ amount_brl: '150.00', currency: 'USDT_TRX', pix_key_type: 'CPF', pix_key: '52998224725' },
      ...{ recipient_name: 'Ana Souza', recipient_tax_id: '52998224725' },
    });
    expect(offramp.payment.link).toEqual(expect.any(String));
    const { transaction: checkout } = await done('create_checkout', CHECKOUT);
    const { end2end } = checkout;

    // A payment that is not there cannot be refunded, whoever asks.
    const early = await call('request_refund', { end2end });
    expect([early.isError, early.text]).toEqual([true, expect.stringMatching(/^STEP_CONFLICT: .*PENDING/)]);
    await done('simulate_payment', { end2end });
    expect(await done('wait_for_transaction', { end2end })).toMatchObject({ statusCode: 'SUCCESS' });
    expect(await done('get_transaction', { end2end })).toMatchObject({ refundable: { amount: '150' } });
    const refund = await done('request_refund', { end2end });
    expect(refund).toMatchObject({ is_done: false, refundable: { amount: '150' } });
    expect(refund.what.map(({ kind }: Value) => kind)).toContain('REFUND');
    expect(new URL(refund.confirm_at).pathname).toBe(`/console/transactions/${end2end}`);

    const refundAll = `mutation { refundPayment(input: { end2end: "${end2end}", amount: "150" }) { errors { message } } }`;
    expect((await app.graphql(refundAll)).json.data.refundPayment.errors).toEqual([]);
    const late = await call('request_refund', { end2end });
    expect([late.isError, late.text]).toEqual([true, expect.stringMatching(/^STEP_CONFLICT: /)]);
    await done('list_transactions');
    await done('request_withdrawal', { currency: 'USDT_TRX', amount: '5' });
  });
});

test('C-40: a key does what its scopes allow, and a foreign transaction looks missing', async () => {
  const other = await app.addAccount();
  const reader = await app.addKey(other.accountId, ['read']);
  const { value: mine } = await withClient(overHttp(app.apiKey), (call) =>
    call('create_checkout', { ...CHECKOUT, idempotency_key: 'mine' }),
  );
  await withClient(overHttp(reader.apiKey), async (call) => {
    const refused = await call('create_checkout', CHECKOUT);
    expect([refused.isError, refused.text]).toEqual([true, expect.stringMatching(/^FORBIDDEN: /)]);
    const foreign = await call('get_transaction', { end2end: mine.transaction.end2end });
    const missing = await call('get_transaction', { end2end: 'CRX01M8KXDR6ZE4NA1R6NAGR7KTH3' });
    expect(foreign.text.replace(mine.transaction.end2end, '…')).toBe(
      missing.text.replace('CRX01M8KXDR6ZE4NA1R6NAGR7KTH3', '…'),
    );
    expect(foreign.isError).toBe(true);
    for (const wrong of [{ ...CHECKOUT, amount_brl: '1,50' }, { ...CHECKOUT, nothing: 1 }, {}])
      expect((await call('create_checkout', wrong)).isError).toBe(true);
  });
});

test('C-41: a key that is revoked while a tool waits reads nothing more', async () => {
  const agent = await app.addKey(app.accountId, ['read', 'create']);
  await withClient(overHttp(agent.apiKey), async (call) => {
    const { value } = await call('create_checkout', { ...CHECKOUT, idempotency_key: 'revoked' });
    const { end2end } = value.transaction;
    const waiting = call('wait_for_transaction', { end2end, seconds: 10 }).then(
      ({ isError, text }) => `${isError} ${text}`,
      // The request itself was refused, if the key ended before it came.
      (error) => `true ${error}`,
    );
    await revokeKey(app.database, agent.keyId);
    expect(await waiting).toMatch(/^true .*UNAUTHORIZED/);
  });
}, 60_000);

test('C-50: a refusal names the argument of the tool', async () => {
  await withClient(overHttp(app.apiKey), async (call) => {
    for (const [argument, value] of [
      ['amount_brl', '1.234'],
      ['payer_tax_id', '1'],
      ['currency', 'USDT'],
      ['idempotency_key', 'a b'],
    ] as const) {
      const { text } = await call('create_checkout', { ...CHECKOUT, [argument]: value });
      expect(text).toMatch(new RegExp(`^[A-Z_]+: ${argument}: (?:must|names) `));
    }
    const { text } = await call('create_checkout', { ...CHECKOUT, brl: '150', name: 'Ana' });
    expect(text).toMatch(/there is no argument brl, name; there are amount_brl, currency, /);
  });
});

test.each([
  ['create_checkout', { ...CHECKOUT, amount_brl: 150 }, 'amount_brl: must be decimal text, such as "150.00"'],
  [
    'create_checkout',
    { ...CHECKOUT, amount_brl: 'R$ 150,00' },
    'amount_brl: must be decimal text, such as "150.00"',
  ],
  ['create_checkout', { amount_brl: '150' }, 'currency: is required'],
  ['create_checkout', { ...CHECKOUT, payer_name: null }, 'payer_name: must be text'],
  ...['get_transaction', 'wait_for_transaction', 'request_refund', 'simulate_payment'].map(
    (name) =>
      [name, { end2end: 'x'.repeat(201) }, /end2end: must be text of at most 200 characters/] as const,
  ),
  ['list_transactions', { limit: '5' }, 'limit: must be an integer from 1 to 50'],
  [
    'list_transactions',
    { family: 'checkouts' },
    'family: must be one of CHECKOUTS, ONRAMPS, OFFRAMPS, WITHDRAWALS',
  ],
  ['list_transactions', { limit: 51, family: 1 }, /limit: must be .*; family: must be /],
  [
    'get_quote',
    { template: 'onramp', currency: 'USDT_TRX' },
    'INVALID_PARAMETER: give either amount_brl or amount_crypto',
  ],
  [
    'get_quote',
    { template: 'onramp', currency: 'DOGE', amount_brl: '0' },
    /^INVALID_PARAMETER: currency: must be one of .*; amount_brl: must be /,
  ],
  [
    'get_quote',
    { template: 'onramp', currency: 'USDT', amount_brl: '150' },
    /^CURRENCY_AMBIGUOUS: currency: /,
  ],
  [
    'request_withdrawal',
    { currency: 'EUR', amount: '5' },
    /^INVALID_PARAMETER: currency: must be one of .*BRL/,
  ],
  ['request_withdrawal', { currency: 'BRL', amount: '0.00' }, 'amount: must be above zero'],
  [
    'request_withdrawal',
    { currency: 'ETH_ETH', amount: '5' },
    'INSUFFICIENT_BALANCE: the available balance is 0 ETH_ETH',
  ],
] as const)('C-50: %s with %j says the accepted form', async (name, given, reason) => {
  const { text, isError } = await withClient(overHttp(app.apiKey), (call) => call(name, given));
  expect(isError).toBe(true);
  if (typeof reason === 'string') expect(text).toContain(reason);
  else expect(text).toMatch(reason);
});

test('C-50: a refusal that names no argument says the next step', async () => {
  const given = { ...CHECKOUT, idempotency_key: 'next-step' };
  await withClient(overHttp(app.apiKey), async (call) => {
    await call('create_checkout', given);
    const { text } = await call('create_checkout', { ...given, amount_brl: '151.00' });
    expect(text).toMatch(/^IDEMPOTENCY_MISMATCH: .*\. Use a new idempotency key for another request\.$/);
  });
});

test('C-50: a missing key, a wrong method and invalid JSON are refused before the protocol starts', async () => {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  expect((await app.post('/mcp', body, { key: null })).json.code).toBe('UNAUTHORIZED');
  expect((await app.get('/mcp')).json.code).toBe('METHOD_NOT_ALLOWED');
  const broken = await app.post('/mcp', '{', { headers: { accept: 'application/json, text/event-stream' } });
  expect([broken.status, broken.json.error.code]).toEqual([400, -32_700]);
});

/**
 * Goal: what people paste around or inside a CPF, a CNPJ or an amount never refuses a right number, and any word of a name finds
 * its transaction, however its letters are composed. Method: REST and GraphQL with the same number in many notations; names in NFC
 * and NFD, stored and searched in both.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { graphqlClient } from '../support/graphql-client.ts';

const app = useApp();
const { ask, create } = graphqlClient(app, () => app.apiKey);
const NOTATIONS = [
  '529.982.247-25 ',
  '\u00a0529.982.247-25',
  '529 982 247 25',
  '529.982.247\u201325',
  '\u200b52998224725\ufeff',
  '529\u00ad.982.247-25\n',
];
const AMOUNTS = [' 60.00', '60.00\u00a0', 'R$ 60.00', 'R$\u00a060.00', '\u200b60.00', '60.00 R$'];

describe('a CPF', () => {
  test.each(NOTATIONS)('K05: %j is accepted by /v2', async (client_tax_id) => {
    const body = {
      client_name: 'Ana Souza',
      client_tax_id,
      amount_payment: 60,
      currency_exit_received_code: 'USDT_TRX',
    };
    const { status, json, text } = await app.post('/v2/onramp', body, { key: app.apiKey });
    expect([status, json.attributes.client_tax_id], text).toEqual([201, '52998224725']);
  });

  test.each(NOTATIONS)('K05: %j is accepted by GraphQL, and found', async (clientTaxId) => {
    const input = { amount: { brl: '60' }, currency: 'USDT_TRX', clientName: 'Ana Souza', clientTaxId };
    const { end2end } = (await create('createOnramp', input)).transaction;
    const found = await ask(
      'query($text: String!) { search(text: $text) { match transaction { end2end } } }',
      {
        text: clientTaxId,
      },
    );
    expect(found.search).toContainEqual({ match: 'TAX_ID', transaction: { end2end } });
  });
});

describe('an amount', () => {
  test.each(AMOUNTS)('%j is accepted by /v2', async (amount_payment) => {
    const body = {
      amount_payment,
      client_name: 'Ana Souza',
      client_tax_id: '52998224725',
      currency_exit_received_code: 'USDT_TRX',
    };
    const { status, text } = await app.post('/v2/onramp', body, { key: app.apiKey });
    expect([status, text]).toEqual([201, expect.stringMatching(/"amount_payment":60[,}.]/)]);
  });

  test.each(AMOUNTS)('%j is accepted by GraphQL', async (brl) => {
    const order = { template: 'crossramp_checkout', currency: 'USDT_TRX', amount: { brl } };
    const { quote } = await ask('query($order: QuoteInput!) { quote(input: $order) { brlAmount } }', {
      order,
    });
    expect(quote).toEqual({ brlAmount: '60' });
  });

  test.each([
    '1,000',
    '1.000,00',
    '-60',
    '6O',
    '٦٠',
  ])('%j is refused: it is not a plain decimal', async (amount) => {
    const body = { amount_payment: amount, currency_exit_received_code: 'USDT_TRX' };
    const { status, json } = await app.post('/v2/onramp', body, { key: app.apiKey });
    expect([status, json.code]).toEqual([400, 'INVALID_PARAMETER']);
  });
});

describe('a name', () => {
  const NAME = 'Zoë Conceição D’Ávila-Brandão';
  let composed: string;
  let decomposed: string;
  let other: string;
  const named = async (clientName: string, key = app.apiKey) => {
    const input = { amount: { brl: '60' }, currency: 'USDT_TRX', clientName, clientTaxId: '52998224725' };
    const { json } = await app.graphql(
      'mutation($input: CreateOnrampInput!) { createOnramp(input: $input) { transaction { end2end } errors { code message path } } }',
      { input },
      { key },
    );
    return json.data.createOnramp.transaction.end2end as string;
  };

  beforeAll(async () => {
    composed = await named(NAME.normalize('NFC'));
    decomposed = await named(NAME.normalize('NFD'));
    const { apiKey } = await app.addAccount();
    other = await named(NAME, apiKey);
  });

  const WORDS = [
    'Zoë',
    'conceição',
    'CONCEIÇÃO',
    'conceicao',
    'brand',
    'zoë brandão',
    'Brandão, Zoë',
    'ávila',
    NAME,
  ];
  const TEXTS = WORDS.flatMap((word) => [word.normalize('NFC'), word.normalize('NFD')]);

  test.each(TEXTS)('K06: %j finds it, in any composition of its letters', async (text) => {
    const { search } = await ask(
      'query($text: String!) { search(text: $text) { match transaction { end2end } } }',
      { text },
    );
    const found = search.map((each: { transaction: { end2end: string } }) => each.transaction.end2end);
    expect(found).toEqual(expect.arrayContaining([composed, decomposed]));
    expect(found).not.toContain(other);
  });

  test.each([
    'oë',
    'nceição',
    'Zoë Silva',
    '’',
    '%',
  ])('K06: %j is no beginning of a word of it', async (text) => {
    const { search } = await ask(
      'query($text: String!) { search(text: $text) { transaction { end2end } } }',
      { text },
    );
    expect(search).toEqual([]);
  });

  test.each(
    TEXTS.filter((text) => !/,|zoë brandão/i.test(text.normalize('NFC'))),
  )('K06: the filter %j finds it', async (text) => {
    const { transactions } = await ask(
      'query($text: String!) { transactions(first: 50, filter: { text: $text }) { nodes { end2end } } }',
      { text },
    );
    const found = transactions.nodes.map((each: { end2end: string }) => each.end2end);
    expect(found).toEqual(expect.arrayContaining([composed, decomposed]));
  });

  test('K06: both are one name of one customer', async () => {
    const { rows } = await app.owner.query(
      `select names from customer where account_id = $1 and tax_id = '52998224725'`,
      [String(app.accountId)],
    );
    const names = rows[0].names.map((name: string) => name.normalize('NFC'));
    expect(names.filter((name: string) => name === NAME)).toHaveLength(1);
  });
});

test('K06: a search uses the index of words of its own account', async () => {
  const { accountId } = await app.addAccount();
  await app.owner.query(
    `insert into transaction (account_id, id, end2end, template, family, list_seq, component, state, created_at, updated_at, client_name)
       select $1, n, 'W' || n, 'onramp', 'onramps', n, 'success', 'DONE', now(), now(), 'Maria ' || n || ' Souza'
         from generate_series(1, 3000) n`,
    [String(accountId)],
  );
  await app.owner.query('analyze transaction');
  const { rows } = await app.owner.query(
    `explain (costs off) select t.id from transaction t where t.account_id + 0 = 1 and t.client_name is not null
       and name_words(t.account_id, t.client_name) @@ name_query(1, 'souza')`,
  );
  expect(JSON.stringify(rows)).toContain('transaction_by_name_word');
});

test('the list of new names that each search reads is short', async () => {
  const { rows } = await app.owner.query(
    `select reloptions from pg_class where relname = 'transaction_by_name_word'`,
  );
  expect(rows).toEqual([{ reloptions: ['gin_pending_list_limit=256'] }]);
});

/**
 * Goal: GraphQL says the same facts as `/v2`, exactly, and pages without loss. Method: real documents over HTTP on the
 * example history, compared with the REST answers of the same records.
 */

import { parse, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { trimDecimal } from '../../src/base/money/money.ts';
import { NumberToken, parseExactJson } from '../../src/base/text/exact-json.ts';
import { FAMILIES } from '../../src/rest-compat/families.ts';
import { buildSchema } from '../../src/schema/index.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { KINDS } from '../../src/templates/kinds.ts';
import { useApp } from '../support/app.ts';
import { errorsIn } from '../support/refusals.ts';
import { HISTORY } from '../support/sandbox.ts';

const app = useApp({ exactIntegers: true });
const RECORDS = HISTORY.trim()
  .split('\n')
  .map((line) => JSON.parse(line));
const TRANSACTIONS = RECORDS.filter((record) => record.type === 'transaction');
const LINES = RECORDS.filter((record) => record.type === 'statement_entry');

const camelCase = (name: string) =>
  name.replace(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
const LABELS = ['status', 'substatus', 'message', 'errorMessage'];
const FIELDS = `__typename end2end template component state createdAt updatedAt ${LABELS.map((name) => `${name} { en pt }`).join(' ')}`;
const FRAGMENTS = REGISTRY.templates
  .map(({ typeName, attributes }) => {
    const fields = attributes.filter(({ fact }) => fact !== 'template').map(({ name }) => camelCase(name));
    return `... on ${typeName} { ${fields.join(' ')} }`;
  })
  .join(' ');

/** The REST body of a transaction, said in the words of GraphQL. */
// biome-ignore lint/suspicious/noExplicitAny: bodies of every template
function inGraphql(restText: string): any {
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const body = parseExactJson(restText) as any;
  const template = REGISTRY.find(body.template);
  const millis = (seconds: string) => seconds.replace('Z', '.000Z');
  const attributes = Object.fromEntries(
    (template?.attributes ?? []).flatMap(({ name, kind, fact, optional }) => {
      if (fact === 'template') return [];
      const value = body.attributes[name];
      const isUnknown = value === '' || value === undefined;
      const text = isUnknown ? null : value instanceof NumberToken ? trimDecimal(value.text) : value;
      const { graphql } = KINDS[kind];
      const said =
        text === null
          ? null
          : graphql === 'DateTime'
            ? millis(text)
            : graphql === 'PixKeyType'
              ? text.toUpperCase()
              : text;
      expect(optional || value !== undefined).toBeTruthy();
      return [[camelCase(name), said]];
    }),
  );
  const error = body.error_message;
  return {
    __typename: template?.typeName,
    end2end: body.end2end,
    template: body.template,
    component: body.component,
    state: body.state,
    createdAt: millis(body.created_at),
    updatedAt: millis(body.updated_at),
    status: body.status,
    substatus: body.substatus,
    message: body.message,
    errorMessage: error.en === '' && error.pt === '' ? null : error,
    ...attributes,
  };
}

describe('the same facts on both edges', () => {
  test.each(
    TRANSACTIONS.map(({ template, state, end2end }) => [template, state, end2end]),
  )('a %s in state %s reads the same by REST and by GraphQL', async (template, _state, end2end) => {
    const family = FAMILIES.find((each) => each.family === REGISTRY.find(template)?.family);
    const rest = await app.get(`/v2/${family?.single}/${end2end}`);
    const { json } = await app.graphql(
      `query($id: String!) { transaction(end2end: $id) { ${FIELDS} ${FRAGMENTS} } }`,
      { id: end2end },
    );
    expect(errorsIn(json)).toBeUndefined();
    expect(json.data.transaction).toEqual(inGraphql(rest.text));
  });

  test('the example history has every template', () => {
    expect(new Set(TRANSACTIONS.map(({ template }) => template)).size).toBe(REGISTRY.templates.length);
  });

  test.each(
    FAMILIES.map(({ family, list }) => [family, list]),
  )('the list of %s has the same records and total', async (family, list) => {
    const rest = await app.get(`/v2/${list}?limit=100`);
    const { json } = await app.graphql(
      `{ transactions(families: ${family.toUpperCase()}, first: 100) { totalCount edges { node { ${FIELDS} ${FRAGMENTS} } } } }`,
    );
    expect(json.data.transactions.totalCount).toBe(rest.json.total);
    expect(json.data.transactions.edges).toHaveLength(rest.json.total);
    const ids = json.data.transactions.edges.map((edge: { node: { end2end: string } }) => edge.node.end2end);
    expect(ids).toEqual(rest.json.results.map((result: { end2end: string }) => result.end2end));
  });

  test('the statement has the same lines, amounts and transactions', async () => {
    const rest = await app.get('/v2/statement?limit=100');
    const { json } = await app.graphql(
      `{ statement(first: 100) { totalCount edges { node { number date debit credit previousBalance balance
          ledgerAccount { number name code currencyPrettyName subAccount currency { code } } transaction { end2end } } } } }`,
    );
    const said = json.data.statement.edges.map(({ node }: { node: Record<string, never> }) => node);
    expect(json.data.statement.totalCount).toBe(rest.json.total);
    expect(said).toEqual(
      rest.json.entries.map((entry: (typeof LINES)[number]) => ({
        number: String(entry.id),
        date: entry.date.replace('Z', '.000Z'),
        debit: String(entry.debit),
        credit: String(entry.credit),
        previousBalance: String(entry.previous_balance),
        balance: String(entry.balance),
        ledgerAccount: {
          number: String(entry.account.id),
          name: entry.account.name,
          code: entry.account.code,
          currencyPrettyName: entry.account.currency_pretty_name,
          subAccount: entry.account.name.split(' ').at(-1),
          currency: { code: entry.account.currency },
        },
        transaction: entry.transaction && { end2end: entry.transaction.end2end },
      })),
    );
  });

  test('the balances are the same', async () => {
    const rest = await app.get('/v2/balance');
    const { json } = await app.graphql(
      '{ balances { currency { asset displayName } available inTransit toReceive blocked calculatedBrl } }',
    );
    const [{ currency, ...held }] = json.data.balances;
    const same = rest.json.balances[currency.asset][currency.displayName];
    expect(held).toEqual({
      available: String(same.available),
      inTransit: String(same.in_transit),
      toReceive: String(same.to_receive),
      blocked: String(same.blocked),
      calculatedBrl: String(same.calculated_BRL_balance),
    });
  });
});

describe('relations', () => {
  test.each(
    TRANSACTIONS.map(({ template, end2end }) => [template, end2end]),
  )('ledgerLines of a %s are its statement entries', async (_template, id) => {
    const { json } = await app.graphql(
      'query($id: String!) { transaction(end2end: $id) { ledgerLines { number transaction { end2end } } } }',
      { id },
    );
    const lines = LINES.filter((line) => line.transaction === id);
    expect(json.data.transaction.ledgerLines).toEqual(
      lines.map((line) => ({ number: String(line.id), transaction: { end2end: id } })),
    );
  });

  test('events of a transaction are in order, with the labels of their steps', async () => {
    const [{ end2end }] = TRANSACTIONS;
    await app.owner.query(
      `with head as (update account_head set event_seq = 2 where account_id = $1)
       insert into event (account_id, seq, name, transaction_id, sequence, component, state, occurred_at, payload)
       select account_id, n, 'crossramp_checkout.quote.' || lower(s), id, n, 'quote', s, created_at, '{}'
         from transaction, unnest(array['QUOTE', 'ACCEPTED']) with ordinality u(s, n) where account_id = $1 and end2end = $2`,
      [app.accountId, end2end],
    );
    const { json } = await app.graphql(
      'query($id: String!) { transaction(end2end: $id) { events { sequence name status { pt } substatus { en } } } }',
      { id: end2end },
    );
    expect(json.data.transaction.events).toEqual([
      {
        sequence: 1,
        name: 'crossramp_checkout.quote.quote',
        status: { pt: 'Criado' },
        substatus: { en: 'Quote Ready' },
      },
      {
        sequence: 2,
        name: 'crossramp_checkout.quote.accepted',
        status: { pt: 'Criado' },
        substatus: { en: 'Quote Accepted' },
      },
    ]);
  });

  test('node returns the record of a global id, and null for the id of another type', async () => {
    const [{ end2end }] = TRANSACTIONS;
    const { json } = await app.graphql('query($id: String!) { transaction(end2end: $id) { id } }', {
      id: end2end,
    });
    const { id } = json.data.transaction;
    const other = Buffer.from(`Onramp:${end2end}`).toString('base64url');
    const answer = await app.graphql(
      'query($id: ID!, $other: ID!) { node(id: $id) { id ... on Transaction { end2end } } wrong: node(id: $other) { id } none: node(id: "?") { id } }',
      { id, other },
    );
    expect(answer.json.data).toEqual({ node: { id, end2end }, wrong: null, none: null });
  });

  test('a list shows fees, customer, reference and end of each without asking for its type; null where a template has none', async () => {
    for (const { family } of FAMILIES) {
      const { json } = await app.graphql(
        `{ transactions(families: ${family.toUpperCase()}) { nodes { end2end fees externalCode clientName expiration source { amount currency { code } } target { amount currency { code } } ${FRAGMENTS} } } }`,
      );
      const { nodes } = json.data.transactions;
      expect(nodes.length).toBeGreaterThan(0);
      const typed = await app.graphql(
        `{ transactions(families: ${family.toUpperCase()}) { nodes { end2end ${FRAGMENTS} } } }`,
      );
      for (const [index, node] of nodes.entries()) {
        const own = typed.json.data.transactions.nodes[index];
        for (const name of ['fees', 'externalCode', 'clientName', 'expiration'])
          expect(node[name]).toBe(own[name] ?? null);
        expect(node.source === null || (node.source.amount && node.source.currency.code)).toBeTruthy();
      }
    }
    const { json } = await app.graphql(
      '{ transactions(families: WITHDRAWALS) { nodes { fees externalCode clientName expiration } } }',
    );
    for (const node of json.data.transactions.nodes)
      expect(node).toEqual({ fees: null, externalCode: null, clientName: null, expiration: null });
  });

  test('money with an unknown amount is null as a whole; its currency is known', async () => {
    const { json } = await app.graphql(
      'mutation { createCheckout(input: { currency: "USDT_TRX" }) { transaction { source { amount } target { amount } sourceCurrency { code } targetCurrency { code } } errors { code message path } } }',
    );
    expect(json.data.createCheckout.transaction).toEqual({
      source: null,
      target: null,
      sourceCurrency: { code: 'BRL' },
      targetCurrency: { code: 'USDT_TRX' },
    });
  });

  test('balances at a time are those after the last line until then', async () => {
    const { json } = await app.graphql(
      'query($at: DateTime) { balances(at: $at) { available inTransit toReceive } }',
      { at: '2026-05-02T13:04:30Z' },
    );
    expect(json.data.balances).toEqual([{ available: '207.063509', inTransit: '100', toReceive: '0' }]);
  });

  test('the catalogue has every currency with its decimals', async () => {
    const { json } = await app.graphql('{ currencies { code decimals network } }');
    expect(json.data.currencies).toHaveLength(13);
    expect(json.data.currencies).toContainEqual({ code: 'USDT_BSC', decimals: 18, network: 'BSC' });
    expect(json.data.currencies).toContainEqual({ code: 'BRL', decimals: 2, network: null });
  });
});

describe('paging', () => {
  test('a walk over the statement by cursor sees every line once, newest first', async () => {
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const { json } = await app.graphql(
        'query($after: String) { statement(first: 4, after: $after) { pageInfo { hasNextPage hasPreviousPage endCursor startCursor } edges { cursor node { number } } } }',
        { after },
      );
      const { pageInfo, edges } = json.data.statement;
      expect(pageInfo.hasPreviousPage).toBe(after !== null);
      expect(pageInfo.startCursor).toBe(edges[0].cursor);
      seen.push(...edges.map((edge: { node: { number: string } }) => edge.node.number));
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    } while (after);
    expect(seen).toEqual(LINES.map((line) => String(line.id)).reverse());
  });

  test('a walk over a list by cursor returns every transaction once, also with a filter', async () => {
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const { json } = await app.graphql(
        'query($after: String) { transactions(families: ONRAMPS, filter: { dateTo: "2026-05-03" }, first: 1, after: $after) { totalCount pageInfo { hasNextPage endCursor } edges { node { end2end } } } }',
        { after },
      );
      const { pageInfo, edges, totalCount } = json.data.transactions;
      expect(totalCount).toBe(3);
      seen.push(...edges.map((edge: { node: { end2end: string } }) => edge.node.end2end));
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    } while (after);
    const rest = await app.get('/v2/onramps');
    expect(seen).toEqual(rest.json.results.map((result: { end2end: string }) => result.end2end));
  });

  test.each([
    ['first: 101', 'first'],
    ['first: -1', 'first'],
    ['after: "nonsense"', 'after'],
    ['after: "Q1JYMA"', 'after'],
    ['filter: { dateFrom: "2026-05-02", dateTo: "2026-05-01" }', 'filter.dateFrom'],
    ['filter: { pixE2e: "" }', 'filter.pixE2e'],
    ['filter: { targetCurrency: "NOPE_NOPE" }', 'filter.targetCurrency'],
  ])('C-12, C-13: transactions(%s) is refused and names %s', async (args, parameter) => {
    const { json } = await app.graphql(`{ transactions(families: ONRAMPS, ${args}) { totalCount } }`);
    const [{ extensions }] = errorsIn(json);
    expect(extensions.code).toBe('INVALID_PARAMETER');
    expect(extensions.violations[0].parameter).toBe(parameter);
    expect(extensions.requestId).toMatch(/./);
  });

  test.each([
    ['first: 101', 'INVALID_PARAMETER'],
    ['after: "MA"', 'INVALID_PARAMETER'],
    ['filter: { currency: "usdt" }', 'INVALID_PARAMETER'],
    ['filter: { subAccount: frozen }', 'BAD_REQUEST'],
  ])('C-6, C-12, C-13: statement(%s) is refused with %s', async (args, code) => {
    const { json } = await app.graphql(`{ statement(${args}) { totalCount } }`);
    expect(errorsIn(json)[0].extensions.code).toBe(code);
  });
});

test('the schema has every attribute of every template, and the labels', () => {
  const document = parse(`{ transaction(end2end: "x") { ${FIELDS} ${FRAGMENTS} } }`);
  expect(validate(buildSchema(REGISTRY), document)).toEqual([]);
});

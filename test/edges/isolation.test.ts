/**
 * Goal: nothing of another account can be read, on any path, field or relation. Method: account B holds a history whose
 * every text is a canary; account A asks for it in every way that the route table and the schema offer, and no answer
 * holds a canary, nor differs from that of a record that does not exist.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { importAccount } from '../../src/resolvers/history/import-account.ts';
import { FAMILIES } from '../../src/rest-compat/families.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { useApp } from '../support/app.ts';
import { HISTORY } from '../support/sandbox.ts';

const app = useApp();
const CANARY = 'CANARY';
/** Ids and texts of B; ledger account and line ids are those of A's own history, which B may have too. */
const FOREIGN = HISTORY.replaceAll('"CRX', `"CRX${CANARY}`)
  .replaceAll('shop.example', `${CANARY.toLowerCase()}.example`)
  .replaceAll('Ana Souza', `Ana ${CANARY}`)
  .replaceAll('52998224725', '98765432100')
  .replaceAll('wl-treasury', `wl-${CANARY}`)
  .replaceAll('2.1.1.100.', '2.1.1.999.');
const RECORDS = FOREIGN.trim()
  .split('\n')
  .map((line) => JSON.parse(line));
const TRANSACTIONS = RECORDS.filter(({ type }) => type === 'transaction');
let foreignKey: string;

beforeAll(async () => {
  const { accountId, apiKey } = await app.addAccount();
  foreignKey = apiKey;
  await importAccount(app.database, REGISTRY, accountId, 'foreign.ndjson', FOREIGN.split('\n'));
  await app.owner.query(
    `with head as (
       update account_head set event_seq = (select count(*) from transaction where account_id = $1) where account_id = $1
     )
     insert into event (account_id, seq, name, transaction_id, sequence, component, state, occurred_at, payload)
     select account_id, row_number() over (order by id), '${CANARY}', id, 1, 'x', 'y', now(), '${CANARY}' from transaction where account_id = $1`,
    [accountId],
  );
});

const holdsCanary = (text: string) =>
  text.toUpperCase().includes(CANARY) || text.includes('98765432100') || text.includes('2.1.1.999.');

test('the canaries are there for their own account', async () => {
  for (const path of ['/v2/statement', ...FAMILIES.map(({ list }) => `/v2/${list}`)]) {
    const { text } = await app.get(`${path}?limit=100`, { key: foreignKey });
    expect(holdsCanary(text), path).toBe(true);
  }
});

describe('REST', () => {
  test.each(
    TRANSACTIONS.flatMap(({ end2end }) => FAMILIES.map(({ single }) => [single, end2end])),
  )('C-15: GET /v2/%s/%s answers as if it were missing', async (single, id) => {
    const foreign = await app.get(`/v2/${single}/${id}`, { headers: { 'x-request-id': 'same' } });
    const missing = await app.get(`/v2/${single}/CRX${'0'.repeat(26)}`, {
      headers: { 'x-request-id': 'same' },
    });
    expect(foreign.status).toBe(404);
    expect(foreign.text).toBe(missing.text);
    const headers = (answer: typeof foreign) => [...answer.headers].filter(([name]) => name !== 'date');
    expect(headers(foreign)).toEqual(headers(missing));
  });

  test.each(
    FAMILIES.flatMap(({ list, filters }) =>
      Object.keys(filters)
        .filter((name) => !name.startsWith('date'))
        .map((name) => [list, name] as const),
    ),
  )('GET /v2/%s?%s=<value of the other account> finds nothing of it', async (list, name) => {
    const values = TRANSACTIONS.flatMap(({ attributes }) =>
      Object.values(attributes).filter(
        (value) => typeof value === 'string' && value !== '' && holdsCanary(value),
      ),
    );
    for (const value of new Set(values as string[])) {
      const { status, text } = await app.get(`/v2/${list}?${new URLSearchParams({ [name]: value })}`);
      if (status === 200) expect(JSON.parse(text)).toMatchObject({ total: 0, results: [] });
      else expect(status).toBe(400);
    }
  });

  test.each([
    '/v2/statement',
    '/v2/balance',
    ...FAMILIES.map(({ list }) => `/v2/${list}`),
  ])('GET %s holds nothing of another account', async (path) => {
    const { text, status } = await app.get(`${path}${path.endsWith('balance') ? '' : '?limit=100'}`);
    expect(status).toBe(200);
    expect(holdsCanary(text)).toBe(false);
  });
});

describe('GraphQL', () => {
  test.each(
    TRANSACTIONS.map(({ end2end, template }) => [template, end2end]),
  )('transaction and node give no %s of another account', async (template, id) => {
    const typeName = REGISTRY.find(template)?.typeName;
    const nodeId = Buffer.from(`${typeName}:${id}`).toString('base64url');
    const { json } = await app.graphql(
      'query($id: String!, $node: ID!) { transaction(end2end: $id) { id } node(id: $node) { id } }',
      { id, node: nodeId },
    );
    expect(json.data).toEqual({ transaction: null, node: null });
    const own = await app.graphql(
      'query($node: ID!) { node(id: $node) { id } }',
      { node: nodeId },
      { key: foreignKey },
    );
    expect(own.json.data.node).toEqual({ id: nodeId });
  });

  test.each(
    TRANSACTIONS.map(({ end2end, template }) => [template, end2end]),
  )('the id of a %s of another account is no cursor', async (template, id) => {
    const family = REGISTRY.find(template)?.family.toUpperCase();
    const cursor = Buffer.from(id).toString('base64url');
    const query = `query($after: String) { transactions(families: ${family}, after: $after) { totalCount edges { node { end2end } } } }`;
    const foreign = await app.graphql(query, { after: cursor });
    const missing = await app.graphql(query, { after: Buffer.from('CRXnone').toString('base64url') });
    expect(foreign.json.errors[0].message).toBe(missing.json.errors[0].message);
    expect((await app.graphql(query, { after: cursor }, { key: foreignKey })).json.errors).toBeUndefined();
  });

  test('every field that can be reached from the root holds nothing of another account', async () => {
    const lists = FAMILIES.map(
      ({ family }) =>
        `${family}: transactions(families: ${family.toUpperCase()}, first: 20) { totalCount edges { cursor node { ...T } } }`,
    );
    const { json, text } = await app.graphql(
      `{ ${lists.join(' ')} statement(first: 20) { totalCount edges { node { number ledgerAccount { code name } transaction { ...T } } } }
         balances { available } viewer { account { name accountId } keys { keyId } } }
       fragment T on Transaction { end2end ledgerLines { number ledgerAccount { code } transaction { end2end } } events { name } }`,
    );
    expect(json.errors).toBeUndefined();
    expect(holdsCanary(text)).toBe(false);
    expect(json.data.statement.totalCount).toBe(14);
  });

  test('line ids are the holder’s own: the same number is another line', async () => {
    const query = '{ statement(first: 1) { edges { node { number ledgerAccount { code } } } } }';
    const [mine, theirs] = await Promise.all([
      app.graphql(query),
      app.graphql(query, {}, { key: foreignKey }),
    ]);
    const node = (answer: typeof mine) => answer.json.data.statement.edges[0].node;
    expect(node(mine).number).toBe(node(theirs).number);
    expect(node(mine).ledgerAccount.code).not.toBe(node(theirs).ledgerAccount.code);
  });

  test('keys are listed with the scope admin only, and only the account’s own', async () => {
    const { apiKey } = await app.addKey(app.accountId, ['read']);
    const refused = await app.graphql('{ viewer { keys { keyId } } }', {}, { key: apiKey });
    expect(refused.json.errors[0].extensions.code).toBe('FORBIDDEN');
    expect(refused.json.errors[0].message).toContain('"admin"');
    const { json } = await app.graphql('{ viewer { keys { keyId } } }');
    const { rows } = await app.owner.query('select id from api_key where account_id = $1', [app.accountId]);
    expect(json.data.viewer.keys.map(({ keyId }: { keyId: string }) => keyId).sort()).toEqual(
      rows.map(({ id }) => id).sort(),
    );
  });
});

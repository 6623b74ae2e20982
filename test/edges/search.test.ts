/**
 * C-14, C-15: `search` finds a transaction by whatever somebody has at hand, exact matches first; never a record of another
 * account; and each way is answered by its index.
 */

import { beforeAll, describe, expect, it } from 'vitest';
import { FOUND_MAX, search } from '../../src/resolvers/account/search.ts';
import type { Context } from '../../src/resolvers/services/context.ts';
import type { Database, Statement } from '../../src/store/connection/database.ts';
import { useApp } from '../support/app.ts';
import { insertTransactions, newTransaction } from '../support/records.ts';
import { errorsIn } from '../support/refusals.ts';

const app = useApp();

const HASH = `0x${'ab12'.repeat(16)}`;
const EVM = '0xAbCdEf0123456789aBcDeF0123456789AbCdEf01';
const FACTS = {
  END1: {
    pixE2e: 'E00038166202605011200ck7ueu153th',
    clientName: 'Élodie Araújo',
    clientTaxId: '529.982.247-25',
  },
  END2: { txHash: HASH, wallet: EVM, externalCode: 'Pedido 77', clientName: 'Élodie Silva' },
  END3: {
    depositAddress: 'TMaevXmbYNz1rwX53YGt9FK2wiSmcEq1ut',
    externalCode: 'END1',
    clientTaxId: '12ABC34501DE35',
  },
} as const;

let key: string;
let holder: bigint;

beforeAll(async () => {
  const { accountId, apiKey } = await app.addAccount();
  [holder, key] = [accountId, apiKey];
  const rows = Object.entries(FACTS).map(([end2end, facts], at) =>
    newTransaction({ ...facts, end2end, createdAt: `2026-05-0${at + 1}T00:00:00.000Z` }),
  );
  await app.database.withTx((tx) => insertTransactions(tx, holder, rows));
  await app.owner.query(
    `update transaction set process = '{"txid": "txid0000000000000000000000000001"}' where account_id = $1 and end2end = 'END1'`,
    [String(holder)],
  );
});

const DOCUMENT = `query ($text: String!) { search(text: $text) { match transaction { end2end } whitelistEntry { label target } } }`;
async function find(text: string, apiKey = key) {
  const { json } = await app.graphql(DOCUMENT, { text }, { key: apiKey });
  if (errorsIn(json)) throw new Error(JSON.stringify(errorsIn(json)));
  return json.data.search.map(
    (hit: {
      match: string;
      transaction: { end2end: string } | null;
      whitelistEntry: { label: string } | null;
    }) => `${hit.match} ${hit.transaction?.end2end ?? hit.whitelistEntry?.label}`,
  );
}

describe('finds by', () => {
  it.each([
    [
      'end2end, which goes before a reference of the same text',
      'END1',
      ['END2END END1', 'EXTERNAL_CODE END3'],
    ],
    ['end2end in another case, with blanks around', ' end2 ', ['END2END END2']],
    ['PIX end-to-end id', 'E00038166202605011200ck7ueu153th', ['PIX_E2E END1']],
    ['txid of the charge', 'txid0000000000000000000000000001', ['TXID END1']],
    ['hash', HASH, ['HASH END2']],
    ['hash in upper case, without its prefix', HASH.slice(2).toUpperCase(), ['HASH END2']],
    ['CPF with punctuation', '529.982.247-25', ['TAX_ID END1']],
    ['CPF without', '52998224725', ['TAX_ID END1']],
    ['CNPJ with letters, in lower case', '12.abc.345/01de-35', ['TAX_ID END3']],
    ['address in another case', EVM.toLowerCase(), ['ADDRESS END2']],
    ['deposit address', 'TMaevXmbYNz1rwX53YGt9FK2wiSmcEq1ut', ['ADDRESS END3']],
    ['reference', 'Pedido 77', ['EXTERNAL_CODE END2']],
    ['beginning of a name, newest first', 'élodie', ['NAME END2', 'NAME END1']],
    ['nothing that there is', 'nobody', []],
    ['a pattern, which is only text', '%', []],
  ])('%s', async (_what, text, expected) => {
    expect(await find(text)).toEqual(expected);
  });

  it('destinations of the whitelist: by target, and by the beginning of the label', async () => {
    const made = await app.graphql(
      'mutation { createWhitelistGroup(input: { name: "g" }) { whitelistGroup { id: groupId } errors { code message path } } }',
      {},
      { key },
    );
    const groupId = made.json.data.createWhitelistGroup.whitelistGroup.id;
    const target = { wallet: { network: 'ETH', address: EVM.toLowerCase() } };
    const added = await app.graphql(
      'mutation ($input: AddWhitelistEntryInput!) { addWhitelistEntry(input: $input) { whitelistEntry { id: entryId } errors { code message path } } }',
      { input: { groupId, target, label: 'Treasury' } },
      { key },
    );
    expect(errorsIn(added.json)).toBeUndefined();
    expect(await find('treas')).toEqual(['DESTINATION Treasury']);
    expect(await find(EVM)).toEqual(['ADDRESS END2', 'DESTINATION Treasury']);
  });
});

it('C-15: another account finds nothing of it', async () => {
  const { apiKey } = await app.addAccount();
  for (const text of ['END1', FACTS.END1.pixE2e, HASH, '52998224725', EVM, 'Pedido 77', 'Élodie', 'Treasury'])
    expect(await find(text, apiKey)).toEqual([]);
});

it('C-12: an empty text and a long one are refused by name', async () => {
  for (const text of ['', '  ', 'x'.repeat(201), 'a\0']) {
    const { json } = await app.graphql(DOCUMENT, { text }, { key });
    expect(JSON.stringify(errorsIn(json))).toContain('"parameter":"text"');
  }
});

it('a common name costs no more than a page; nothing is scanned', async () => {
  await app.owner.query(
    `insert into transaction (account_id, id, end2end, template, family, list_seq, component, state, created_at, updated_at, client_name, pix_e2e)
     select $1, n, 'N' || n, 'onramp', 'offramps', n, 'success', 'DONE', timestamptz '2026-01-01Z' + n * interval '1 minute', now(), 'Maria ' || n, 'E' || n
       from generate_series(1000, 21000) n`,
    [String(holder)],
  );
  await app.owner.query('vacuum analyze');
  expect(await find('maria')).toHaveLength(FOUND_MAX);
  const sent: Statement[] = [];
  const query: Database['query'] = (statement, values) => {
    sent.push(statement);
    return app.database.query(statement, values);
  };
  const caller = { accountId: holder, scopes: ['read'] };
  const context = { ...app.services, database: { ...app.database, query }, caller } as unknown as Context;
  await search(context, { name: 'text', value: 'maria' });
  const text = sent.find(({ name }) => name === 'transaction_search')?.text;
  const { rows } = await app.owner.query(`explain (generic_plan, format json) ${text}`);
  const plan = JSON.stringify(rows);
  expect(plan).not.toContain(
    '"Seq Scan","Parent Relationship":"Outer","Parallel Aware":false,"Async Capable":false,"Relation Name":"transaction"',
  );
  for (const index of [
    'tx_hash',
    'deposit_address',
    'name_word',
    'external_code',
    'tax_id',
    'address',
    'txid',
  ])
    expect(plan).toContain(`"transaction_by_${index}"`);
  expect(plan).toContain('"list_pix_pkey"');
});

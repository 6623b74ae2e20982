/**
 * Goal: what the documents show is what the gateway does. Method: the example documents run as typed documents over
 * HTTP on the example history, and their answers are those that stand beside them in docs/examples; `UPDATE=1` writes
 * them anew.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { merchantContract } from '../../src/schema/contracts.ts';
import { buildSchema, schemaText } from '../../src/schema/index.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import {
  ListTransactionsDocument,
  ReadBalancesDocument,
  ReadStatementDocument,
  ReadTransactionDocument,
  type TypedDocumentString,
  ViewerDocument,
} from '../generated/graphql.ts';
import { useApp } from '../support/app.ts';

const app = useApp();
const root = new URL('../../', import.meta.url);

async function run<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
): Promise<Result> {
  const { json } = await app.graphql(document.toString(), variables as Record<string, unknown>);
  expect(json.errors).toBeUndefined();
  return json.data;
}

describe('docs/examples', () => {
  test.each([
    ['transaction', () => run(ReadTransactionDocument, { end2end: 'CRX01KQMY4460FK28WFK4WPN1GZWV' })],
    [
      'transactions',
      () =>
        run(ListTransactionsDocument, {
          families: ['ONRAMPS'],
          filter: { dateFrom: '2026-05-02' },
          first: 2,
        }),
    ],
    [
      'statement',
      () =>
        run(ReadStatementDocument, { filter: { currency: 'USDT_TRX', subAccount: 'available' }, first: 3 }),
    ],
    ['balances', () => run(ReadBalancesDocument, { at: '2026-05-02T13:04:30Z' })],
    ['viewer', () => run(ViewerDocument, {})],
  ])('%s.graphql answers as its .json says', async (name, ask) => {
    const file = new URL(`docs/examples/${name}.json`, root);
    const text = `${JSON.stringify(await ask(), null, 2)}\n`;
    if (process.env.UPDATE) writeFileSync(file, text);
    expect(text).toBe(readFileSync(file, 'utf8'));
  });
});

test('the texts of the schema are those of both contracts (npm run schema writes them)', () => {
  const schema = buildSchema(REGISTRY);
  const textOf = (name: string) => readFileSync(new URL(name, root), 'utf8');
  expect(textOf('schema.operator.graphql')).toBe(schemaText(schema));
  expect(textOf('schema.graphql')).toBe(schemaText(merchantContract(schema)));
});

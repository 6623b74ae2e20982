/** Goal: a fact is named once. Method: the list beside the table that stores it, and beside what templates publish. */
import { expect, it } from 'vitest';
import { TRANSACTION_COLUMNS } from '../../../src/store/engine/transactions.ts';
import { FACTS, type FactName, NO_FACTS } from '../../../src/templates/facts.ts';
import { REGISTRY } from '../../../src/templates/index.ts';
import { useDatabase } from '../../support/database.ts';

const test = useDatabase();
/** Facts that are worked out, or are more than a fact. */
const OTHERS: readonly FactName[] = ['explorerUrl', 'amountDisplay', 'template'];
const TYPES = { text: 'text', decimal: 'numeric', instant: 'timestamp with time zone' } as const;

it('every fact has its column, of its type, and null while it is unknown', async () => {
  const { rows } = await test.owner.query(
    `select column_name as name, data_type as type, is_nullable as "isNullable" from information_schema.columns
      where table_name = 'transaction' and table_schema = 'public'`,
  );
  const columns = new Map(rows.map(({ name, type, isNullable }) => [name, [type, isNullable]]));
  for (const [name, type] of Object.entries(FACTS))
    expect([name, columns.get(TRANSACTION_COLUMNS[name as keyof typeof FACTS])]).toEqual([
      name,
      [TYPES[type], 'YES'],
    ]);
  expect(Object.values(TRANSACTION_COLUMNS).filter((column) => !columns.has(column))).toEqual([]);
});

it('a row without known values has every fact', () => {
  expect(Object.keys(NO_FACTS)).toEqual(Object.keys(FACTS));
  expect(new Set(Object.values(NO_FACTS))).toEqual(new Set([null]));
});

it('every fact is published by a template', () => {
  const published = new Set(
    REGISTRY.templates.flatMap(({ attributes }) => attributes.map(({ fact }) => fact)),
  );
  const names = [...Object.keys(FACTS), ...OTHERS] as FactName[];
  expect([...published].toSorted()).toEqual(names.toSorted());
});

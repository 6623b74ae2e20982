/**
 * Goal: no filter of transactions is declared by halves. Method: the database is asked for its indexes, the schema and the route table for
 * the filters that they have.
 */
import { type GraphQLInputObjectType, isInputObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { restRoutes } from '../../../src/rest-compat/routes.ts';
import { buildSchema } from '../../../src/schema/index.ts';
import { FILTERS, filtersWhere } from '../../../src/store/engine/transaction-filters.ts';
import { REGISTRY } from '../../../src/templates/index.ts';
import { useDatabase } from '../../support/database.ts';

const database = useDatabase();
const POLICY = {
  limitOverflow: 'clamp',
  strictQuery: false,
  exactIntegers: false,
  exactInstants: false,
} as const;

describe('every filter of transactions', () => {
  test('that is not a scan names indexes, all of which the database has', async () => {
    const { rows } = await database.owner.query(
      `select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid where i.indisvalid`,
    );
    const names = new Set(rows.map(({ name }) => name));
    const missing = FILTERS.flatMap(([name, { indexes }]) =>
      indexes.filter((each) => !names.has(each)).map((each) => `${name}: ${each}`),
    );
    expect(missing).toEqual([]);
    expect(FILTERS.filter(([, { reads, indexes }]) => (reads === 'scan') !== (indexes.length === 0))).toEqual(
      [],
    );
  });

  test('that a list of /v2 has finds by an index of the account, the family and the order of the list (C-16)', async () => {
    const { rows } = await database.owner.query(`select indexname as name, indexdef as text from pg_indexes`);
    const texts = new Map(rows.map(({ name, text }) => [name, text]));
    const wrong = FILTERS.flatMap(([name, { parameters, condition, indexes }]) =>
      parameters && condition
        ? indexes
            .filter((each) => !/\(account_id, family, .*list_seq\)/.test(texts.get(each)))
            .map(() => name)
        : [],
    );
    expect(wrong).toEqual([]);
  });

  test('is a member of TransactionFilter or an argument next to it, and nothing else is', () => {
    const schema = buildSchema(REGISTRY);
    const filter = schema.getType('TransactionFilter') as GraphQLInputObjectType;
    expect(isInputObjectType(filter)).toBe(true);
    const members = Object.keys(filter.getFields());
    const [field] = [schema.getQueryType()?.getFields().transactions];
    const parameters = field?.args.map(({ name }) => name) ?? [];
    expect(FILTERS.map(([name]) => name).filter((name) => !members.includes(name))).toEqual(['families']);
    expect(parameters).toContain('families');
    // The zone filters nothing by itself: it says whose days two filters mean.
    expect(members.filter((name) => !FILTERS.some(([each]) => each === name))).toEqual(['zone']);
  });

  test('with parameters is one of the lists of these families, under one name in each', () => {
    const lists = [...restRoutes(REGISTRY, POLICY).values()].flatMap(({ answer, parameters }) =>
      answer.kind === 'list' ? [{ family: answer.family.family, parameters }] : [],
    );
    for (const { family, parameters } of lists) {
      const declared = FILTERS.flatMap(([, { parameters: own = [] }]) =>
        own.filter(({ families }) => families.includes(family)).map(({ name }) => name),
      );
      expect(new Set(declared).size).toBe(declared.length);
      expect(parameters).toEqual(['limit', 'offset', ...declared]);
    }
    expect(lists).toHaveLength(4);
  });

  test('has a name of its own in an export', () => {
    const names = FILTERS.map(([, filter]) => filter.export);
    expect(new Set(names).size).toBe(names.length);
  });

  test('with a condition begins with a letter of its own, which names the prepared statement', () => {
    const letters = filtersWhere(({ condition, parameters }) => Boolean(condition && parameters)).map(
      (name) => name.charAt(0),
    );
    expect(new Set([...letters, 's']).size).toBe(letters.length + 1);
  });
});

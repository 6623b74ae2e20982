/** Records of `/v2` other than transactions: one list of members gives their JSON and their schema. */

import { type ExactJson, NumberToken } from '../base/text/exact-json.ts';
import { type Instant, isoMillis } from '../base/time/instant.ts';
import type { Context } from '../resolvers/services/context.ts';

type Schema = Readonly<Record<string, unknown>>;

interface RecordMember<Row> {
  readonly schema: Schema;
  readonly of: (row: Row, context: Context) => ExactJson;
}

/** A kind of record: its name among the schemas, and its members in their order. */
export interface RecordShape<Row> {
  readonly name: string;
  readonly members: Readonly<Record<string, RecordMember<Row>>>;
}

/** @returns a record as JSON. */
export function recordJson<Row>({ members }: RecordShape<Row>, row: Row, context: Context): ExactJson {
  return Object.fromEntries(Object.entries(members).map(([name, { of }]) => [name, of(row, context)]));
}

/** @returns the schema of a record. */
export function recordSchema({ members }: RecordShape<never>): Schema {
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(members).map(([name, { schema }]) => [name, schema])),
    required: Object.keys(members),
    additionalProperties: false,
  };
}

/** @returns functions that make members of a kind of record, each from its description and its reader. */
export function membersOf<Row>() {
  type Read<Value> = (row: Row, context: Context) => Value;
  const member =
    <Value>(type: string, json: (value: Value) => ExactJson, fixed: Schema = {}) =>
    (description: string, of: Read<Value>, more: Schema = {}): RecordMember<Row> => ({
      schema: { type, ...fixed, description, ...more },
      of: (row, context) => json(of(row, context)),
    });
  /** Functions for members that may be null. */
  const orNull =
    <Value>(make: (description: string, of: Read<Value>, more?: Schema) => RecordMember<Row>) =>
    (description: string, of: Read<Value | null>, more?: Schema): RecordMember<Row> => {
      const { schema, of: json } = make(description, of as Read<Value>, more);
      return {
        schema: { ...schema, type: [schema.type, 'null'] },
        of: (row, context) => (of(row, context) === null ? null : json(row, context)),
      };
    };
  const text = member<string>('string', (value) => value);
  const count = member<number>('integer', (value) => new NumberToken(String(value)));
  const time = member<Instant>('string', isoMillis, { format: 'date-time' });
  return {
    text,
    count,
    time,
    decimal: orNull(member<string>('number', (value) => new NumberToken(value))),
    flag: member<boolean>('boolean', (value) => value),
    texts: member<readonly string[]>('array', (value) => value, { items: { type: 'string' } }),
    textOrNull: orNull(text),
    countOrNull: orNull(count),
    timeOrNull: orNull(time),
    records: <Inner>(
      description: string,
      shape: RecordShape<Inner>,
      of: Read<readonly Inner[]>,
    ): RecordMember<Row> => ({
      schema: { type: 'array', description, items: { $ref: `#/components/schemas/${shape.name}` } },
      of: (row, context) => of(row, context).map((each) => recordJson(shape, each, context)),
    }),
  };
}

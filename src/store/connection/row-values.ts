/** Values and rows of answers: `int8` is bigint, `jsonb` is parsed, `numeric` and times stay text. */
import pg from 'pg';

const { INT8, JSONB, BOOL, INT2, INT4, BYTEA } = pg.types.builtins;
const TEXT_ARRAY = 1009;

type Parser = (text: string) => unknown;

/** @returns the parser of a type; undefined for types that stay text. */
export function parserOf(type: number): Parser | undefined {
  switch (type) {
    case INT8:
      return BigInt;
    case JSONB:
      return JSON.parse;
    case BOOL:
    case INT2:
    case INT4:
    case BYTEA:
    case TEXT_ARRAY:
      return pg.types.getTypeParser(type as number);
    default:
      return undefined;
  }
}

/** Parsers for the driver, which parses values itself. */
export const PLAIN_TYPES = {
  getTypeParser: (type: number) => parserOf(type) ?? ((text: string) => text),
} as pg.CustomTypesConfig;

/**
 * @param names - names of the columns.
 * @param parsers - parsers of the unparsed columns.
 * @returns a function whose source text contains the object literal that it returns, which is several times faster than
 * setting properties one by one. Columns such as `transaction.id` and `transaction.state` become members of an object
 * `transaction`, which is null if its first member is: an outer join without a match.
 */
export function rowBuilder<Value>(
  names: readonly string[],
  parsers: readonly (Parser | undefined)[] = [],
): (values: readonly Value[]) => object {
  const value = (i: number) => (parsers[i] ? `t[${i}] === null ? null : p[${i}](t[${i}])` : `t[${i}]`);
  const groups = Map.groupBy(names.keys(), (i) => {
    const name = names[i] as string;
    const point = name.indexOf('.');
    return point < 0 ? name : name.slice(0, point);
  });
  const members = [...groups].map(([name, of]) => {
    const first = of[0] as number;
    if (names[first] === name) return `${JSON.stringify(name)}: ${value(of.at(-1) as number)}`;
    const inner = of.map((i) => `${JSON.stringify(names[i]?.slice(name.length + 1))}: ${value(i)}`);
    return `${JSON.stringify(name)}: t[${first}] === null ? null : { ${inner.join(', ')} }`;
  });
  return new Function('p', `return (t) => ({ ${members.join(', ')} })`)(parsers);
}

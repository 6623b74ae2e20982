/** Lists in the order of their ids, newest first, whose slices know the total. */
import type { Statement, Tx } from './database.ts';

/** A slice of a list, newest first unless backward. */
export interface IdSlice {
  readonly limit: number;
  /** Only records with a smaller or a greater id. */
  readonly below: bigint | null;
  readonly above: bigint | null;
  readonly isBackward: boolean;
  /** Number of records before the slice; 0 by default. */
  readonly skip?: number;
}

/** The records of a slice, and whether the list has further records on either side of its bounds. */
export interface IdPart<Row> {
  readonly rows: readonly Row[];
  /** Total number of records, counted on request. */
  readonly total: () => Promise<bigint>;
  readonly hasNewer: boolean;
  readonly hasOlder: boolean;
}

/** Results of counting. */
interface Counts {
  readonly total: bigint;
  /** Whether the list has records outside of the bounds of the slice. */
  readonly hasNewer: boolean;
  readonly hasOlder: boolean;
}

const NOTHING: Counts = { total: 0n, hasNewer: false, hasOlder: false };

/** A list in SQL. */
export interface IdListParts {
  /** Prefix of the names of its statements. */
  readonly name: string;
  /** Id column, such as `n.id`. */
  readonly id: string;
  readonly columns: string;
  /** Tables with their joins, and conditions on the parameters from $1 on. */
  readonly from: string;
  readonly where: string;
  /** Number of parameters of the conditions. */
  readonly filters: number;
  /** Part of `from` that the conditions need. @default `from` */
  readonly countedFrom?: string;
}

/** Reads a slice of a list; the values are those of its conditions. */
export type ReadIdList<Row> = (
  database: Tx,
  values: readonly unknown[],
  slice: IdSlice,
) => Promise<IdPart<Row>>;

/** @returns the reader of a list. */
export function idList<Row>({
  name,
  id,
  columns,
  from,
  where,
  filters,
  countedFrom = from,
}: IdListParts): ReadIdList<Row> {
  const [below, above, limit, skip] = [1, 2, 3, 4].map((parameter) => `$${filters + parameter}`);
  const page = (order: 'asc' | 'desc'): Statement => ({
    name: `${name}_page_${order}`,
    text: `select ${columns} from ${from} where ${where}
        and (${below}::bigint is null or ${id} < ${below}) and (${above}::bigint is null or ${id} > ${above})
      order by ${id} ${order} limit ${limit} offset ${skip}`,
  });
  const [forward, backward] = [page('desc'), page('asc')];
  const count: Statement = {
    name: `${name}_count`,
    text: `select count(*) as total, coalesce(bool_or(${id} >= ${below}), false) as "hasNewer",
        coalesce(bool_or(${id} <= ${above}), false) as "hasOlder"
      from ${countedFrom} where ${where}`,
  };
  return async (database, values, slice) => {
    const bounds = [...values, slice.below, slice.above];
    const passed = slice.skip ?? 0;
    let counting: Promise<Counts> | undefined;
    const counted = () => {
      counting ??= database.query<Counts>(count, bounds).then(([counts]) => counts ?? NOTHING);
      return counting;
    };
    // A slice that begins with the list has no records before it.
    const isWithin = slice.below !== null || slice.above !== null || passed > 0;
    const [rows, { total, hasNewer, hasOlder }] = await Promise.all([
      database.query<Row>(slice.isBackward ? backward : forward, [...bounds, slice.limit, passed]),
      isWithin ? counted() : NOTHING,
    ]);
    return {
      rows,
      total: async () => (await counted()).total,
      hasNewer: hasNewer || (passed > 0 && total > 0n),
      hasOlder,
    };
  };
}

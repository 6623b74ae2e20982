/**
 * SQL of the positions of lists within days: `$1` is the account, `$2` the families, `$3` and `$4` the first and last day, or
 * null.
 */
import { BRASILIA, type Zone } from '../../base/time/zone.ts';

const midnight = (day: string) => `(${day})::timestamp at time zone '${BRASILIA}'`;
/** UTC days that contain the days of Brasília, which begin and end some hours later. */
const WIDE = 'list_window($1, f.family, $3::date, $4::date + 1)';

/** SQL of the positions of list `f`, `lo` to `hi`, within the days of each zone; `newest` is that of the UTC days. */
export const WINDOWS: Readonly<Record<Zone, string>> = {
  UTC: 'list_window($1, f.family, $3::date, $4::date)',
  'America/Sao_Paulo': `(select u.hi as newest,
        case when $3::date is null then u.lo else
          list_place($1, f.family, u.lo, u.hi, ${midnight('$3::date')}, '') + 1 end as lo,
        case when $4::date is null then u.hi else
          list_place($1, f.family, u.lo, u.hi, ${midnight('$4::date + 1')}, '') end as hi
      from ${WIDE} u)`,
};

/** SQL of the record of a number, in the days of each zone. Records of the UTC days that are newer than the last day are passed over. */
export const NTHS: Readonly<Record<Zone, (n: string) => string>> = {
  UTC: (n) => `list_nth($1, $2, $3::date, $4::date, ${n})`,
  'America/Sao_Paulo': (
    n,
  ) => `(select list_nth($1, $2, $3::date, $4::date + 1, (sum(w.newest - w.hi) + least(sum(w.hi - w.lo + 1), ${n}))::bigint)
      from unnest($2::text[]) f(family) cross join lateral ${WINDOWS['America/Sao_Paulo']} w
     having sum(w.hi - w.lo + 1) > 0)`,
};

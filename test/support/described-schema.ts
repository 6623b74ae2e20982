/**
 * Description of a schema from PostgreSQL's catalog, one line for each fact, so that two databases can be compared. Left out: names of
 * not-null constraints and of columns of indexes, to which nothing refers; whether a check was validated against rows from before it; and
 * comments, which stand in the SQL.
 */
import type pg from 'pg';

const IN_SCHEMA = `= 'public'::regnamespace`;
const OWN_TABLES = `c.relnamespace ${IN_SCHEMA} and c.relname not like '\\_prisma%'`;
/** Grants, in one order: PostgreSQL keeps them in the order of the statements. */
const grants = (acl: string) =>
  `coalesce((select string_agg(g, ',' order by g) from unnest(${acl}::text[]) g), 'default')`;

/** One statement for each kind of object; each gives rows of one text. */
const STATEMENTS: Readonly<Record<string, string>> = {
  schema: `select ${grants('nspacl')} as line from pg_namespace where oid ${IN_SCHEMA}
    union all select 'temporary ' || has_database_privilege('crossramp_app', current_database(), 'temporary')
    union all select 'default grants ' || defaclobjtype::text || ' ' || ${grants('defaclacl')} from pg_default_acl`,
  relation: `select format('%s %s %s options %s rows %s/%s replica %s key %s bound %s grants %s', c.relkind, c.relname, c.relpersistence,
      coalesce((select string_agg(o, ',' order by o) from unnest(c.reloptions) o), ''), c.relrowsecurity, c.relforcerowsecurity, c.relreplident,
      case c.relkind when 'p' then pg_get_partkeydef(c.oid) end, pg_get_expr(c.relpartbound, c.oid), ${grants('c.relacl')}) as line
    from pg_class c where ${OWN_TABLES} and c.relkind <> 'i'`,
  column: `select format('%s %s %s %s %s default %s generated "%s" identity "%s" storage %s compression "%s" target %s collation %s options %s grants %s',
      c.relname, row_number() over (partition by c.oid order by a.attnum), case when c.relkind in ('i', 'I') then '' else a.attname end, format_type(a.atttypid, a.atttypmod),
      case when a.attnotnull then 'not null' else 'null' end, pg_get_expr(d.adbin, d.adrelid), a.attgenerated, a.attidentity, a.attstorage,
      a.attcompression, coalesce(a.attstattarget, -1), (select collname from pg_collation where oid = a.attcollation), a.attoptions::text,
      ${grants('a.attacl')}) as line
    from pg_class c join pg_attribute a on a.attrelid = c.oid left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where ${OWN_TABLES} and c.relkind in ('r', 'p', 'v', 'm', 'i', 'I') and a.attnum > 0 and not a.attisdropped`,
  sequence: `select format('%s %s start %s min %s max %s by %s cycle %s cache %s', c.relname, s.seqtypid::regtype, s.seqstart, s.seqmin, s.seqmax,
      s.seqincrement, s.seqcycle, s.seqcache) as line from pg_sequence s join pg_class c on c.oid = s.seqrelid where ${OWN_TABLES}`,
  constraint: `select format('%s %s %s', c.relname, k.conname, replace(pg_get_constraintdef(k.oid), ' NOT VALID', '')) as line
    from pg_constraint k join pg_class c on c.oid = k.conrelid where ${OWN_TABLES} and k.contype <> 'n'`,
  index: `select format('%s valid %s replica %s clustered %s', pg_get_indexdef(i.indexrelid), i.indisvalid, i.indisreplident, i.indisclustered) as line
    from pg_index i join pg_class c on c.oid = i.indrelid where ${OWN_TABLES}`,
  function: `select format('%s grants %s', pg_get_functiondef(p.oid), ${grants('p.proacl')}) as line
    from pg_proc p where p.pronamespace ${IN_SCHEMA}`,
  trigger: `select format('%s enabled %s', pg_get_triggerdef(t.oid), t.tgenabled) as line
    from pg_trigger t join pg_class c on c.oid = t.tgrelid where ${OWN_TABLES} and not t.tgisinternal`,
  view: `select c.relname || ' ' || pg_get_viewdef(c.oid) as line from pg_class c where ${OWN_TABLES} and c.relkind in ('v', 'm')`,
  policy: `select tablename || ' ' || policyname || ' ' || coalesce(qual, '') || ' ' || coalesce(with_check, '') as line from pg_policies where schemaname = 'public'`,
  statistics: `select pg_get_statisticsobjdef(oid) as line from pg_statistic_ext where stxnamespace ${IN_SCHEMA}`,
  type: `select typname || ' ' || typtype::text as line from pg_type where typnamespace ${IN_SCHEMA} and typtype in ('d', 'e', 'r')`,
};

/** @returns lines such as `column account 1 id bigint not null …`, sorted. */
export async function describedSchema(client: pg.ClientBase): Promise<string[]> {
  const lines: string[] = [];
  for (const [kind, statement] of Object.entries(STATEMENTS)) {
    const { rows } = await client.query<{ line: string }>(statement);
    lines.push(...rows.map((row) => `${kind} ${row.line}`));
  }
  return lines.sort();
}

/** Subquery with the identifier and the timeline of the server; some managed servers do not disclose them. */
export const PRESENT_SERVER = `(select (pg_control_system()).system_identifier::text as system,
  ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int as timeline)`;

/**
 * Figures of the database server. Every role can read connections and slots; statements and replicas only if the restricted
 * role was granted `pg_read_all_stats`.
 */
import type { Statement, Tx } from '../connection/database.ts';
import { STATISTICS_ROLE } from '../connection/logins.ts';

/** Connections of the server, over all databases. */
export interface ConnectionFigures {
  readonly used: number;
  /** Maximum number of connections of logins without special rights. */
  readonly max: number;
}

/** Age of the oldest statement and of the oldest transaction on this database; null where the role may not see them. Unit: seconds. */
export interface ActivityFigures {
  readonly statement: number | null;
  readonly transaction: number | null;
}

/** A replica that streams. Null if unknown to the server. */
export interface ReplicaFigures {
  readonly replica: string;
  /** Delay in seconds with which it applies changes. */
  readonly lag: number | null;
  /** Unit: bytes. */
  readonly behind: bigint | null;
  /** Part of `behind` that the replica has received. Unit: bytes. */
  readonly unapplied: bigint | null;
}

/** Replicas of the server. Null on a standby, and where the role may not see them. */
export interface ReplicaCount {
  readonly connected: number | null;
}

/** A replication slot: the server stores the write-ahead log that its consumer has not read. */
export interface SlotFigures {
  readonly slot: string;
  readonly active: number;
  /** Unit: bytes. */
  readonly retained: bigint;
}

/** Months of the event log. */
export interface MonthFigures {
  /** Number of the next two months that have a table. */
  readonly ahead: number;
}

/** End of the write-ahead log, also on a standby. */
const END_OF_LOG =
  'case when pg_is_in_recovery() then pg_last_wal_receive_lsn() else pg_current_wal_lsn() end';
const IS_SEEN = `pg_has_role('${STATISTICS_ROLE}', 'usage')`;
const ageOf = (oldest: string) =>
  `case when ${IS_SEEN} then greatest(coalesce(extract(epoch from clock_timestamp() - ${oldest}), 0), 0)::int end`;

const CONNECTIONS: Statement = {
  name: 'figures_connections',
  text: `select (select coalesce(sum(numbackends), 0)::int from pg_stat_database) as used,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true), '0')::int as max`,
};
const ACTIVITY: Statement = {
  name: 'figures_activity',
  text: `select ${ageOf("min(query_start) filter (where state = 'active')")} as statement, ${ageOf('min(xact_start)')} as transaction
    from pg_stat_activity where backend_type = 'client backend' and datname = current_database() and pid <> pg_backend_pid()`,
};
const REPLICAS: Statement = {
  name: 'figures_replicas',
  text: `select application_name as replica, max(extract(epoch from replay_lag))::int as lag,
      max(greatest(pg_wal_lsn_diff(${END_OF_LOG}, replay_lsn), 0))::bigint as behind,
      max(greatest(pg_wal_lsn_diff(flush_lsn, replay_lsn), 0))::bigint as unapplied
    from pg_stat_replication where state in ('streaming', 'catchup') group by application_name`,
};
/** Replicas that have reported what they applied: an archive of the log reports nothing, and a subscription is connected to a database. */
const REPLICA_COUNT: Statement = {
  name: 'figures_replica_count',
  text: `select case when ${IS_SEEN} and not pg_is_in_recovery() then count(*) filter (where replay_lsn is not null
      and a.datname is null)::int end as connected
    from pg_stat_replication r join pg_stat_activity a using (pid)`,
};
const SLOTS: Statement = {
  name: 'figures_slots',
  text: `select slot_name::text as slot, active::int as active, greatest(pg_wal_lsn_diff(${END_OF_LOG}, restart_lsn), 0)::bigint as retained
    from pg_replication_slots where restart_lsn is not null`,
};

/** A month without its own table is in the default table, from which it cannot be dropped separately. */
const MONTHS: Statement = {
  name: 'figures_months',
  text: `select count(*)::int as ahead from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'event'::regclass and c.relname ~ '^event_[0-9]{6}$'
      and to_date(right(c.relname, 6), 'YYYYMM') between (now() at time zone 'UTC')::date + 1 and (now() at time zone 'UTC')::date + 62`,
};

/** Figures of the server by name: the rows of one statement. */
export const SERVER_FIGURES = {
  connections: (tx: Tx) => tx.query<ConnectionFigures>(CONNECTIONS, []),
  activity: (tx: Tx) => tx.query<ActivityFigures>(ACTIVITY, []),
  replicas: (tx: Tx) => tx.query<ReplicaFigures>(REPLICAS, []),
  replicaCount: (tx: Tx) => tx.query<ReplicaCount>(REPLICA_COUNT, []),
  months: (tx: Tx) => tx.query<MonthFigures>(MONTHS, []),
  slots: (tx: Tx) => tx.query<SlotFigures>(SLOTS, []),
} as const;

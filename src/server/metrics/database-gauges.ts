/** The figures of the database as gauges: one table of names, labels and help texts. */
import { Gauge, type Registry } from 'prom-client';
import type { FIGURES, FigureGroup } from '../../store/metrics/figures.ts';
import type { DatabaseFigures } from './figure-reader.ts';

type Row<Group extends FigureGroup> = Awaited<ReturnType<(typeof FIGURES)[Group]>>[number];

/** A gauge: its name after `crossramp_`, its help text, and the member with its value. */
type Shown<Columns> = readonly [name: string, help: string, column: keyof Columns];

interface ShownGroup<Columns> {
  readonly labels: readonly (keyof Columns & string)[];
  readonly gauges: readonly Shown<Columns>[];
}

/**
 * Maximum number of samples of one gauge. Names of the code and of the configuration are its labels, so only a mistake
 * reaches this limit.
 */
const SAMPLES_MAX = 500;

const GAUGES: { readonly [Group in FigureGroup]: ShownGroup<Row<Group>> } = {
  jobs: {
    labels: ['mode', 'kind'],
    gauges: [
      ['jobs_due', 'Jobs that are due and not done, by kind; 10,000 of a mode are counted at most.', 'due'],
      ['jobs_oldest_seconds', 'For how long the oldest of the due jobs has been due.', 'oldest'],
      ['jobs_failing', 'Jobs that have failed three times or more and are not done, by kind.', 'failing'],
    ],
  },
  relay: {
    labels: ['mode'],
    gauges: [
      ['relay_accounts_behind', 'Accounts with events that are no webhook deliveries yet.', 'accounts'],
      ['relay_events_behind', 'Events that are no webhook deliveries yet.', 'events'],
      ['relay_lag_seconds', 'Age of the oldest of these events.', 'lag'],
    ],
  },
  turns: {
    labels: ['mode'],
    gauges: [
      [
        'webhook_overdue_seconds',
        'For how long the sender could have sent to the endpoint that waits longest.',
        'overdue',
      ],
    ],
  },
  deliveries: {
    labels: ['mode', 'state'],
    gauges: [
      [
        'webhook_deliveries',
        'Webhook deliveries that have not ended: due, waiting for their time, under way, or of an endpoint that is failing or paused; 20,000 are counted at most.',
        'count',
      ],
      ['webhook_deliveries_oldest_seconds', 'Age of the oldest of these deliveries.', 'oldest'],
    ],
  },
  endpoints: {
    labels: ['mode', 'state'],
    gauges: [['webhook_endpoints', 'Webhook endpoints by state.', 'count']],
  },
  reports: {
    labels: ['mode', 'rail'],
    gauges: [
      ['rail_report_age_seconds', 'Age of the last report of a rail, among the newest 10,000.', 'age'],
    ],
  },
  unsettled: {
    labels: ['mode', 'rail'],
    gauges: [
      ['rail_reports_unsettled', 'Reports of a rail that are not settled, up to 10,000 in all.', 'count'],
    ],
  },
  networks: {
    labels: ['mode', 'network'],
    gauges: [
      ['network_head_age_seconds', 'Age of the newest block of a network that was read.', 'age'],
      [
        'network_trouble_seconds',
        'For how long a network could not be read, or its blocks do not fit; 0 while all is well.',
        'trouble',
      ],
      ['transfers_oldest_seconds', 'Age of the oldest transfer on a network that has not ended.', 'unended'],
      ['network_paused', '1 while sending on a network is paused.', 'paused'],
    ],
  },
  statements: {
    labels: ['mode'],
    gauges: [
      [
        'pix_statement_age_seconds',
        'Age of the last whole reading of the statement of the PIX provider.',
        'age',
      ],
    ],
  },
  restores: {
    labels: ['mode', 'rail'],
    gauges: [
      [
        'rail_stopped_seconds',
        'For how long a rail has sent nothing after a restore of the database; 0 once it is cleared.',
        'stopped',
      ],
      ['unknown_payments', 'Payments of before the restore that wait for a decision.', 'open'],
    ],
  },
  rates: {
    labels: ['mode', 'asset'],
    gauges: [['rate_age_seconds', 'Age of the newest rate of an asset.', 'age']],
  },
  suspense: {
    labels: ['mode'],
    gauges: [
      ['suspense_open', 'Entries in suspense that wait for a person.', 'open'],
      ['suspense_oldest_seconds', 'Age of the oldest of these entries.', 'oldest'],
    ],
  },
  screening: {
    labels: ['mode'],
    gauges: [
      ['screening_hits_open', 'Hits of screening that wait for a person, 10,000 at most.', 'open'],
      ['screening_hits_oldest_seconds', 'Age of the oldest of these hits.', 'oldest'],
    ],
  },
  screeningLists: {
    labels: ['mode', 'list'],
    gauges: [
      ['screening_list_age_seconds', 'Age of the file of a screening list that is in use.', 'age'],
      [
        'screening_list_refused',
        '1 while the newest file of a list is refused, and an older version is used.',
        'refused',
      ],
    ],
  },
  med: {
    labels: ['mode'],
    gauges: [
      ['med_cases_open', 'Cases of MED that wait for an answer, 10,000 at most.', 'open'],
      [
        'med_case_due_seconds',
        'Time until the first of these cases has to be answered, 0 once it is over; missing where none waits.',
        'left',
      ],
    ],
  },
  ledger: {
    labels: ['mode'],
    gauges: [
      [
        'ledger_imbalances',
        'Currencies of accounts whose ledger balances do not sum to zero; anything but 0 is a defect.',
        'imbalanced',
      ],
    ],
  },
  verify: {
    labels: [],
    gauges: [
      [
        'verify_new_age_seconds',
        'Age of the newest time up to which everything posted is verified.',
        'newAge',
      ],
      ['verify_round_age_seconds', 'Age of the oldest verification of a whole account.', 'roundAge'],
      ['verify_defects', 'Defects of the books; anything but 0 is damage.', 'defects'],
    ],
  },
  size: { labels: [], gauges: [['database_size_bytes', 'Size of the database on disk.', 'bytes']] },
  months: {
    labels: [],
    gauges: [
      ['event_months_ahead', 'Coming months, of the next two, that have a table of the event log.', 'ahead'],
    ],
  },
  connections: {
    labels: [],
    gauges: [
      ['server_connections_used', 'Connections that the database server has, over all databases.', 'used'],
      [
        'server_connections_max',
        'Connections that the server may have, without those reserved for its administrators.',
        'max',
      ],
    ],
  },
  activity: {
    labels: [],
    gauges: [
      [
        'longest_statement_seconds',
        'For how long the oldest statement on the database has run.',
        'statement',
      ],
      [
        'longest_transaction_seconds',
        'For how long the oldest transaction on the database has been open.',
        'transaction',
      ],
    ],
  },
  replicas: {
    labels: ['replica'],
    gauges: [
      ['replica_lag_seconds', 'Seconds by which a streaming replica applies changes late.', 'lag'],
      ['replica_lag_bytes', 'Write-ahead log that a streaming replica has not applied.', 'behind'],
      [
        'replica_unapplied_bytes',
        'Write-ahead log that a streaming replica has received and not applied.',
        'unapplied',
      ],
    ],
  },
  replicaCount: {
    labels: [],
    gauges: [
      [
        'replicas_connected',
        'Replicas that the primary sends its write-ahead log to and that apply it.',
        'connected',
      ],
    ],
  },
  slots: {
    labels: ['slot'],
    gauges: [
      ['replication_slot_active', '1 while a replica reads from a replication slot.', 'active'],
      [
        'replication_slot_retained_bytes',
        'Write-ahead log that the server keeps for a replication slot.',
        'retained',
      ],
    ],
  },
};

/**
 * Adds the gauges to a registry.
 *
 * @returns the function that sets them.
 */
export function databaseGauges(registry: Registry): (figures: DatabaseFigures) => void {
  const registers = [registry];
  const up = new Gauge({
    name: 'crossramp_database_up',
    help: '1 when the last read of figures reached the database.',
    registers,
  });
  const read = new Gauge({
    name: 'crossramp_figures_read',
    help: '1 where a group of figures was read; 0 where the server refused it, or took too long.',
    labelNames: ['group'],
    registers,
  });
  const shown = Object.entries(GAUGES).flatMap(([group, { labels, gauges }]) =>
    gauges.map(([name, help, column]) => {
      const gauge = new Gauge({ name: `crossramp_${name}`, help, labelNames: labels, registers });
      return { group: group as FigureGroup, labels, column, gauge };
    }),
  );
  /** A gauge without labels would otherwise be 0, which may mean that all is well. */
  const clear = () => {
    for (const { gauge, labels } of shown) labels.length === 0 ? gauge.remove() : gauge.reset();
  };
  clear();
  // State before the first read: neither up nor down.
  up.remove();
  return ({ isUp, rows }) => {
    up.set(isUp ? 1 : 0);
    read.reset();
    for (const [group, found] of rows) read.set({ group }, found ? 1 : 0);
    clear();
    for (const { group, labels, column, gauge } of shown)
      for (const row of (rows.get(group) ?? []).slice(0, SAMPLES_MAX))
        if (row[column] !== null)
          gauge.set(
            Object.fromEntries(labels.map((label) => [label, String(row[label])])),
            Number(row[column]),
          );
  };
}

/** Figures of the process itself, collected on request: none of them needs the database. */
import { statfsSync } from 'node:fs';
import { Counter, collectDefaultMetrics, Gauge, type Registry } from 'prom-client';
import { ACCOUNT_MODES } from '../../base/access/account-mode.ts';
import { eventLoopLag } from '../../base/process/event-loop.ts';
import type { Services } from '../../resolvers/services/context.ts';
import type { ReadReplicas, ReplicaStatus } from '../../store/account/read-replicas.ts';
import type { ReadCounts } from '../answers/read-source.ts';

const PREFIX = 'crossramp_';
const LAG = `${PREFIX}nodejs_eventloop_lag_p99_seconds`;
/** Default metrics that walk all sockets of the process. */
const UNWANTED = ['handles', 'requests', 'resources'];

/** Parts of a cell that are observed as soon as they exist. */
export interface Watched {
  readonly services: Pick<Services, 'database' | 'forMode'>;
  readonly streams: { readonly size: number };
  readonly reads?: Readonly<ReadCounts>;
  readonly replicas?: Pick<ReadReplicas, 'status'> | undefined;
}

/** Facts about the installation. */
export interface Installation {
  /** Folder of the process, whose disk is measured. */
  readonly home: string;
  /** Size of the disk of the database, if the settings name it. Unit: bytes. */
  readonly databaseBytes: number | null;
  /** Number of replicas that the database should have, if the settings name it. */
  readonly replicas: number | null;
}

/** Adds the figures of the process to a registry. */
export function processGauges(registry: Registry, droppedLines: () => number): void {
  collectDefaultMetrics({ register: registry, prefix: PREFIX });
  for (const name of UNWANTED) {
    registry.removeSingleMetric(`${PREFIX}nodejs_active_${name}`);
    registry.removeSingleMetric(`${PREFIX}nodejs_active_${name}_total`);
  }
  // Each scrape resets the default metric, so two readers would hide turns from each other.
  registry.removeSingleMetric(LAG);
  new Gauge({
    name: LAG,
    help: 'Delay of the event loop that one in a hundred requests exceeds, whenever it arrives, in the last 15 to 30 seconds.',
    registers: [registry],
    collect() {
      this.set(eventLoopLag());
    },
  });
  new Counter({
    name: `${PREFIX}log_lines_dropped_total`,
    help: 'Log lines that standard error did not take in time.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(droppedLines());
    },
  });
}

/** Adds the figures of a cell in this process to a registry. @param watched - undefined while the cell starts. */
export function cellGauges(registry: Registry, watched: () => Watched | undefined): void {
  const registers = [registry];
  const add = (name: string, help: string, read: (all: Watched) => number): void => {
    new Gauge({
      name: `${PREFIX}${name}`,
      help,
      registers,
      collect() {
        const all = watched();
        if (all) this.set(read(all));
      },
    });
  };
  const poolUse = ({ services }: Watched) => services.database.poolUse();
  add('streams_open', 'Event streams and exports that are open.', ({ streams }) => streams.size);
  add('pool_connections_max', 'Database connections that the pool may have.', (all) => poolUse(all).max);
  add('pool_connections_open', 'Database connections that the pool has.', (all) => poolUse(all).open);
  add('pool_connections_used', 'Database connections that work.', (all) => poolUse(all).used);
  add('pool_waiting', 'Callers that wait for a database connection.', (all) => poolUse(all).waiting);
  add(
    'clock_ahead_seconds',
    'How far the clock of this machine is ahead of the clock of the database; negative where it is behind.',
    ({ services }) => services.database.wallAheadMs() / 1_000,
  );
  certificateGauge(registry, watched);
  replicaGauges(registry, watched);
}

/** Adds the figures of disks, and what the settings say of the database. The folder may not exist while the process starts. */
export function installationGauges(
  registry: Registry,
  { home, databaseBytes, replicas }: Installation,
): void {
  const registers = [registry];
  const add = (name: string, help: string, blocksOf: (found: ReturnType<typeof statfsSync>) => number) => {
    new Gauge({
      name: `${PREFIX}${name}`,
      help,
      registers,
      collect() {
        this.remove();
        try {
          const found = statfsSync(home);
          this.set(Number(found.bsize) * blocksOf(found));
        } catch {
          // Without a sample, no alert rule fires.
        }
      },
    });
  };
  add('disk_size_bytes', 'Size of the disk that holds CROSSRAMP_HOME.', ({ blocks }) => Number(blocks));
  add('disk_free_bytes', 'Free space on that disk for the user of the process.', ({ bavail }) =>
    Number(bavail),
  );
  const set = (name: string, help: string, value: number | null) => {
    const gauge = new Gauge({ name: `${PREFIX}${name}`, help, registers });
    if (value === null) gauge.remove();
    else gauge.set(value);
  };
  set('database_disk_bytes', 'Size of the disk of the database, as DATABASE_DISK_GB says.', databaseBytes);
  set('replicas_expected', 'Replicas that the database should have, as DATABASE_REPLICAS says.', replicas);
}

/** Adds the figures of reads on standbys. */
function replicaGauges(registry: Registry, watched: () => Watched | undefined): void {
  const registers = [registry];
  new Counter({
    name: `${PREFIX}proved_reads_total`,
    help: 'Reads that a standby may answer, by the server that did.',
    labelNames: ['server'],
    registers,
    collect() {
      this.reset();
      for (const [server, count] of Object.entries(watched()?.reads ?? {})) this.inc({ server }, count);
    },
  });
  const add = (name: string, help: string, read: (status: ReplicaStatus) => number | null) => {
    new Gauge({
      name: `${PREFIX}${name}`,
      help,
      labelNames: ['replica'],
      registers,
      collect() {
        this.reset();
        for (const status of watched()?.replicas?.status() ?? []) {
          const value = read(status);
          if (value !== null) this.set({ replica: status.address }, value);
        }
      },
    });
  };
  add(
    'read_replica_in_use',
    '1 while a standby of REPLICA_URLS may answer reads; missing for a server that takes the writes.',
    ({ isInUse, isPrimary }) => (isPrimary ? null : Number(isInUse)),
  );
  add('read_replica_behind_seconds', 'Age of the newest mark that a standby has shown.', ({ behindMs }) =>
    behindMs === null ? null : behindMs / 1_000,
  );
}

function certificateGauge(registry: Registry, watched: () => Watched | undefined): void {
  new Gauge({
    name: `${PREFIX}certificate_seconds_left`,
    help: 'Time until a certificate of a rail ends; negative once it has ended.',
    labelNames: ['mode', 'rail', 'certificate'],
    registers: [registry],
    collect() {
      const services = watched()?.services;
      if (!services) return;
      for (const mode of ACCOUNT_MODES)
        for (const { name: rail, part } of services.forMode(mode).railParts)
          for (const { name: certificate, endsAtMs } of part.certificates?.() ?? [])
            this.set({ mode, rail, certificate }, (endsAtMs - services.database.nowMs()) / 1_000);
    },
  });
}

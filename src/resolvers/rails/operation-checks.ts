/** Checks of operation for `doctor` and the console: backlogs, the database server, disks. Figures and bounds are those of the alerts. */

import { existsSync, statfsSync } from 'node:fs';
import { ACCOUNT_MODES, type Times } from '../../base/access/account-mode.ts';
import type { Tx } from '../../store/connection/database.ts';
import { isDatabaseUnreachable } from '../../store/connection/database-error.ts';
import type { VerifyState } from '../../store/ledger/verify-state.ts';
import type {
  EndpointWaits,
  FigureGroup,
  JobFigures,
  LedgerFigures,
  RelayFigures,
} from '../../store/metrics/figures.ts';
import { type FigureRows, readFigures } from '../../store/metrics/read-figures.ts';
import type {
  ActivityFigures,
  ConnectionFigures,
  MonthFigures,
  ReplicaCount,
  ReplicaFigures,
  SlotFigures,
} from '../../store/metrics/server-figures.ts';
import { type Context, requirePlatform, type Services } from '../services/context.ts';
import type { Check } from '../services/rail-part.ts';
import { examineProcess, figuresOfProcess } from './process-checks.ts';

type State = Omit<Check, 'check'>;

const GROUPS = [
  'jobs',
  'relay',
  'turns',
  'connections',
  'activity',
  'replicas',
  'replicaCount',
  'slots',
  'months',
  'verify',
  'size',
] as const satisfies readonly FigureGroup[];
const JOB_SECONDS_MAX = 300;
const RELAY_SECONDS_MAX = 60;
const OVERDUE_SECONDS_MAX = 120;
const WORKER_SECONDS_MAX = 60;
const STATEMENT_SECONDS_MAX = 30;
const TRANSACTION_SECONDS_MAX = 300;
const REPLICA_SECONDS_MAX = 30;
const RETAINED_BYTES_MAX = 4e9;
const CONNECTIONS_SHARE_MAX = 0.9;
const NEW_SECONDS_MAX = 120;
const ROUND_SECONDS_MAX = 2 * 86_400;
const FREE_SHARE_MIN = 0.1;
const DATABASE_SHARE_MAX = 0.85;

/** @returns a function that reads the time of each mode in a transaction. */
export function timesOf({ forMode }: Pick<Services, 'forMode'>): (tx: Tx) => Promise<Times> {
  return async (tx) => ({
    sandbox: await forMode('sandbox').clock.nowMs(tx),
    live: await forMode('live').clock.nowMs(tx),
  });
}

/** @returns the checks of this process and its installation. @throws {GatewayError} `FORBIDDEN` without a scope of the platform. */
export async function operationChecks(context: Context): Promise<readonly Check[]> {
  requirePlatform(context);
  return [...(await examineOperation(context)), ...examineProcess(figuresOfProcess(context.database))];
}

/** @returns the checks, in the order of the runbook. */
export async function examineOperation(
  services: Pick<Services, 'database' | 'forMode' | 'installation'>,
): Promise<readonly Check[]> {
  // A database that is too busy to answer in time is seen here: the checks say so, and the other parts of a page are shown.
  const figures: FigureRows = await readFigures(services.database, timesOf(services), GROUPS).catch(
    (error: unknown) => {
      if (!isDatabaseUnreachable(error)) throw error;
      return new Map();
    },
  );
  const [connections] = rowsOf<ConnectionFigures>(figures, 'connections') ?? [];
  const [activity] = rowsOf<ActivityFigures>(figures, 'activity') ?? [];
  const [months] = rowsOf<MonthFigures>(figures, 'months') ?? [];
  const [verify] = rowsOf<VerifyState>(figures, 'verify') ?? [];
  const [size] = rowsOf<{ readonly bytes: bigint }>(figures, 'size') ?? [];
  return [
    ...ACCOUNT_MODES.map((mode) => ({ check: `jobs of ${mode} accounts`, ...jobsState(figures, mode) })),
    ...ACCOUNT_MODES.map((mode) => ({
      check: `webhooks of ${mode} accounts`,
      ...webhooksState(figures, mode),
    })),
    { check: 'worker', ...(verify ? workerState(verify) : UNREAD) },
    { check: 'connection slots', ...(connections ? connectionsState(connections) : UNREAD) },
    { check: 'statements', ...(activity ? activityState(activity) : UNREAD) },
    { check: 'replicas', ...replicasState(figures, services.installation.replicas) },
    { check: 'event log', ...(months ? monthsState(months) : UNREAD) },
    { check: 'verify', ...(verify ? verifyState(verify) : UNREAD) },
    { check: 'disk', ...diskState(services.installation, size ? Number(size.bytes) : null) },
  ];
}

/** Sums the ledger, which reads a table as a whole: `doctor` does it, and the console does not at each look. */
export async function examineLedger(services: Pick<Services, 'database' | 'forMode'>): Promise<Check> {
  const figures = await readFigures(services.database, timesOf(services), ['ledger']);
  const found = rowsOf<LedgerFigures>(figures, 'ledger');
  // A ledger that is too large to be summed in time is no defect: the alert on unread figures reports it.
  if (!found)
    return { check: 'ledger', ok: true, detail: 'not summed in time: crossramp verify recomputes it' };
  const imbalanced = sum(found.map((row) => row.imbalanced));
  return {
    check: 'ledger',
    ok: imbalanced === 0,
    detail:
      imbalanced === 0
        ? 'all currencies of all accounts sum to zero'
        : `currencies of accounts that do not sum to zero: ${imbalanced} (crossramp verify names them)`,
  };
}

const UNREAD: State = { ok: false, detail: 'cannot be read' };

/** @returns undefined where the server refused it, or did not answer in time. */
function rowsOf<Row>(figures: FigureRows, group: FigureGroup): readonly Row[] | undefined {
  return (figures.get(group) as readonly Row[] | null | undefined) ?? undefined;
}

function jobsState(figures: FigureRows, mode: string): State {
  const jobs = rowsOf<JobFigures>(figures, 'jobs')?.filter((row) => row.mode === mode);
  if (!jobs) return UNREAD;
  const waiting = jobs.filter((row) => row.due > 0).toSorted((a, b) => b.oldest - a.oldest);
  const due = sum(jobs.map((row) => row.due));
  const kinds = waiting.map((row) => `${row.kind}: ${row.due}, the oldest for ${row.oldest} s`).join('; ');
  const failing = sum(jobs.map((row) => row.failing));
  const oldest = Math.max(0, ...jobs.map((row) => row.oldest));
  const failed = failing === 0 ? '' : `; ${failing} failed three times or more (crossramp job list --failed)`;
  return {
    ok: oldest <= JOB_SECONDS_MAX && failing === 0,
    detail: `${due === 0 ? 'none is due' : `${due} due (${kinds})`}${failed}`,
  };
}

function webhooksState(figures: FigureRows, mode: string): State {
  const relay = rowsOf<RelayFigures>(figures, 'relay')?.find((row) => row.mode === mode);
  const waits = rowsOf<EndpointWaits>(figures, 'turns')?.find((row) => row.mode === mode);
  if (!relay || !waits) return UNREAD;
  const lag = Math.round(relay.lag);
  return {
    ok: lag <= RELAY_SECONDS_MAX && waits.overdue <= OVERDUE_SECONDS_MAX,
    detail: `${relay.events} events are not relayed, the oldest for ${lag} s; the sender is ${waits.overdue} s late`,
  };
}

/** The verification of the books is the work that never pauses, so its lease shows whether any process works. */
function workerState({ newAge, isLeased }: VerifyState): State {
  if (isLeased) return { ok: true, detail: 'a process with ROLE=work or all runs' };
  if (newAge === null) return { ok: true, detail: 'no process with ROLE=work or all has run yet' };
  return {
    ok: newAge <= WORKER_SECONDS_MAX,
    detail: `no process with ROLE=work or all has run for ${newAge} s: start one`,
  };
}

function connectionsState({ used, max }: ConnectionFigures): State {
  return { ok: used / max <= CONNECTIONS_SHARE_MAX, detail: `${used} of ${max} are used` };
}

function activityState({ statement, transaction }: ActivityFigures): State {
  if (statement === null || transaction === null)
    return { ok: true, detail: 'not visible: grant pg_read_all_stats to crossramp_app' };
  return {
    ok: statement <= STATEMENT_SECONDS_MAX && transaction <= TRANSACTION_SECONDS_MAX,
    detail: `the oldest runs for ${statement} s, the oldest transaction is open for ${transaction} s`,
  };
}

function replicasState(figures: FigureRows, expected: number | null): State {
  const replicas = rowsOf<ReplicaFigures>(figures, 'replicas');
  const slots = rowsOf<SlotFigures>(figures, 'slots');
  const connected = rowsOf<ReplicaCount>(figures, 'replicaCount')?.[0]?.connected;
  if (!replicas || !slots || connected === undefined) return UNREAD;
  const parts = [
    ...(expected === null ? [] : [countState(connected, expected)]),
    ...replicas.map(replicaState),
    ...slots.map(({ slot, active, retained }) => ({
      ok: active === 1 && Number(retained) <= RETAINED_BYTES_MAX,
      detail: `slot ${slot} ${active === 1 ? 'is read' : 'has no reader'}, ${gigabytes(Number(retained))} are kept for it`,
    })),
  ];
  if (parts.length === 0) return { ok: true, detail: 'none that is visible' };
  return { ok: parts.every(({ ok }) => ok), detail: parts.map(({ detail }) => detail).join('; ') };
}

function countState(connected: number | null, expected: number): State {
  if (connected === null)
    return { ok: true, detail: 'their number is not visible: grant pg_read_all_stats to crossramp_app' };
  return { ok: connected >= expected, detail: `${connected} of ${expected} are connected` };
}

/** A late replica either gets its changes late, or has them and does not apply them: the remedies differ. */
export function replicaState({ replica, lag, behind, unapplied }: ReplicaFigures): State {
  const late = `${replica} is ${lag ?? 0} s late`;
  if ((lag ?? 0) <= REPLICA_SECONDS_MAX) return { ok: true, detail: late };
  const isStill = Number(unapplied ?? 0) * 2 > Number(behind ?? 0);
  return {
    ok: false,
    detail: `${late}: ${isStill ? 'it has the changes and does not apply them' : 'the changes do not reach it'}`,
  };
}

function monthsState({ ahead }: MonthFigures): State {
  return {
    ok: ahead > 0,
    detail:
      ahead > 0
        ? `has tables for the next ${ahead} months`
        : 'has no table for the next month: a process with ROLE=work or all makes them',
  };
}

function verifyState({ newAge, roundAge, defects, first }: VerifyState): State {
  const found =
    defects === 0 ? 'no defect' : `defects: ${defects}, the first: ${first} (crossramp verify names all)`;
  if (newAge === null)
    return { ok: defects === 0, detail: `has not begun: a process with ROLE=work or all does it; ${found}` };
  const round = Math.floor((roundAge ?? 0) / 3_600);
  return {
    ok: defects === 0 && newAge <= NEW_SECONDS_MAX && (roundAge ?? 0) <= ROUND_SECONDS_MAX,
    detail: `${found}; postings are verified up to ${newAge} s ago, every account within ${round + 1} hours`,
  };
}

function diskState(
  { home, databaseBytes: databaseDiskBytes }: Services['installation'],
  databaseBytes: number | null,
): State {
  const disk = home === null ? undefined : diskOf(home);
  const size = databaseBytes === null ? 'not known' : gigabytes(databaseBytes);
  const limit = databaseDiskBytes === null ? '' : ` of ${gigabytes(databaseDiskBytes)}`;
  const isDatabaseFull =
    databaseDiskBytes !== null && (databaseBytes ?? 0) > DATABASE_SHARE_MAX * databaseDiskBytes;
  const there = disk
    ? `${gigabytes(disk.free)} of ${gigabytes(disk.all)} are free at ${home}`
    : `${home ?? 'the folder'} is not there`;
  return {
    ok: (disk === undefined || disk.free >= FREE_SHARE_MIN * disk.all) && !isDatabaseFull,
    detail: `${there}; the database has ${size}${limit}`,
  };
}

/** @returns undefined where there is no such folder: with a database elsewhere, a command needs none. */
function diskOf(home: string): { readonly free: number; readonly all: number } | undefined {
  if (!existsSync(home)) return undefined;
  const found = statfsSync(home);
  return { free: found.bavail * found.bsize, all: found.blocks * found.bsize };
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(bytes < 1e9 ? 3 : 1)} GB`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

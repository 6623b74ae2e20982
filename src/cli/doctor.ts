/** `crossramp doctor`. */
import { Command } from 'commander';
import { ACCOUNT_MODES } from '../base/access/account-mode.ts';
import { millisOf } from '../base/time/instant.ts';
import { checkKeyFile } from '../compose/secret-keys.ts';
import { readConfig } from '../config.ts';
import { examineLedger, examineOperation } from '../resolvers/rails/operation-checks.ts';
import { clockState } from '../resolvers/rails/process-checks.ts';
import { checkRails, type NamedCheck } from '../resolvers/rails/rail-checks.ts';
import { healthOfRails, type RailHealth } from '../resolvers/rails/rail-health.ts';
import { reconciliationChecks } from '../resolvers/rails/reconciliation-checks.ts';
import { restoreChecks } from '../resolvers/rails/restored-rails.ts';
import type { Services } from '../resolvers/services/context.ts';
import type { Check, NamedRail } from '../resolvers/services/rail-part.ts';
import type { Rails } from '../resolvers/services/rails.ts';
import { hasLiveAccount } from '../store/account/accounts.ts';
import type { Database, Statement } from '../store/connection/database.ts';
import { readLogin } from '../store/connection/logins.ts';
import { noticesRestores } from '../store/rails/restores.ts';
import { examineArchive } from './archive-check.ts';
import { answer, jsonOption } from './output.ts';
import { createOwnDatabase, isOwnFailure, type OwnDatabase } from './own-database.ts';
import { examineRunning } from './process-check.ts';
import { examineReplicas } from './replica-check.ts';
import { secretsKeyFile, withServices } from './with-store.ts';

const SERVER: Statement = {
  name: 'doctor_server',
  text: `select current_setting('server_version') as version, current_user::text as role, current_database()::text as database,
    current_setting('synchronous_commit') as "synchronousCommit",
    has_table_privilege(current_user, 'ledger_line', 'update') as "mayChangeHistory",
    current_setting('transaction_read_only') = 'on' as "isReadOnly"`,
};

interface Server {
  readonly version: string;
  readonly role: string;
  readonly database: string;
  readonly synchronousCommit: string;
  readonly mayChangeHistory: boolean;
  /** A standby, or a server whose failover is under way. */
  readonly isReadOnly: boolean;
}

/** Processes that are stuck while no checker runs. */
const VERDICTS = {
  identity: 'no onramp and no offramp can be created',
  screening: 'no transaction can be created',
};

/** Checks whether this installation can run. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description(
      'Checks settings, runtime, database, clock, running process, key file, backlogs, disk, standbys, archive and rails; fails when a check fails.',
    )
    .addOption(jsonOption())
    .action(async (options: { json?: boolean }) => {
      const own = createOwnDatabase();
      const checks = await withServices(async (services) => {
        const [server] = await services.database.query<Server>(SERVER, []);
        return [
          ...examine(server as Server),
          { check: 'clock', ...clockState(services.database.wallAheadMs() / 1_000) },
          await examineLogin(services.database),
          { check: 'key file', ...(await checkKeyFile(services.database, secretsKeyFile())) },
          ...(await examineOperation(services)),
          await examineLedger(services),
          ...(await examineRunning(readConfig(process.env).metrics)),
          ...(await examineReplicas(services.database, readConfig(process.env))),
          ...(await examineArchive(services.database, readConfig(process.env))),
          ...(await examineRestores(services.database)),
          ...(await examineHealth(services)),
          // The rails are last, because this check waits for providers.
          ...(await examineRails(services, own)),
        ];
      }, own.watch);
      const text = checks
        .map(({ check, ok, detail }) => `${ok ? 'ok  ' : 'FAIL'}  ${check}: ${detail}`)
        .join('\n');
      answer(options, { ok: checks.every(({ ok }) => ok), checks }, text);
      if (checks.some(({ ok }) => !ok)) process.exitCode = 1;
    });
}

/** One login is enough for a sandbox. With a live account, a stolen gateway must not be able to rewrite history. */
async function examineLogin(database: Database): Promise<Check> {
  const { login, isOwner } = await readLogin(database, readConfig(process.env).databaseSchema);
  const advice = isOwner
    ? ', which can become the owner of the tables: give the gateway a login of its own (docs/operations.md, Two logins)'
    : ', which cannot become the owner of the tables';
  const ok = !isOwner || !(await hasLiveAccount(database));
  return { check: 'login', ok, detail: `signs in as ${login}${advice}` };
}

/** Names a server under which a restore does not stop rails automatically; reports nothing elsewhere. */
async function examineRestores(database: Database): Promise<Check[]> {
  if (await noticesRestores(database)) return [];
  const detail =
    'the server does not disclose its timeline, so that no restore is noticed: run `crossramp restored begin` after each (docs/backup.md)';
  return [{ check: 'restores', ok: !(await hasLiveAccount(database)), detail }];
}

/** Status that the rails of RAILS_FILE report. */
async function examineRails(services: Services, { watchPace }: OwnDatabase): Promise<Check[]> {
  const reported = ACCOUNT_MODES.map(async (mode) => {
    const own = services.forMode(mode);
    const { railParts, rails } = own;
    const others = [...(await reconciliationChecks(own)), ...(await restoreChecks(own))];
    const checked = await checkRails(railParts, watchPace());
    const checks = [...checked, ...uncheckedIn(railParts, rails), ...others];
    return checks.map(({ rail, check, ...found }) => ({ check: `${mode} ${rail}: ${check}`, ...found }));
  });
  return namingDatabase((await Promise.all(reported)).flat());
}

/** Reports checks that failed by the gateway's own database as one failure of the database. */
function namingDatabase(checks: readonly Check[]): Check[] {
  const unchecked = checks.filter(isOwnFailure);
  const [first] = unchecked;
  if (!first) return [...checks];
  const names = unchecked.map(({ check }) => check).join(', ');
  const others = checks.filter((each) => !isOwnFailure(each));
  return [...others, { check: 'database', ok: false, detail: `${first.detail}; this concerns ${names}` }];
}

/** Figures of the rails that have figures, as the console shows them. */
async function examineHealth(services: Services): Promise<Check[]> {
  const found = ACCOUNT_MODES.map(async (mode) => {
    const own = services.forMode(mode);
    const [health, nowMs] = await Promise.all([healthOfRails(own), own.clock.nowMs()]);
    return health.filter(hasFigures).map((each) => ({
      check: `${mode} ${each.rail}: figures`,
      ok: each.failingOrders === 0,
      detail: healthText(each, nowMs),
    }));
  });
  return (await Promise.all(found)).flat();
}

function hasFigures({
  lastEventAt,
  unsettledEvents,
  pendingOrders,
  failingOrders,
  lastDay,
}: RailHealth): boolean {
  return lastEventAt !== null || lastDay !== null || unsettledEvents + pendingOrders + failingOrders > 0;
}

function healthText(
  { lastEventAt, unsettledEvents, pendingOrders, failingOrders, lastDay }: RailHealth,
  nowMs: number,
): string {
  const seconds = (ms: number | null) => (ms === null ? '–' : `${(ms / 1_000).toFixed(1)} s`);
  const age = lastEventAt && Math.max(0, Math.round((nowMs - millisOf(lastEventAt)) / 1_000));
  return [
    age === null ? 'no report' : `the last report is ${age} s old`,
    `${unsettledEvents} unsettled`,
    `${pendingOrders} orders due, ${failingOrders} failing`,
    lastDay
      ? `in 24 hours ${lastDay.done} done, ${lastDay.failed} failed, half of them in ${seconds(lastDay.medianMs)}, 95 % in ${seconds(lastDay.p95Ms)}`
      : 'none ended in 24 hours',
  ].join('; ');
}

/** Identity and origin of money must be checked, or the check switched off explicitly: otherwise no ramp is created. */
function uncheckedIn(
  parts: readonly NamedRail[],
  { missing = [] }: Pick<Rails, 'missing'>,
): readonly NamedCheck[] {
  if (parts.length === 0) return [];
  return Object.entries(VERDICTS).flatMap(([rail, words]) =>
    missing.includes(rail)
      ? [
          {
            rail,
            check: 'configured',
            ok: false,
            detail: `missing, so ${words}; "off" says that nobody is judged`,
          },
        ]
      : [],
  );
}

function examine(server: Server): Check[] {
  const config = readConfig(process.env);
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return [
    { check: 'node', ok: major > 24 || (major === 24 && minor >= 12), detail: process.versions.node },
    { check: 'settings', ok: true, detail: `listens on ${config.host}:${config.port}, home ${config.home}` },
    {
      check: 'database',
      ok: !server.isReadOnly,
      detail: `${server.database} on PostgreSQL ${server.version}${server.isReadOnly ? ', which is read-only now: a standby, or a failover under way' : ''}`,
    },
    // Opening the store has applied the migrations; if that failed, the command has ended with the reason.
    { check: 'schema', ok: true, detail: 'up to date' },
    {
      check: 'role',
      ok: !server.mayChangeHistory,
      detail: `works as ${server.role}${server.mayChangeHistory ? ', which may change history' : ''}`,
    },
    {
      check: 'commit',
      ok: server.synchronousCommit !== 'off',
      detail: `synchronous_commit ${server.synchronousCommit}`,
    },
  ];
}

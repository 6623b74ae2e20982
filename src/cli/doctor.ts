/** `crossramp doctor`. */
import { Command } from 'commander';
import { ACCOUNT_MODES } from '../base/access/account-mode.ts';
import { checkKeyFile } from '../compose/secret-keys.ts';
import { readConfig } from '../config.ts';
import { CLOCK_OFF_MS } from '../resolvers/engine/watch-clock.ts';
import { checkRails, type NamedCheck } from '../resolvers/rails/rail-checks.ts';
import { reconciliationChecks } from '../resolvers/rails/reconciliation-checks.ts';
import type { Services } from '../resolvers/services/context.ts';
import type { NamedRail } from '../resolvers/services/rail-part.ts';
import type { Rails } from '../resolvers/services/rails.ts';
import { hasLiveAccount } from '../store/account/accounts.ts';
import type { Database, Statement } from '../store/connection/database.ts';
import { readLogin } from '../store/connection/logins.ts';
import { examineArchive } from './archive-check.ts';
import { examineOperation } from './doctor-operation.ts';
import { answer, jsonOption } from './output.ts';
import { namingItsFailures } from './own-database.ts';
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

interface Check {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** Processes that stand still without a checker. */
const VERDICTS = {
  identity: 'no onramp and no offramp can be created',
  screening: 'no transaction can be created',
};

/** Checks whether this installation can run. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description(
      'Checks settings, runtime, database, key file, backlogs, disk, standbys, archive and rails; fails when a check fails.',
    )
    .addOption(jsonOption())
    .action(async (options: { json?: boolean }) => {
      const checks = await withServices(async (services) => {
        const [server] = await services.database.query<Server>(SERVER, []);
        return [
          ...examine(server as Server, services.database.wallAheadMs()),
          await examineLogin(services.database),
          { check: 'key file', ...(await checkKeyFile(services.database, secretsKeyFile())) },
          ...(await examineOperation(services, readConfig(process.env))),
          ...(await examineReplicas(services.database, readConfig(process.env))),
          ...(await examineArchive(services.database, readConfig(process.env))),
          ...(await examineRails(services)),
        ];
      }, namingItsFailures);
      const text = checks
        .map(({ check, ok, detail }) => `${ok ? 'ok  ' : 'FAIL'}  ${check}: ${detail}`)
        .join('\n');
      answer(options, { ok: checks.every(({ ok }) => ok), checks }, text);
      if (checks.some(({ ok }) => !ok)) process.exitCode = 1;
    });
}

/** One login is enough for a sandbox; beside a live account, a stolen gateway must not be able to rewrite history. */
async function examineLogin(database: Database): Promise<Check> {
  const { login, isOwner } = await readLogin(database, readConfig(process.env).databaseSchema);
  const advice = isOwner
    ? ', which can become the owner of the tables: give the gateway a login of its own (docs/operations.md, Two logins)'
    : ', which cannot become the owner of the tables';
  const ok = !isOwner || !(await hasLiveAccount(database));
  return { check: 'login', ok, detail: `signs in as ${login}${advice}` };
}

/** Status that the rails of RAILS_FILE report. */
async function examineRails(services: Services): Promise<Check[]> {
  const reported = ACCOUNT_MODES.map(async (mode) => {
    const own = services.forMode(mode);
    const { railParts, rails } = own;
    const reconciled = await reconciliationChecks(own);
    const checks = [...(await checkRails(railParts)), ...uncheckedIn(railParts, rails), ...reconciled];
    return checks.map(({ rail, check, ...found }) => ({ check: `${mode} ${rail}: ${check}`, ...found }));
  });
  return (await Promise.all(reported)).flat();
}

/**
 * Identity and origin of money must be checked, or the check switched off explicitly: without either no ramp is
 * created.
 */
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

function examine(server: Server, aheadMs: number): Check[] {
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
    // Opening the store has applied the migrations, or has ended the command with the reason.
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
    {
      check: 'clock',
      ok: Math.abs(aheadMs) <= CLOCK_OFF_MS,
      detail: `${Math.abs(aheadMs)} ms from the database`,
    },
  ];
}

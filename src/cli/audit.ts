/** `crossramp audit list|verify`: who did what. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { isoMillis, parseInstant } from '../base/instant.ts';
import { readAuditLog } from '../resolvers/account/read-audit.ts';
import { allAccounts } from '../store/account/accounts.ts';
import { verifyAudit } from '../store/engine/verify-audit.ts';
import { accountOrPlatform, answer, jsonOption, table } from './output.ts';
import { operatorContext, withServices, withStore } from './with-store.ts';

interface ListOptions {
  readonly account: string;
  readonly live?: boolean;
  readonly act?: string;
  readonly actor?: string;
  readonly object?: string;
  readonly since?: Date;
  readonly until?: Date;
  readonly before?: bigint;
  readonly limit: number;
  readonly json?: boolean;
}

const LIMIT_MAX = 1_000;
const ACCOUNT =
  'id of the account, "sandbox", or "platform" for acts on no account, such as keys of the operator';
const LIVE = 'with --account platform: the platform of live accounts';

/** The audit log. */
export function auditCommand(): Command {
  const audit = new Command('audit').description('Reads and checks the audit log of an account.');
  audit
    .command('list')
    .description('Lists the newest entries.')
    .addOption(new Option('--account <id>', ACCOUNT).default('sandbox'))
    .option('--live', LIVE)
    .option('--act <names>', 'only these acts, separated by commas, such as webhook.create,key.revoke')
    .option('--actor <id>', 'only acts of this key, user of the operating system, or payment session')
    .option('--object <id>', 'only acts on the object with this id')
    .option('--since <instant>', 'only from this time on, such as 2026-05-01T12:00:00Z', parseTime)
    .option('--until <instant>', 'only before this time', parseTime)
    .option('--before <seq>', 'only entries before this number, to read on', parseSeq)
    .option('--limit <number>', `number of entries to show, 1 to ${LIMIT_MAX}`, parseLimit, 20)
    .addOption(jsonOption())
    .action(list);
  audit
    .command('verify')
    .description(
      'Recomputes the chain of each account. Prints its length and last hash, to be kept elsewhere; fails when an entry was changed, added, removed or moved.',
    )
    .option('--account <id>', 'only this account: its id, "sandbox" or "platform"')
    .option('--live', LIVE)
    .addOption(jsonOption())
    .action(verify);
  return audit;
}

async function list(options: ListOptions): Promise<void> {
  const entries = await withServices(async (services) => {
    const context = await operatorContext(services, await accountOrPlatform(services.database, options));
    const input = {
      acts: options.act
        ? { name: '--act', values: options.act.split(',').map((act) => act.trim()) }
        : undefined,
      actorId: options.actor,
      objectId: options.object,
      since: options.since,
      until: options.until,
    };
    const slice = { after: null, before: options.before ?? null, isNewestFirst: true, limit: options.limit };
    return (await readAuditLog(context, input, slice)).entries;
  });
  const shown = entries.map(({ seq, before, after, ...entry }) => ({
    seq: Number(seq),
    ...entry,
    at: isoMillis(entry.at),
    machineAt: entry.machineAt && isoMillis(entry.machineAt),
    before: before === null ? null : JSON.parse(before),
    after: after === null ? null : JSON.parse(after),
  }));
  const rows = shown.map((entry) => [
    String(entry.seq),
    entry.at,
    entry.act,
    `${entry.actorKind} ${entry.actorId}`,
    `${entry.objectKind} ${entry.objectId}`,
    entry.address ?? '',
  ]);
  const heading = ['SEQ', 'AT', 'ACT', 'BY', 'ON', 'FROM'];
  answer(options, shown, rows.length === 0 ? 'no entries' : table([heading, ...rows], [0]));
}

async function verify({
  account,
  ...options
}: Partial<Pick<ListOptions, 'account' | 'live' | 'json'>>): Promise<void> {
  const found = await withStore(async ({ database }) => {
    const accounts = account
      ? [await accountOrPlatform(database, { ...options, account })]
      : await allAccounts(database);
    const results = [];
    for (const accountId of accounts) {
      const { end, defects } = await verifyAudit(database, accountId);
      results.push({
        accountId: String(accountId),
        entries: Number(end.auditSeq),
        hash: end.auditHash.toString('hex'),
        defects: defects.map(({ defect, at, detail }) => ({
          defect,
          at: at === null ? null : Number(at),
          detail,
        })),
      });
    }
    return results;
  });
  const lines = found.flatMap(({ accountId, entries, hash, defects }) => [
    `account ${accountId}: ${entries} entries, last hash ${hash}`,
    ...defects.map(({ defect, detail }) => `account ${accountId}: ${defect}: ${detail}`),
  ]);
  answer(options, found, lines.join('\n') || 'no accounts');
  if (found.some(({ defects }) => defects.length > 0)) process.exitCode = 1;
}

function parseTime(text: string): Date {
  const at = parseInstant(text);
  if (!at) throw new InvalidArgumentError('Expected a time such as 2026-05-01T12:00:00Z.');
  return at;
}

function parseSeq(text: string): bigint {
  if (!/^[1-9]\d{0,17}$/.test(text)) throw new InvalidArgumentError('Expected the number of an entry.');
  return BigInt(text);
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX)
    throw new InvalidArgumentError(`Expected a whole number from 1 to ${LIMIT_MAX}.`);
  return limit;
}

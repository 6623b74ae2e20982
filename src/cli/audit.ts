/** `crossramp audit list|verify`: the audit log. */
import { Command, InvalidArgumentError } from 'commander';
import { isoMillis, parseInstant } from '../base/time/instant.ts';
import { readAuditLog } from '../resolvers/audit/read-audit.ts';
import { allAccounts } from '../store/account/accounts.ts';
import type { Database } from '../store/connection/database.ts';
import { verifyAudit } from '../store/engine/verify-audit.ts';
import { limitOption, lists } from './command.ts';
import { answer, jsonOption, LIVE_HOLDER } from './output.ts';
import { accountOrPlatform, asHolder, withStore } from './with-store.ts';

interface ListOptions {
  readonly act?: string;
  readonly actor?: string;
  readonly object?: string;
  readonly since?: Date;
  readonly until?: Date;
  readonly before?: bigint;
  readonly limit: number;
}

const ACCOUNT =
  'id of the account, "sandbox", or "platform" for acts on no account, such as keys of the operator';

/** The audit log. */
export function auditCommand(): Command {
  const audit = new Command('audit').description('Reads and checks the audit log of an account.');
  addList(audit);
  audit
    .command('verify')
    .description(
      'Recomputes the chain of each account. Prints its length and last hash, to be kept elsewhere; fails when an entry was changed, added, removed or moved.',
    )
    .option('--account <id>', 'only this account: its id, "sandbox" or "platform"')
    .option('--live', LIVE_HOLDER)
    .addOption(jsonOption())
    .action(verify);
  return audit;
}

function addList(audit: Command): void {
  const list = audit
    .command('list')
    .description('Lists the newest entries.')
    .option('--account <id>', ACCOUNT, 'sandbox')
    .option('--live', LIVE_HOLDER)
    .option('--act <names>', 'only these acts, separated by commas, such as webhook.create,key.revoke')
    .option('--actor <id>', 'only acts of this key, user of the operating system, or payment session')
    .option('--object <id>', 'only acts on the object with this id')
    .option('--since <instant>', 'only from this time on, such as 2026-05-01T12:00:00Z', parseTime)
    .option('--until <instant>', 'only before this time', parseTime)
    .option('--before <seq>', 'only entries before this number, to read on', parseSeq)
    .addOption(limitOption('entries', 1_000, 20));
  lists(list, {
    on: asHolder,
    run: async (context, { act: action, actor, object, since, until, before, limit }: ListOptions) => {
      const values = action?.split(',').map((each) => each.trim());
      const actions = values && { name: '--act', values };
      const slice = { after: null, before: before ?? null, isNewestFirst: true, limit };
      const input = { acts: actions, actorId: actor, objectId: object, since, until };
      return (await readAuditLog(context, input, slice)).entries;
    },
    row: ({ seq, before, after, ...entry }) => ({
      seq: Number(seq),
      ...entry,
      at: isoMillis(entry.at),
      machineAt: entry.machineAt && isoMillis(entry.machineAt),
      before: before === null ? null : JSON.parse(before),
      after: after === null ? null : JSON.parse(after),
    }),
    columns: {
      ...{ SEQ: 'seq', AT: 'at', ACT: 'act' },
      BY: ({ actorKind, actorId }) => `${actorKind} ${actorId}`,
      ON: ({ objectKind, objectId }) => `${objectKind} ${objectId}`,
      FROM: 'address',
    },
    right: ['SEQ'],
    none: 'no entries',
  });
}

interface VerifyOptions {
  readonly account?: string;
  readonly live?: boolean;
  readonly json?: boolean;
}

async function verify({ account, ...options }: VerifyOptions): Promise<void> {
  const found = await withStore(async ({ database }) => {
    const accounts = account
      ? [await accountOrPlatform(database, { ...options, account })]
      : await allAccounts(database);
    const results: Awaited<ReturnType<typeof verified>>[] = [];
    for (const accountId of accounts) results.push(await verified(database, accountId));
    return results;
  });
  const lines = found.flatMap(({ accountId, entries, hash, defects }) => [
    `account ${accountId}: ${entries} entries, last hash ${hash}`,
    ...defects.map(({ defect, detail }) => `account ${accountId}: ${defect}: ${detail}`),
  ]);
  answer(options, found, lines.join('\n') || 'no accounts');
  if (found.some(({ defects }) => defects.length > 0)) process.exitCode = 1;
}

async function verified(database: Database, accountId: bigint) {
  const { end, defects } = await verifyAudit(database, accountId);
  return {
    accountId: String(accountId),
    entries: Number(end.auditSeq),
    hash: end.auditHash.toString('hex'),
    defects: defects.map(({ defect, at, detail }) => ({
      defect,
      at: at === null ? null : Number(at),
      detail,
    })),
  };
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

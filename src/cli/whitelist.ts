/** `crossramp whitelist list|withdraw-proof`. */
import { Command } from 'commander';
import { maskPixKey } from '../base/mask.ts';
import { withdrawProof } from '../resolvers/account/manage-whitelist.ts';
import { answer, jsonOption, readAccountOption, table } from './output.ts';
import { asOperator } from './webhook.ts';

interface Options {
  readonly account: string;
  readonly json?: boolean;
}

const HEADING = ['ID', 'GROUP', 'NETWORK', 'DESTINATION', 'PROOF', 'LABEL'];

/** Destinations of an account, and the proofs of their addresses. */
export function whitelistCommand(): Command {
  const whitelist = new Command('whitelist').description(
    'Shows where withdrawals of an account may go, and withdraws the proof of an address.',
  );
  whitelist
    .command('list')
    .description('Lists the destinations of an account, and whether each has a proof for the signer.')
    .addOption(readAccountOption())
    .addOption(jsonOption())
    .action(list);
  whitelist
    .command('withdraw-proof')
    .description(
      'Withdraws the proof of an address: the signer refuses withdrawals there until it is proven again.',
    )
    .argument('<id>', 'the entry, wle_…, as "whitelist list" shows it')
    .addOption(readAccountOption())
    .addOption(jsonOption())
    .action(withdraw);
  return whitelist;
}

async function list(options: Options): Promise<void> {
  const entries = await asOperator(options, ({ database, caller }) =>
    database.prisma.whitelistEntry.findMany({
      where: { accountId: caller.accountId, removedAt: null },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    }),
  );
  const shown = entries.map(({ id, groupId, network, pixKeyType, target, label, proof }) => ({
    id,
    groupId,
    network: network ?? pixKeyType ?? '',
    target: network === null ? maskPixKey(target) : target,
    isProven: proof !== null,
    label,
  }));
  const rows = shown.map((row) => [
    row.id,
    row.groupId,
    row.network,
    row.target,
    row.isProven ? 'yes' : '',
    row.label ?? '',
  ]);
  answer(options, shown, rows.length === 0 ? 'no destinations' : table([HEADING, ...rows]));
}

async function withdraw(id: string, options: Options): Promise<void> {
  await asOperator(options, (context) => withdrawProof(context, id));
  answer(options, { id, isProven: false }, `the proof of ${id} is withdrawn`);
}

/** `crossramp whitelist list|withdraw-proof`. */
import { Command } from 'commander';
import { maskPixKey } from '../base/text/mask.ts';
import { withdrawProof } from '../resolvers/settings/manage-whitelist.ts';
import { listEntries } from '../store/account/whitelist.ts';
import { lists, uses } from './command.ts';
import { readAccountOption } from './output.ts';

/** Destinations of an account, and the proofs of their addresses. */
export function whitelistCommand(): Command {
  const whitelist = new Command('whitelist').description(
    'Shows the withdrawal destinations of an account, and withdraws the proof of an address.',
  );
  const list = whitelist
    .command('list')
    .description('Lists the destinations of an account with their proofs for the signer.')
    .addOption(readAccountOption());
  lists(list, {
    run: ({ database, caller }) => listEntries(database, caller.accountId),
    row: ({ id, groupId, network, pixKeyType, target, label, isProven }) => ({
      ...{ id, groupId, network: network ?? pixKeyType ?? '' },
      target: network === null ? maskPixKey(target) : target,
      ...{ isProven, label },
    }),
    columns: {
      ...{ ID: 'id', GROUP: 'groupId', NETWORK: 'network', DESTINATION: 'target', PROOF: 'isProven' },
      LABEL: 'label',
    },
    none: 'no destinations',
  });
  const withdraw = whitelist
    .command('withdraw-proof')
    .description(
      'Withdraws the proof of an address: the signer refuses withdrawals there until it is proven again.',
    )
    .argument('<id>', 'the entry, wle_…, as "whitelist list" shows it')
    .addOption(readAccountOption());
  uses(withdraw, {
    run: (context, _options: object, id: string) => withdrawProof(context, id),
    json: (_done, _options, id) => ({ id, isProven: false }),
    text: (_done, _options, id) => `the proof of ${id} is withdrawn`,
  });
  return whitelist;
}

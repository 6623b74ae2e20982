/** `crossramp suspense list|assign|approve|reject|return`. */
import { Command, Option } from 'commander';
import type { Named } from '../base/errors/violations.ts';
import { currencyOfLedger } from '../base/money/currency.ts';
import { fromMinor } from '../base/money/money.ts';
import { isoMillis } from '../base/time/instant.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import {
  approveSuspense,
  assignSuspense,
  rejectSuspense,
  returnSuspense,
} from '../resolvers/inbound/decide-suspense.ts';
import { listSuspense } from '../resolvers/inbound/list-suspense.ts';
import { maskRailEvent } from '../resolvers/inbound/mask-rail-event.ts';
import type { Context } from '../resolvers/services/context.ts';
import { describeState, type SuspenseRow, type SuspenseState } from '../store/engine/suspense.ts';
import { lists, uses } from './command.ts';
import { revealOption, withMode } from './output.ts';
import { namedReason, type Reasoned, withReason } from './reason.ts';

interface Options {
  readonly state?: SuspenseState;
  readonly reveal?: boolean;
}

const LIMIT = 100;
const SLICE = { limit: LIMIT, below: null, above: null, isBackward: false };
const STATES: readonly SuspenseState[] = ['open', 'assigned', 'returning', 'returned', 'dropped'];

/** Money that arrived without a matching transaction. */
export function suspenseCommand(): Command {
  const suspense = new Command('suspense').description(
    'Lists money that arrived without a matching transaction, and assigns or returns it.',
  );
  const list = suspense
    .command('list')
    .description(`Lists the newest ${LIMIT} entries of all sandbox or all live accounts.`)
    .addOption(new Option('--state <state>', 'only entries in this state').choices(STATES));
  lists(withMode(list).addOption(revealOption()), {
    run: async (context, { state }: Options) => (await listSuspense(context, state ?? null, SLICE)).rows,
    row: shown,
    columns: {
      ...{ ID: 'id', OPENED: 'openedAt', ACCOUNT: 'account', AMOUNT: 'amount', CURRENCY: 'currency' },
      ...{ REASON: 'reason', STATE: 'state', TRANSACTION: 'end2end' },
    },
    right: ['AMOUNT'],
    none: 'nothing',
  });
  decides(
    suspense
      .command('assign')
      .description(
        'Credits the money of an entry to its account; another account gets it when another person approves.',
      )
      .argument('<id>', 'id of the entry')
      .requiredOption('--account <id>', 'the account that gets it: its id, or "sandbox"'),
    (context, id, reason) =>
      assignSuspense(context, id, String(context.caller.accountId), reason, checksOf(context)),
  );
  decides(
    suspense
      .command('approve')
      .description('Approves the account that a key or a person proposed for an entry: it is credited now.')
      .argument('<id>', 'id of the entry')
      .requiredOption('--account <id>', 'the account that was proposed: its id, or "sandbox"'),
    (context, id, reason) =>
      approveSuspense(context, id, String(context.caller.accountId), reason, checksOf(context)),
  );
  const entry = (name: string, description: string) =>
    withMode(suspense.command(name).description(description).argument('<id>', 'id of the entry'));
  decides(entry('reject', 'Rejects the account that was proposed for an entry.'), (context, id, reason) =>
    rejectSuspense(context, id, reason, checksOf(context)),
  );
  decides(entry('return', 'Sends the money of an entry back to where it came from.'), (context, id, reason) =>
    returnSuspense(context, id, reason, checksOf(context)),
  );
  return suspense;
}

function decides(
  command: Command,
  run: (context: Context, id: string, reason: Named) => Promise<SuspenseRow>,
): void {
  uses(withReason(command).addOption(revealOption()), {
    run: (context, { reason }: Options & Reasoned, id: string) => run(context, id, namedReason(reason)),
    json: shown,
    text: (row) => `suspense entry ${row.id} ${describeState(row)}`,
  });
}

function shown(row: SuspenseRow, { reveal }: Options) {
  const { amountMinor, id, accountId, transactionId, ...rest } = row;
  const { assignedTo, proposedTo, openedAt, decidedAt, railEvent, ...others } = rest;
  return {
    id: String(id),
    account: String(accountId),
    amount: fromMinor(amountMinor, currencyOfLedger(row.currency).decimals),
    assignedTo: assignedTo === null ? null : String(assignedTo),
    proposedTo: proposedTo === null ? null : String(proposedTo),
    openedAt: isoMillis(openedAt),
    decidedAt: decidedAt && isoMillis(decidedAt),
    ...others,
    railEvent: reveal ? railEvent : maskRailEvent(railEvent),
  };
}

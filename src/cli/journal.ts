/** `crossramp journal list|propose|approve|reject`: manual journals on house accounts. */

import { Command, Option } from 'commander';
import type { ActionName } from '../base/access/actions.ts';
import { currencyOfLedger, typedCurrency } from '../base/money/currency.ts';
import { MANUAL_ACCOUNTS } from '../base/money/manual-accounts.ts';
import { fromMinor } from '../base/money/money.ts';
import { isoMillis } from '../base/time/instant.ts';
import type { CreationChecks } from '../resolvers/checks/check-creation.ts';
import type { Attempt } from '../resolvers/checks/once.ts';
import {
  approveJournal,
  findOwnJournal,
  listManualJournals,
  proposeJournal,
  rejectJournal,
} from '../resolvers/ledger/manual-journals.ts';
import type { Context } from '../resolvers/services/context.ts';
import {
  MANUAL_JOURNAL_STATES,
  type ManualJournal,
  type ManualJournalState,
} from '../store/ledger/manual-journals.ts';
import { columnsText, uses } from './command.ts';
import { type Keyed, named, onceAs } from './once-as.ts';
import { platformOption } from './output.ts';
import { accountNamed, asPlatform } from './with-store.ts';

interface Proposal extends Keyed {
  readonly account: string;
  readonly debit: string;
  readonly credit: string;
  readonly currency: string;
  readonly amount: string;
  readonly reason: string;
}

/** Journals by hand. */
export function journalCommand(): Command {
  const journal = new Command('journal').description(
    'Lists, proposes, approves and rejects manual journals on house accounts.',
  );
  const list = journal
    .command('list')
    .addOption(platformOption())
    .description('Lists manual journals, the newest first.')
    .addOption(new Option('--state <state>', 'only those in this state').choices(MANUAL_JOURNAL_STATES));
  uses(list, {
    run: async (context, { state }: { state?: ManualJournalState }) =>
      (await listManualJournals(context, state)).map(shownJournal),
    json: (journals) => ({ journals }),
    text: listText,
  });
  addPropose(journal);
  for (const [name, description, decide] of [
    ['approve', 'Approves a journal that a key or a person proposed: it is posted now.', approveJournal],
    ['reject', 'Rejects a journal.', rejectJournal],
  ] as const)
    uses(keyed(journal.command(name)).description(description).argument('<id>', 'id of the journal'), {
      run: (context, options: Keyed, id: string) =>
        journalOnce(context, `journal.${name}`, options, id, (attempt) => decide(context, id, attempt)),
      json: shownJournal,
      text: ({ id, state }) => `journal ${id} is ${state}`,
    });
  return journal;
}

function addPropose(journal: Command): void {
  const account = (flags: string, description: string) =>
    new Option(flags, description).choices(MANUAL_ACCOUNTS).makeOptionMandatory();
  const propose = keyed(journal.command('propose'))
    .description('Proposes a journal: nothing is posted until another person approves it.')
    .requiredOption('--account <id>', 'id of the account whose books it is about, "sandbox" or "platform"')
    .addOption(account('--debit <account>', 'house account to debit'))
    .addOption(account('--credit <account>', 'house account to credit'))
    .requiredOption(
      '--currency <code>',
      'raw code, display name, or an asset that exists on one network only',
      typedCurrency,
    )
    .requiredOption('--amount <decimal>', 'above zero, with no more decimals than the currency has')
    .requiredOption('--reason <text>', 'why, 1 to 200 characters');
  uses(propose, {
    on: asPlatform,
    run: async (context, options: Proposal) => {
      const { caller, database } = context;
      const isPlatform = options.account === 'platform';
      const id = isPlatform ? caller.accountId : await accountNamed(database, options.account);
      const about = { ...options, account: String(id) };
      const input = named(about, 'account', 'debit', 'credit', 'currency', 'amount', 'reason');
      return journalOnce(context, 'journal.propose', options, input, (attempt, checks) =>
        proposeJournal(context, input, attempt, checks),
      );
    },
    json: shownJournal,
    text: ({ id }) => `journal ${id} is proposed; somebody else approves it`,
  });
}

function listText(journals: readonly ReturnType<typeof shownJournal>[]): string {
  if (journals.length === 0) return 'there are no manual journals';
  type Shown = (typeof journals)[number];
  const columns = {
    ...({ ID: 'id', ACCOUNT: 'accountId' } as const),
    'DEBIT / CREDIT': ({ debit, credit }: Shown) => `${debit} / ${credit}`,
    ...({ AMOUNT: 'amount', CURRENCY: 'currency', STATE: 'state', PROPOSED: 'madeAt', BY: 'maker' } as const),
  };
  return columnsText(journals, columns, ['ID', 'AMOUNT']);
}

/** Performs the action once under the key of the command, if it has one. @returns the journal as it is now. */
export async function journalOnce(
  context: Context,
  action: ActionName,
  { idempotencyKey }: Keyed,
  input: unknown,
  work: (attempt: Attempt, checks: CreationChecks) => Promise<ManualJournal>,
): Promise<ManualJournal> {
  const body = { input, mode: context.mode };
  const id = await onceAs(context, action, { idempotencyKey, body }, async (attempt, checks) =>
    String((await work(attempt, checks)).id),
  );
  return findOwnJournal(context, String(id));
}

/** @returns a journal as it is printed. */
export function shownJournal(row: ManualJournal) {
  const { id, accountId, amountMinor, currency, madeAt, decidedAt, journalId, ...rest } = row;
  return {
    ...{ id: String(id), accountId: String(accountId), currency },
    amount: fromMinor(amountMinor, currencyOfLedger(currency).decimals),
    madeAt: isoMillis(madeAt),
    decidedAt: decidedAt && isoMillis(decidedAt),
    journalId: journalId === null ? null : String(journalId),
    ...rest,
  };
}

function keyed(command: Command): Command {
  return command
    .addOption(platformOption())
    .option('--idempotency-key <key>', 'the same command with the same key is done once; kept for 24 hours');
}

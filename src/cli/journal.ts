/** `crossramp journal list|propose|approve|reject`: manual journals on house accounts. */
import { Command, Option } from 'commander';
import type { ActName } from '../base/acts.ts';
import { currencyOfLedger } from '../base/currency.ts';
import { isoMillis } from '../base/instant.ts';
import { MANUAL_ACCOUNTS } from '../base/manual-accounts.ts';
import { fromMinor } from '../base/money.ts';
import {
  approveJournal,
  findOwnJournal,
  listManualJournals,
  proposeJournal,
  rejectJournal,
} from '../resolvers/account/manual-journals.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { type Attempt, once } from '../resolvers/checks/once.ts';
import { type Context, requireAct } from '../resolvers/services/context.ts';
import {
  MANUAL_JOURNAL_STATES,
  type ManualJournal,
  type ManualJournalState,
} from '../store/ledger/manual-journals.ts';
import { accountNamed, answer, jsonOption, table } from './output.ts';
import { asPlatform } from './with-store.ts';

interface Options {
  readonly live?: boolean;
  readonly json?: boolean;
  readonly idempotencyKey?: string;
}

interface Proposal extends Options {
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
  withMode(journal.command('list'))
    .description('Lists manual journals, the newest first.')
    .addOption(new Option('--state <state>', 'only those in this state').choices(MANUAL_JOURNAL_STATES))
    .action(list);
  keyed(journal.command('propose'))
    .description('Proposes a journal: nothing is posted until somebody else approves it.')
    .requiredOption('--account <id>', 'id of the account whose books it is about, "sandbox" or "platform"')
    .addOption(
      new Option('--debit <account>', 'house account to debit')
        .choices(MANUAL_ACCOUNTS)
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--credit <account>', 'house account to credit')
        .choices(MANUAL_ACCOUNTS)
        .makeOptionMandatory(),
    )
    .requiredOption(
      '--currency <code>',
      'raw code, display name, or an asset that exists on one network only',
    )
    .requiredOption('--amount <decimal>', 'above zero, with no more decimals than the currency has')
    .requiredOption('--reason <text>', 'why, 1 to 200 characters')
    .action(propose);
  for (const [name, does] of [
    ['approve', 'Approves a journal that a key or a person proposed: it is posted now.'],
    ['reject', 'Rejects a journal.'],
  ] as const)
    keyed(journal.command(name))
      .description(does)
      .argument('<id>', 'id of the journal')
      .action((id: string, options: Options) => decide(name, id, options));
  return journal;
}

async function list({ state, ...options }: Options & { state?: ManualJournalState }): Promise<void> {
  const found = await asPlatform(options, (context) => listManualJournals(context, state));
  const rows = found.map((each) => {
    const { id, accountId, debit, credit, currency, amount, madeAt, maker, state: now } = shownJournal(each);
    return [id, accountId, `${debit} / ${credit}`, amount, currency, now, madeAt, maker];
  });
  const heading = ['ID', 'ACCOUNT', 'DEBIT / CREDIT', 'AMOUNT', 'CURRENCY', 'STATE', 'PROPOSED', 'BY'];
  const shown = rows.length === 0 ? 'there are no manual journals' : table([heading, ...rows], [0, 3]);
  answer(options, { journals: found.map(shownJournal) }, shown);
}

async function propose({
  account,
  debit,
  credit,
  currency,
  amount,
  reason,
  ...options
}: Proposal): Promise<void> {
  const made = await asPlatform(options, async (context) => {
    const id =
      account === 'platform' ? context.caller.accountId : await accountNamed(context.database, account);
    const named = (name: string, value: string) => ({ name: `--${name}`, value });
    const input = {
      account: named('account', String(id)),
      debit: named('debit', debit),
      credit: named('credit', credit),
      currency: named('currency', currency),
      amount: named('amount', amount),
      reason: named('reason', reason),
    };
    return onceAs(context, 'journal.propose', { input, key: options.idempotencyKey }, (attempt) =>
      proposeJournal(context, input, attempt, checksOf(context)),
    );
  });
  answer(options, shownJournal(made), `journal ${made.id} is proposed; somebody else approves it`);
}

async function decide(name: 'approve' | 'reject', id: string, options: Options): Promise<void> {
  const work = name === 'approve' ? approveJournal : rejectJournal;
  const done = await asPlatform(options, (context) =>
    onceAs(context, `journal.${name}`, { input: id, key: options.idempotencyKey }, (attempt) =>
      work(context, id, attempt),
    ),
  );
  answer(options, shownJournal(done), `journal ${done.id} is ${done.state}`);
}

/** Does it once under the key of the command, where it has one. */
async function onceAs(
  context: Context,
  act: ActName,
  { input, key }: { readonly input: unknown; readonly key: string | undefined },
  work: (attempt: Attempt) => Promise<ManualJournal>,
): Promise<ManualJournal> {
  requireAct(context, act);
  const body = JSON.stringify({ input, mode: context.mode });
  const request = { key, parameter: '--idempotency-key', route: `crossramp ${act}`, body };
  const done = await once(context, request, async (attempt) => ({
    status: 200,
    answer: String((await work(attempt)).id),
  }));
  return findOwnJournal(context, done.answer);
}

function shownJournal({
  id,
  accountId,
  amountMinor,
  currency,
  madeAt,
  decidedAt,
  journalId,
  ...rest
}: ManualJournal) {
  return {
    id: String(id),
    accountId: String(accountId),
    currency,
    amount: fromMinor(amountMinor, currencyOfLedger(currency).decimals),
    madeAt: isoMillis(madeAt),
    decidedAt: decidedAt && isoMillis(decidedAt),
    journalId: journalId === null ? null : String(journalId),
    ...rest,
  };
}

function withMode(command: Command): Command {
  return command
    .option('--live', 'work on live accounts (default: sandbox accounts)')
    .addOption(jsonOption());
}

function keyed(command: Command): Command {
  return withMode(command).option(
    '--idempotency-key <key>',
    'the same command with the same key is done once; kept for 24 hours',
  );
}

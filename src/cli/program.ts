/** The program `crossramp` with all its commands. */
import { type Command, Help } from 'commander';
import { endOnBadUsage, newProgram } from '../server/command-line.ts';
import { accountCommand } from './account.ts';
import { auditCommand } from './audit.ts';
import { balanceCommand } from './balance.ts';
import { capitalCommand, receivableCommand } from './books.ts';
import { clockCommand } from './clock.ts';
import { completionCommand } from './completion.ts';
import { doctorCommand } from './doctor.ts';
import { eventsCommand, listenCommand } from './events.ts';
import { EXAMPLES } from './examples.ts';
import { exportCommand, importCommand } from './history.ts';
import { booksCommand, treasuryCommand } from './house-books.ts';
import { journalCommand } from './journal.ts';
import { keyCommand } from './key.ts';
import { migrateCommand } from './migrate.ts';
import { networkCommand } from './network.ts';
import { newsCommand } from './news.ts';
import { orderCommand } from './order.ts';
import { personCommand } from './person.ts';
import { pspCommand } from './psp.ts';
import { rebalanceCommand } from './rebalance.ts';
import { reconcileCommand } from './reconcile.ts';
import { recordsCommand } from './records.ts';
import { refundCommand } from './refund.ts';
import { requestCommand } from './request.ts';
import { signerCommand } from './signer.ts';
import { suspenseCommand } from './suspense.ts';
import { transactionCommand } from './transaction.ts';
import { triggerCommand } from './trigger.ts';
import { verifyCommand } from './verify.ts';
import { webhookCommand } from './webhook.ts';
import { whitelistCommand } from './whitelist.ts';

const EXIT_CODES = `
Exit codes:
  0  done; also when nobody reads the rest of the output, as with "| head"
  1  refused or failed; "verify" found defects, "doctor" a failed check
  2  the command line is wrong: unknown command or option, missing argument, value not accepted
  3  the database or the gateway cannot be reached; the same command may succeed later
  130, 143  stopped by Ctrl-C (SIGINT) or SIGTERM; "import" has imported nothing then, and "psp" ends with 0`;

/** @returns the whole program, with examples in the help of every command. */
export function crossrampProgram(): Command {
  const program = newProgram('crossramp')
    .description(
      'Operates a Crossramp Gateway. Commands work on the database, with or without a running gateway. "events tail" and "listen" need one; "psp", "signer" and "completion" need neither.',
    )
    // An option after a subcommand belongs to the subcommand.
    .enablePositionalOptions()
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText('after', EXIT_CODES);
  const commands = [
    accountCommand(),
    balanceCommand(),
    transactionCommand(),
    refundCommand(),
    suspenseCommand(),
    newsCommand(),
    orderCommand(),
    networkCommand(),
    whitelistCommand(),
    receivableCommand(),
    capitalCommand(),
    rebalanceCommand(),
    treasuryCommand(),
    booksCommand(),
    journalCommand(),
    reconcileCommand(),
    recordsCommand(),
    keyCommand(),
    personCommand(),
    webhookCommand(),
    eventsCommand(),
    listenCommand(),
    importCommand(),
    exportCommand(),
    verifyCommand(),
    auditCommand(),
    requestCommand(),
    triggerCommand(),
    clockCommand(),
    pspCommand(),
    signerCommand(),
    migrateCommand(),
    doctorCommand(),
    completionCommand(() => program),
  ];
  for (const command of commands) program.addCommand(command);
  addExamples(program);
  markRequired(program);
  endOnBadUsage(program);
  return program;
}

function addExamples(command: Command, path: readonly string[] = []): void {
  const lines = EXAMPLES[path.join(' ')];
  if (lines) command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`);
  for (const each of command.commands) addExamples(each as Command, [...path, each.name()]);
}

/** Help says which options a command cannot do without. */
function markRequired(command: Command): void {
  const { optionDescription } = Help.prototype;
  command.configureHelp({
    optionDescription: (option) =>
      `${optionDescription.call(new Help(), option)}${option.mandatory ? ' (required)' : ''}`,
  });
  for (const each of command.commands) markRequired(each as Command);
}

/** The program `crossramp` with all its commands. */
import { type Command, Help } from 'commander';
import { endOnBadUsage, newProgram } from '../server/process/command-line.ts';
import { EXAMPLES } from './examples.ts';

const EXIT_CODES = `
Exit codes:
  0  done; also when nobody reads the rest of the output, as with "| head"
  1  refused or failed; "verify" found defects, "doctor" a failed check
  2  the command line is wrong: unknown command or option, missing argument, value not accepted
  3  the database or the gateway cannot be reached; the same command may succeed later
  130, 143  stopped by Ctrl-C (SIGINT) or SIGTERM; "import" has imported nothing then, "psp" and "checks" end with 0`;

/**
 * Commands by name, in the order of the help. Each is loaded when it is run or shown: loading all takes half a
 * second.
 */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  account: async () => (await import('./account.ts')).accountCommand(),
  balance: async () => (await import('./balance.ts')).balanceCommand(),
  transaction: async () => (await import('./transaction.ts')).transactionCommand(),
  refund: async () => (await import('./refund.ts')).refundCommand(),
  'step-up': async () => (await import('./step-up.ts')).stepUpCommand(),
  case: async () => (await import('./case.ts')).caseCommand(),
  med: async () => (await import('./med.ts')).medCommand(),
  suspense: async () => (await import('./suspense.ts')).suspenseCommand(),
  screening: async () => (await import('./screening.ts')).screeningCommand(),
  'rail-event': async () => (await import('./rail-events.ts')).railEventCommand(),
  order: async () => (await import('./order.ts')).orderCommand(),
  restored: async () => (await import('./restored.ts')).restoredCommand(),
  job: async () => (await import('./job.ts')).jobCommand(),
  network: async () => (await import('./network.ts')).networkCommand(),
  whitelist: async () => (await import('./whitelist.ts')).whitelistCommand(),
  receivable: async () => (await import('./receivable.ts')).receivableCommand(),
  capital: async () => (await import('./capital.ts')).capitalCommand(),
  rebalance: async () => (await import('./rebalance.ts')).rebalanceCommand(),
  treasury: async () => (await import('./house-books.ts')).treasuryCommand(),
  books: async () => (await import('./house-books.ts')).booksCommand(),
  journal: async () => (await import('./journal.ts')).journalCommand(),
  reconcile: async () => (await import('./reconcile.ts')).reconcileCommand(),
  records: async () => (await import('./records.ts')).recordsCommand(),
  key: async () => (await import('./key.ts')).keyCommand(),
  person: async () => (await import('./person.ts')).personCommand(),
  webhook: async () => (await import('./webhook.ts')).webhookCommand(),
  events: async () => (await import('./events.ts')).eventsCommand(),
  mcp: async () => (await import('./mcp.ts')).mcpCommand(),
  listen: async () => (await import('./events.ts')).listenCommand(),
  import: async () => (await import('./history.ts')).importCommand(),
  export: async () => (await import('./history.ts')).exportCommand(),
  verify: async () => (await import('./verify.ts')).verifyCommand(),
  audit: async () => (await import('./audit.ts')).auditCommand(),
  request: async () => (await import('./request.ts')).requestCommand(),
  trigger: async () => (await import('./trigger.ts')).triggerCommand(),
  clock: async () => (await import('./clock.ts')).clockCommand(),
  psp: async () => (await import('./psp.ts')).pspCommand(),
  checks: async () => (await import('./checks.ts')).checksCommand(),
  signer: async () => (await import('./signer.ts')).signerCommand(),
  secrets: async () => (await import('./secrets.ts')).secretsCommand(),
  migrate: async () => (await import('./migrate.ts')).migrateCommand(),
  cell: async () => (await import('./cell.ts')).cellCommand(),
  backup: async () => (await import('./backup.ts')).backupCommand(),
  restore: async () => (await import('./backup.ts')).restoreCommand(),
  doctor: async () => (await import('./doctor.ts')).doctorCommand(),
  completion: async () => (await import('./completion.ts')).completionCommand(crossrampProgram),
};

/**
 * @param name - of the only command that is loaded. By default, and for an unknown name, all commands are loaded,
 * because help and suggestions need them.
 * @returns the program, with examples in the help of every command.
 */
export async function crossrampProgram(name?: string): Promise<Command> {
  const program = newProgram('crossramp')
    .description(
      'Operates a Crossramp Gateway. Commands work on the database, with or without a running gateway. "events tail", "listen" and "mcp" need one; "psp", "checks", "signer" and "completion" need neither.',
    )
    // An option after a subcommand belongs to the subcommand.
    .enablePositionalOptions()
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText('after', EXIT_CODES);
  for (const load of loadersFor(name)) program.addCommand(await load());
  addExamples(program);
  markRequired(program);
  endOnBadUsage(program);
  return program;
}

function loadersFor(name: string | undefined): readonly (() => Promise<Command>)[] {
  if (name === '--version' || name === '-V') return [];
  const only = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  return only ? [only] : Object.values(COMMANDS);
}

function addExamples(command: Command, path: readonly string[] = []): void {
  const lines = EXAMPLES[path.join(' ')];
  if (lines) command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`);
  for (const each of command.commands) addExamples(each as Command, [...path, each.name()]);
}

/** Help marks required options. */
function markRequired(command: Command): void {
  const { optionDescription } = Help.prototype;
  command.configureHelp({
    optionDescription: (option) =>
      `${optionDescription.call(new Help(), option)}${option.mandatory ? ' (required)' : ''}`,
  });
  for (const each of command.commands) markRequired(each as Command);
}

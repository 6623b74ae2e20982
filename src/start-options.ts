/** The options of `npm start`. */
import type { RailsFile } from './compose/rails-file.ts';
import { type Config, ConfigError } from './config.ts';
import { endOnBadUsage, newProgram } from './server/process/command-line.ts';

/** Options of a start besides the settings of the environment. */
export interface StartOptions {
  /** Make a sandbox in the database of `DATABASE_URL`. */
  readonly sandbox?: boolean;
  /** Play thirty days of history first. */
  readonly demo?: boolean;
  /** Customers of the sandbox pay by themselves. */
  readonly auto?: boolean;
}

/**
 * Reads the command line. `--help`, `--version` and a wrong option end the process.
 *
 * npm takes options before `--` for itself (`npm start --demo`) and passes them on as `npm_config_…`: they count too.
 *
 * @param argv - as `process.argv`.
 */
export function readStartOptions(argv: readonly string[], env: NodeJS.ProcessEnv): StartOptions {
  const program = newProgram('npm start --')
    .description('Starts the gateway, with its own database unless DATABASE_URL names another.')
    .option('--sandbox', 'make a sandbox account and its keys in the database of DATABASE_URL')
    .option('--demo', 'first fill an empty database with thirty days of history')
    .option('--auto', 'sandbox customers pay and deposit by themselves after two seconds')
    .addHelpText('after', HELP);
  endOnBadUsage(program);
  program.showHelpAfterError();
  const [word] = program.parseOptions(argv.slice(2)).operands;
  if (word !== undefined) {
    const isOption = program.options.some(({ long }) => long === `--${word}`);
    program.error(
      `error: a start accepts only options, got "${word}"${isOption ? `\n(Did you mean --${word}?)` : ''}`,
    );
  }
  program.parse(argv);
  const isSetByNpm = (name: string) => env[`npm_config_${name}`] === 'true';
  const options: StartOptions = program.opts();
  return {
    sandbox: options.sandbox ?? isSetByNpm('sandbox'),
    demo: options.demo ?? isSetByNpm('demo'),
    auto: options.auto ?? isSetByNpm('auto'),
  };
}

/**
 * Scenarios that play by themselves need the rails inside of this process.
 *
 * @throws {ConfigError} when the sandbox has PIX or a network over the wire.
 */
export function refuseOutsideRails(
  { demo }: Pick<StartOptions, 'demo'>,
  { sandboxAuto, railsFile: file }: Pick<Config, 'sandboxAuto' | 'railsFile'>,
  { sandbox }: RailsFile,
): void {
  const option = demo ? '--demo' : sandboxAuto ? '--auto' : undefined;
  if (!option || !sandbox || (!sandbox.pix && sandbox.networks.size === 0)) return;
  throw new ConfigError(
    `${option} does not work with the PIX or networks that RAILS_FILE ${file} sets for the sandbox: start without one of them`,
  );
}

const HELP = `
Settings are read from the environment, such as PORT=4001 npm start; docs/operations.md lists them.

Examples:
  npm start                       start, and print the URLs and an API key
  npm start -- --demo             start with thirty days of history
  DATABASE_URL=postgres://… npm start -- --sandbox
                                  the same on your own server; without --sandbox, it gets no sandbox account
  PORT=4001 CROSSRAMP_HOME=/tmp/second npm start
                                  a second gateway beside the first, with its own database`;

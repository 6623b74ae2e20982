/** `crossramp checks`: a provider of identity checks and screening for tests and a sandbox, as a process of its own. */
import { join, resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { DIALECTS, type Dialect } from '../checks/dialects.ts';
import { answer, jsonOption } from './output.ts';
import { untilStopped } from './until-interrupted.ts';
import { homeFolder } from './with-store.ts';

interface Options {
  readonly home?: string;
  readonly port: number;
  readonly controlPort: number;
  readonly callbackUrl: string;
  readonly screeningCallbackUrl: string;
  readonly dialect: Dialect;
  readonly json?: boolean;
}

const PORT_MAX = 65_535;
const CALLBACK_URL = 'http://127.0.0.1:4000/rails/sandbox/identity';
const SCREENING_CALLBACK_URL = 'http://127.0.0.1:4000/rails/sandbox/screening/checks';

/** The command `checks`. */
export function checksCommand(): Command {
  return new Command('checks')
    .description(
      'Runs a provider of identity checks and screening for the sandbox on this machine, until it is stopped.',
    )
    .option('--home <folder>', 'folder of its secrets and settings (default: checks in CROSSRAMP_HOME)')
    .option('--port <port>', 'port of its API; 0: any free one', portOf, 4110)
    .option('--control-port <port>', 'port of its control API; 0: any free one', portOf, 4111)
    .option('--callback-url <url>', 'URL of the gateway that decisions are reported to', urlOf, CALLBACK_URL)
    .option(
      '--screening-callback-url <url>',
      'URL of the gateway that decisions of screening are reported to',
      urlOf,
      SCREENING_CALLBACK_URL,
    )
    .addOption(
      new Option('--dialect <dialect>', 'interface of the provider').choices(DIALECTS).default('http'),
    )
    .addOption(jsonOption())
    .action(run);
}

async function run(options: Options): Promise<void> {
  const { port, controlPort, callbackUrl, screeningCallbackUrl, dialect } = options;
  const home = resolve(options.home ?? `${homeFolder()}/checks`);
  const { startChecks } = await import('../checks/checks.ts');
  const { writeIdentitySettings, writeScreeningSettings } = await import('../checks/rails-settings.ts');
  const checks = await startChecks({ port, controlPort, callbackUrl, screeningCallbackUrl, dialect });
  writeIdentitySettings(checks, home, dialect);
  writeScreeningSettings(checks, home);
  const settingsFile = join(home, 'identity.json');
  const screeningFile = join(home, 'screening.json');
  const { url, controlUrl } = checks;
  const lines = [
    `API       ${url}`,
    `Control   ${controlUrl}`,
    `Gateway   "identity" of a mode in RAILS_FILE is the content of ${settingsFile}`,
    `          "screening", or one member of its list, is the content of ${screeningFile}`,
  ];
  const stopped = untilStopped();
  answer(options, { url, controlUrl, home, settingsFile, screeningFile }, lines.join('\n'));
  await stopped;
  await checks.close();
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= PORT_MAX) return port;
  throw new InvalidArgumentError(`Expected a port from 0 to ${PORT_MAX}.`);
}

/** Callbacks of the provider go to this machine only. */
function urlOf(text: string): string {
  const hosts = ['127.0.0.1', 'localhost', '[::1]'];
  if (URL.canParse(text) && hosts.includes(new URL(text).hostname) && text.startsWith('http://')) return text;
  throw new InvalidArgumentError('Expected an http URL of this machine.');
}

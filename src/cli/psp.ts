/** `crossramp psp`: the payment service provider of the sandbox, as a process of its own. */
import { resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { PSP_PROFILE_NAMES, PSP_PROFILES, type PspProfileName } from '../psp/profiles.ts';
import { writeRailsSettings } from '../psp/rails-settings.ts';
import { answer, jsonOption } from './output.ts';
import { untilStopped } from './until-interrupted.ts';
import { homeFolder } from './with-store.ts';

interface Options {
  readonly home?: string;
  readonly port: number;
  readonly controlPort: number;
  readonly callbackPort: number;
  readonly locationHost: string;
  readonly playAmounts?: boolean;
  readonly profile: PspProfileName;
  readonly json?: boolean;
}

const PORT_MAX = 65_535;

/** The command `psp`. */
export function pspCommand(): Command {
  return new Command('psp')
    .description('Runs a PIX payment service provider for the sandbox on this machine, until it is stopped.')
    .option('--home <folder>', 'folder of its certificates and its state (default: psp in CROSSRAMP_HOME)')
    .option('--port <port>', 'port of its API; 0: any free one', portOf, 4100)
    .option('--control-port <port>', 'port of its control API; 0: any free one', portOf, 4101)
    .option('--callback-port <port>', 'port on which the gateway takes its callbacks', fixedPortOf, 4102)
    .option('--location-host <host>', 'host name in the QR codes of charges', 'psp.localhost')
    .option(
      '--play-amounts',
      'the amount decides a payout: up to 10.00 succeeds, up to 20.00 fails, above is refused',
    )
    .addOption(
      new Option('--profile <bank>', 'bank whose tokens, paths, members and payouts it has')
        .choices(PSP_PROFILE_NAMES)
        .default('standard'),
    )
    .addOption(jsonOption())
    .action(run);
}

async function run(options: Options): Promise<void> {
  const { port, controlPort, locationHost, profile, playAmounts = false } = options;
  const home = resolve(options.home ?? `${homeFolder()}/psp`);
  // SQLite is loaded for this command alone.
  const { startPsp } = await import('../psp/psp.ts');
  const psp = await startPsp({ home, port, controlPort, locationHost, profile, playsAmounts: playAmounts });
  const railsFile = writeRailsSettings(psp, home, options.callbackPort);
  const { url, controlUrl } = psp;
  const lines = [
    `API Pix   ${url}${PSP_PROFILES[profile].paths.cob.replace(/\/cob$/, '')}, by the certificates in ${home}`,
    `Control   ${controlUrl}`,
    `Gateway   RAILS_FILE=${quoted(railsFile)} npm start`,
  ];
  // The reader of the response may stop the program at any time.
  const stopped = untilStopped();
  answer(options, { url, controlUrl, home, railsFile }, lines.join('\n'));
  await stopped;
  await psp.close();
}

/** Path in the quotes of a shell. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}

/** The settings contain the port number before a server listens on it. */
function fixedPortOf(text: string): number {
  const port = portOf(text);
  if (port > 0) return port;
  throw new InvalidArgumentError(`Expected a port from 1 to ${PORT_MAX}.`);
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= PORT_MAX) return port;
  throw new InvalidArgumentError(`Expected a port from 0 to ${PORT_MAX}.`);
}

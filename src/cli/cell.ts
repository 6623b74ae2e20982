/** `crossramp cell`: the cells of an installation (docs/scaling.md). */
import { Command, InvalidArgumentError, Option } from 'commander';
import { CELL_FORM, cellName, cellNamed } from '../base/ids/cell.ts';
import { openStore } from '../compose/open-store.ts';
import { type Config, ConfigError } from '../config.ts';
import { addressOf, urlsOfHosts } from '../store/connection/several-hosts.ts';
import { CellServer } from '../store/migration/cell-server.ts';
import { type CellCheck, checkCell } from '../store/migration/check-cell.ts';
import { readCell } from '../store/migration/settle-cell.ts';
import { addFigures } from './cell-figures.ts';
import { codeOf, locationOf } from './cell-location.ts';
import { addMove } from './cell-move.ts';
import { type CellAddresses, envoyRoutes, haproxyRoutes, nginxRoutes } from './cell-routes.ts';
import { columnsText } from './command.ts';
import { answer, jsonOption } from './output.ts';
import { allCells, cellSettings } from './with-store.ts';

/** Host, or an IPv6 address in brackets, and port. */
const ADDRESS = /^(?:[A-Za-z0-9.-]+|\[[0-9a-fA-F:]+\]):\d{1,5}$/;

/** A cell as `cell list` prints it. */
interface ListedCell {
  readonly cell: string;
  readonly state: string;
  readonly epoch: string;
  /** Database without its login, or the address of another gateway. */
  readonly place: string;
}

/** The command `cell`. */
export function cellCommand(): Command {
  const cell = new Command('cell').description(
    'Makes, lists, checks and moves cells: databases that share nothing, with the accounts that live there.',
  );
  addCreate(cell);
  addList(cell);
  addVerify(cell);
  addMove(cell);
  addRoutes(cell);
  addFigures(cell);
  return cell;
}

function addCreate(cell: Command): void {
  cell
    .command('create')
    .description(
      'Makes the schema of DATABASE_URL, or of the cell in CELLS_FILE, a cell with this code. It must have no accounts.',
    )
    .argument('<code>', CELL_FORM, codeOf)
    .addOption(jsonOption())
    .action(async (code: string, options: { json?: boolean }) => {
      const store = await openStore({ ...cellSettings(code), cell: code || undefined });
      const { epoch } = await readCell(store.database).finally(store.close);
      answer(options, { cell: cellName(code), epoch: String(epoch) }, `cell ${cellName(code)} is there`);
    });
}

function addList(cell: Command): void {
  cell
    .command('list')
    .description('Lists the cells of CELLS_FILE, or the only one: whether each works here, or where it is.')
    .addOption(jsonOption())
    .action(async (options: { json?: boolean }) => {
      const { served, elsewhere } = allCells();
      const rows = await Promise.all(served.map(listed));
      for (const [code, address] of elsewhere)
        rows.push({ cell: cellName(code), state: 'elsewhere', epoch: '', place: address });
      const columns = { CELL: 'cell', STATE: 'state', EPOCH: 'epoch', PLACE: 'place' } as const;
      answer(options, rows, columnsText(rows, columns));
    });
}

function addVerify(cell: Command): void {
  cell
    .command('verify')
    .description(
      'Checks that everything a cell gives out says its code, and that its fence agrees with its state; fails when something is wrong. "verify" recomputes the ledger.',
    )
    .argument('[code]', `${CELL_FORM}; by default the cell of the settings`, codeOf)
    .addOption(jsonOption())
    .action(async (code: string | undefined, options: { json?: boolean }) => {
      const server = await CellServer.connect(await locationOf(cellSettings(code)));
      const checks: readonly CellCheck[] = await checkCell(server).finally(() => server.close());
      const text = checks
        .map(({ check, ok, detail }) => `${ok ? 'ok  ' : 'FAIL'}  ${check}: ${detail}`)
        .join('\n');
      answer(options, { ok: checks.every(({ ok }) => ok), checks }, text);
      if (checks.some(({ ok }) => !ok)) process.exitCode = 1;
    });
}

function addRoutes(cell: Command): void {
  cell
    .command('routes')
    .description('Prints a configuration for a load balancer that sends each request to its cell.')
    .addOption(new Option('--nginx', 'for the http block of nginx').conflicts(['haproxy', 'envoy']))
    .addOption(new Option('--haproxy', 'front end and back ends of HAProxy').conflicts('envoy'))
    .option('--envoy', 'routes and clusters of Envoy, as YAML')
    .requiredOption('--to <cell=host:port,...>', 'gateways of a cell; once for each cell', withAddresses)
    .option('--listen <address>', 'where the balancer listens, in its own words', ':8080')
    .addOption(jsonOption())
    .action((options: RouteOptions) => {
      const config = configOf(options);
      answer(options, { config }, config.trimEnd());
    });
}

interface RouteOptions {
  readonly nginx?: boolean;
  readonly haproxy?: boolean;
  readonly envoy?: boolean;
  readonly to: CellAddresses;
  readonly listen: string;
  readonly json?: boolean;
}

function configOf({ nginx, haproxy, envoy, to, listen }: RouteOptions): string {
  if (nginx) return nginxRoutes(to, listen.replace(/^:/, ''));
  if (haproxy) return haproxyRoutes(to, listen);
  if (envoy) return envoyRoutes(to);
  throw new ConfigError('cell routes: expected one of --nginx, --haproxy and --envoy');
}

function withAddresses(text: string, before: CellAddresses = new Map()): CellAddresses {
  const [, name = '', list = ''] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  const addresses = list.split(',');
  if (cellNamed(name) === undefined || !addresses.every((each) => ADDRESS.test(each)))
    throw new InvalidArgumentError(
      'expected a cell and its gateways, such as a1=10.0.0.5:4000,10.0.0.6:4000',
    );
  return new Map([...before, [name, addresses]]);
}

async function listed(config: Config): Promise<ListedCell> {
  const name = cellName(config.cell ?? '');
  if (config.databaseUrl === undefined)
    return { cell: name, state: 'embedded', epoch: '', place: config.home };
  const { pathname } = new URL(urlsOfHosts(config.databaseUrl)?.[0] ?? config.databaseUrl);
  const location = `${addressOf(config.databaseUrl)}${pathname}/${config.databaseSchema}`;
  const server = await locationOf(config)
    .then(CellServer.connect, () => undefined)
    .catch(() => undefined);
  if (!server) return { cell: name, state: 'unreachable', epoch: '', place: location };
  const found = await server.cell().finally(() => server.close());
  if (!found) return { cell: name, state: 'empty', epoch: '', place: location };
  return { cell: cellName(found.code), state: found.state, epoch: String(found.epoch), place: location };
}

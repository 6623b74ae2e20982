/**
 * CELLS_FILE: the cells of an installation (docs/scaling.md). Each cell is served by this process, and then says its own database and
 * rails, or is served elsewhere, and then says at which address.
 */
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CELL_FORM, cellNamed, FIRST_CELL, FIRST_CELL_NAME } from './base/ids/cell.ts';
import { Settings, SettingsError } from './base/process/settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A cell that a process serves: its code, and the settings that are its own. */
export interface ServedCell {
  readonly code: string;
  readonly settings: Environment;
}

/** The cells of an installation, in the order of the file. */
export interface Cells {
  readonly served: readonly ServedCell[];
  /** Addresses of the others, by code. */
  readonly elsewhere: ReadonlyMap<string, string>;
}

/** Members of a served cell, and the settings that they stand for. Only the first cell takes those that are missing from the environment. */
const MEMBERS = {
  databaseUrl: 'DATABASE_URL',
  databaseOwnerUrl: 'DATABASE_OWNER_URL',
  databaseSchema: 'DATABASE_SCHEMA',
  replicaUrls: 'REPLICA_URLS',
  notifyUrl: 'NOTIFY_URL',
} as const;
const FILES = { railsFile: 'RAILS_FILE', secretsKeyFile: 'SECRETS_KEY_FILE' } as const;
const CONNECTIONS = { min: 2, max: 1_000 };

/**
 * @param home - folder of the first cell; others have a folder of their own in it.
 * @throws {SettingsError} naming the member and the accepted form, or the file that cannot be read.
 */
export function readCells(file: string, home: string): Cells {
  const all = new Settings(parsed(file), '');
  const cells = all.end(all.part('cells'));
  const served: ServedCell[] = [];
  const elsewhere = new Map<string, string>();
  for (const name of cells.names()) {
    const code = cellNamed(name);
    if (code === undefined)
      throw new SettingsError(`${cells.at(name)}: expected ${FIRST_CELL_NAME}, or ${CELL_FORM}`);
    const cell = cells.part(name);
    if (cell.has('address')) elsewhere.set(code, cell.end(cell.url('address')));
    else served.push({ code, settings: settingsOf(cell, { code, home, folder: dirname(file) }) });
  }
  return { served, elsewhere };
}

function settingsOf(
  cell: Settings,
  { code, home, folder }: { readonly code: string; readonly home: string; readonly folder: string },
): Environment {
  const isFirst = code === FIRST_CELL;
  const settings: Record<string, string | undefined> = {
    CELL: code,
    CROSSRAMP_HOME: isFirst ? home : join(home, code),
  };
  for (const [member, name] of Object.entries(MEMBERS))
    if (cell.has(member) || !isFirst) settings[name] = cell.has(member) ? cell.text(member) : undefined;
  for (const [member, name] of Object.entries(FILES))
    if (cell.has(member) || !isFirst)
      settings[name] = cell.has(member) ? resolve(folder, cell.text(member)) : undefined;
  if (cell.has('databaseConnections'))
    settings.DATABASE_CONNECTIONS = String(cell.integer('databaseConnections', CONNECTIONS));
  if (!cell.has('databaseUrl') && !isFirst)
    cell.refuse('databaseUrl', 'a database, or the address where the cell is served');
  return cell.end(settings);
}

function parsed(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) throw new SettingsError(`not JSON (${error.message})`);
    throw new SettingsError(`cannot read the file (${(error as NodeJS.ErrnoException).code})`);
  }
}

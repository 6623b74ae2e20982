/**
 * CELLS_FILE: the cells of an installation (docs/scaling.md). Each cell is served by this process, and then says its own database and
 * rails, or is served elsewhere, and then says at which address.
 */
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { AccountMode } from './base/access/account-mode.ts';
import { isApiKey } from './base/access/api-key.ts';
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
  /** Keys of the operator at these, by code: for its figures. */
  readonly operatorKeys: ReadonlyMap<string, OperatorKeys>;
  /** Key that signs transfers of sign-ins between cells; undefined: each cell signs in by itself. */
  readonly signInKey: Buffer | undefined;
}

/** The cells of an installation without a file: no others. */
export const NO_OTHERS = {
  elsewhere: new Map<string, string>(),
  operatorKeys: new Map<string, OperatorKeys>(),
  signInKey: undefined,
} as const satisfies Omit<Cells, 'served'>;

/** Keys of the operator by the mode of accounts. */
export type OperatorKeys = Readonly<Partial<Record<AccountMode, string>>>;

/** Members of a served cell, and the settings that they stand for. Only the first cell takes those that are missing from the environment. */
const MEMBERS = {
  databaseUrl: 'DATABASE_URL',
  databaseOwnerUrl: 'DATABASE_OWNER_URL',
  databaseSchema: 'DATABASE_SCHEMA',
  replicaUrls: 'REPLICA_URLS',
  notifyUrl: 'NOTIFY_URL',
} as const;
const FILES = { railsFile: 'RAILS_FILE', secretsKeyFile: 'SECRETS_KEY_FILE' } as const;
/** 32 bytes in hex. */
const SIGNING_KEY = /^[0-9a-f]{64}$/i;
const CONNECTIONS = { min: 2, max: 1_000 };

/**
 * @param home - folder of the first cell; others have a folder of their own in it.
 * @throws {SettingsError} naming the member and the accepted form, or the file that cannot be read.
 */
export function readCells(file: string, home: string): Cells {
  const all = new Settings(parsed(file), '');
  const folder = dirname(file);
  const signInKey = all.has('signInKeyFile') ? signingKey(all, folder) : undefined;
  const cells = all.end(all.part('cells'));
  const served: ServedCell[] = [];
  const elsewhere = new Map<string, string>();
  const operatorKeys = new Map<string, OperatorKeys>();
  for (const name of cells.names()) {
    const code = cellNamed(name);
    if (code === undefined)
      throw new SettingsError(`${cells.at(name)}: expected ${FIRST_CELL_NAME}, or ${CELL_FORM}`);
    const cell = cells.part(name);
    if (cell.has('address')) {
      if (cell.has('operatorKeyFile')) operatorKeys.set(code, keysOf(cell, folder));
      elsewhere.set(code, cell.end(cell.url('address')));
    } else served.push({ code, settings: settingsOf(cell, { code, home, folder }) });
  }
  return { served, elsewhere, operatorKeys, signInKey };
}

/** @returns the keys in a file: one for each mode, with spaces or lines between them. */
function keysOf(cell: Settings, folder: string): OperatorKeys {
  const keys = textOf(cell, 'operatorKeyFile', folder).split(/\s+/).filter(Boolean);
  if (keys.length === 0 || !keys.every(isApiKey))
    throw new SettingsError(`${cell.at('operatorKeyFile')}: expected a file with API keys of the operator`);
  return Object.fromEntries(keys.map((key) => [key.startsWith('crx_live_') ? 'live' : 'sandbox', key]));
}

function signingKey(all: Settings, folder: string): Buffer {
  const text = textOf(all, 'signInKeyFile', folder).trim();
  if (!SIGNING_KEY.test(text))
    throw new SettingsError(
      'signInKeyFile: expected a file with 64 hexadecimal digits, as of openssl rand -hex 32',
    );
  return Buffer.from(text, 'hex');
}

function textOf(settings: Settings, member: string, folder: string): string {
  try {
    return readFileSync(resolve(folder, settings.text(member)), 'utf8');
  } catch (error) {
    if (error instanceof SettingsError) throw error;
    throw new SettingsError(
      `${settings.at(member)}: cannot read the file (${(error as NodeJS.ErrnoException).code})`,
    );
  }
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

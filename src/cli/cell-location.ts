/** Cells as commands name them, and where they are. */
import { InvalidArgumentError } from 'commander';
import { CELL_FORM, cellNamed, FIRST_CELL_NAME } from '../base/ids/cell.ts';
import { writingUrl } from '../compose/open-store.ts';
import { type Config, ConfigError } from '../config.ts';
import type { CellLocation } from '../store/migration/cell-server.ts';

/** @returns where the cell of these settings is. @throws {ConfigError} for the embedded server, which serves this machine alone. */
export async function locationOf({
  databaseOwnerUrl,
  databaseUrl,
  databaseSchema: schema,
}: Config): Promise<CellLocation> {
  const url = databaseOwnerUrl ?? databaseUrl;
  if (url === undefined) throw new ConfigError('DATABASE_URL: expected a server of your own for a cell');
  return { url: await writingUrl(url), schema };
}

/** @returns the code that an argument of a command names. */
export function codeOf(text: string): string {
  const code = cellNamed(text);
  if (code === undefined) throw new InvalidArgumentError(`expected ${FIRST_CELL_NAME}, or ${CELL_FORM}`);
  return code;
}

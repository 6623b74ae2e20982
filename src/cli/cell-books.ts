/** Verification of the books on both sides of a move, while callers go on. */

import { openDatabase } from '../store/connection/connection.ts';
import type { Database } from '../store/connection/database.ts';
import {
  type CheckedAccount,
  type CheckedPosition,
  checkSince,
  findSince,
  groupAccounts,
  NEW_JOURNALS_MAX,
  readPositions,
  type UncheckedAccount,
} from '../store/ledger/verify-new.ts';
import type { CellLocation } from '../store/migration/cell-server.ts';
import type { MovedBooks } from '../store/migration/move-cell.ts';
import { defectText, type ShownDefect, verifyAccounts, verifyBooks, verifyClearing } from './verify-books.ts';

const CONNECTIONS = 2;

/** Opens the books of both sides. The target may not have any tables yet. @param onProgress - called with lines checked. */
export function openMovedBooks(
  sides: { readonly source: CellLocation; readonly target: CellLocation },
  onProgress: (lines: number) => void,
): MovedBooks & { close: () => Promise<unknown> } {
  const open = ({ url, schema }: CellLocation) =>
    openDatabase(url, { schema, connections: CONNECTIONS, patient: true });
  const databases = { source: open(sides.source), target: open(sides.target) };
  let positions: readonly CheckedPosition[] | undefined;
  return {
    verify: async (side) => {
      if (side === 'target') positions = await readPositions(databases.target);
      return (await lastingDefects(() => verifyBooks(databases[side], onProgress))).map(defectText);
    },
    verifyRest: async () => {
      if (!positions)
        return (await lastingDefects(() => verifyBooks(databases.target, onProgress))).map(defectText);
      // Before the check, so that nothing lies between this one and the next.
      const next = await readPositions(databases.target);
      const defects = await defectsSince(databases.target, positions);
      positions = next;
      return defects.map(defectText);
    },
    close: () => Promise.all([databases.source.close(), databases.target.close()]),
  };
}

/** @returns defects that two verifications find: one that is found once may come from a change while it was looked for. */
async function lastingDefects(
  verify: () => Promise<{ readonly defects: readonly ShownDefect[] }>,
): Promise<ShownDefect[]> {
  const { defects } = await verify();
  if (defects.length === 0) return [];
  const again = new Set((await verify()).defects.map(nameOf));
  return defects.filter((each) => again.has(nameOf(each)));
}

/** A defect without its figures, which may have changed. */
function nameOf({ accountId, defect, at }: ShownDefect): string {
  return `${accountId} ${defect} ${at}`;
}

/** Verifies what was posted after these positions: one statement for many accounts, because writers may wait. */
async function defectsSince(
  database: Database,
  positions: readonly CheckedPosition[],
): Promise<ShownDefect[]> {
  const accounts = await findSince(database, positions);
  const isLong = ({ journals }: UncheckedAccount) => journals > NEW_JOURNALS_MAX;
  const long = accounts.filter(isLong).map(({ accountId }) => accountId);
  const found = long.length > 0 ? await lastingDefects(() => verifyAccounts(database, long, () => {})) : [];
  const byAccount = new Map(positions.map((each) => [each.accountId, each]));
  for (const group of groupAccounts(accounts.filter((each) => !isLong(each)))) {
    const checked = await checkSince(database, group, byAccount);
    found.push(...checked.flatMap(shownDefects));
  }
  return [...found, ...(await verifyClearing(database))];
}

function shownDefects({ accountId, defects }: CheckedAccount): ShownDefect[] {
  return defects.map(([defect, at, detail]) => ({
    accountId: String(accountId),
    defect,
    ledgerAccountId: null,
    at: at === null ? null : Number(at),
    detail,
  }));
}

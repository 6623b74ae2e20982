/** The other cells of an installation, of which the operator sees figures (docs/scaling.md). */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Scope } from '../../base/access/api-key.ts';
import { FIRST_CELL_NAME } from '../../base/ids/cell.ts';

/** A row of a figure: what it is about, and its values; null where one is not known, such as the worth of a currency without a rate. */
export interface FigureRow {
  readonly names: readonly string[];
  readonly values: readonly (string | null)[];
}

/** Days in Brasília, as callers write them. */
export interface FigureDays {
  readonly from?: string | null | undefined;
  readonly to?: string | null | undefined;
  /** Of reports of reconciliation, default yesterday. */
  readonly day?: string | null | undefined;
}

/** A figure that is requested of another cell. */
export interface FigureRequest {
  readonly mode: AccountMode;
  /** Scopes of the caller, who sees no more of another cell of this process than of its own. */
  readonly scopes: readonly Scope[];
  readonly figure: string;
  readonly days: FigureDays;
  /** Time limit of the answer. Unit: ms. */
  readonly limitMs: number;
}

/** Another cell. */
export interface OtherCell {
  /** Name of the cell. */
  readonly cell: string;
  /** @throws {Error} with a message that says why there is no answer. */
  readonly read: (request: FigureRequest) => Promise<readonly FigureRow[]>;
}

/** The cells of an installation. */
export interface CellsOfOperator {
  /** Name of this cell. */
  readonly own: string;
  readonly others: readonly OtherCell[];
  /** Key of transfers of sign-ins between these cells; undefined: each cell signs in by itself. */
  readonly signInKey?: Buffer | undefined;
}

/** An installation of one cell. */
export const ONE_CELL: CellsOfOperator = { own: FIRST_CELL_NAME, others: [] };

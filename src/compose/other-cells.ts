/**
 * Reads figures of the other cells of an installation: in this process from their services, otherwise over HTTP with a
 * key of the operator.
 */

import { type AccountMode, keyModeOf } from '../base/access/account-mode.ts';
import { within } from '../base/concurrency/within.ts';
import { GatewayError } from '../base/errors/errors.ts';
import { cellName, FIRST_CELL } from '../base/ids/cell.ts';
import { readAnswer } from '../base/input/read-answer.ts';
import { isDecimal } from '../base/money/money.ts';
import type { CellConfigs } from '../config.ts';
import { FIGURES, type Figure, readFigure } from '../resolvers/cells/figures.ts';
import { GATEWAY, type Services } from '../resolvers/services/context.ts';
import type {
  CellsOfOperator,
  FigureRequest,
  FigureRow,
  OtherCell,
} from '../resolvers/services/other-cells.ts';
import { platformAccount } from '../store/account/accounts.ts';
import { isDatabaseUnreachable } from '../store/connection/database-error.ts';

const ANSWER_MAX_BYTES = 1_048_576;
/** Maximum number of rows: more than the books of a house have, each in each currency. */
const ROWS_MAX = 5_000;
const NAME = /^[ -~]{1,120}$/;
/** Maximum number of characters: more than any amount of a ledger has. */
const VALUE_LENGTH_MAX = 120;
const QUERY =
  'query Figures($figure: Figure!, $from: Date, $to: Date, $day: Date) { figures(figure: $figure, from: $from, to: $to, day: $day) { names values } }';

/** @param services - undefined while the cell starts. @returns a cell of this process. */
export function cellHere(code: string, services: () => Services | undefined): OtherCell {
  return {
    cell: cellName(code),
    read: async (request) => {
      const own = services();
      if (!own) throw new Error('the cell is starting');
      return within(request.limitMs, readHere(own, request), () => tooLate(request.limitMs)).catch(failHere);
    },
  };
}

/**
 * @param servicesOf - returns the services of a cell of this process, by its position; undefined while it starts.
 * @returns the cells of an installation as a cell of this process sees them, by its position.
 */
export function cellsAround(
  { served, elsewhere, unserved, operatorKeys, signInKey }: CellConfigs,
  servicesOf: (position: number) => Services | undefined,
): (position: number) => CellsOfOperator {
  const all = [
    ...served.map(({ cell = FIRST_CELL }, n) => cellHere(cell, () => servicesOf(n))),
    ...cellsElsewhere({ elsewhere, operatorKeys }),
    ...unserved.map(cellUnserved),
  ];
  return (position) => ({
    own: cellName(served[position]?.cell ?? FIRST_CELL),
    others: all.filter((_, n) => n !== position),
    signInKey,
  });
}

/** @returns the cells that other gateways serve. */
export function cellsElsewhere({
  elsewhere,
  operatorKeys,
}: Pick<CellConfigs, 'elsewhere' | 'operatorKeys'>): readonly OtherCell[] {
  return [...elsewhere].map(([code, address]) =>
    cellElsewhere({ code, address, operatorKeys: operatorKeys.get(code) ?? {} }),
  );
}

async function readHere(
  services: Services,
  { mode, scopes, figure, days }: FigureRequest,
): Promise<readonly FigureRow[]> {
  const accountId = await platformAccount(services.database, mode);
  const caller = {
    accountId,
    id: 'operator',
    mode: keyModeOf(mode),
    scopes,
    allowedCidrs: [],
    allowedOrigins: [],
  };
  return readFigure({ ...services.forMode(mode), caller, origin: GATEWAY }, figure as Figure, days);
}

function failHere(error: unknown): never {
  if (error instanceof GatewayError) throw error;
  throw new Error(
    isDatabaseUnreachable(error) ? 'its database does not answer' : 'its figures cannot be read',
  );
}

function tooLarge(): Error {
  return new Error('the answer is too large');
}

function tooLate(limitMs: number): Error {
  return new GatewayError('UNAVAILABLE', `no answer within ${limitMs / 1_000} seconds`);
}

/** @returns a cell of the installation without a known address, which this process does not serve. */
export function cellUnserved(code: string): OtherCell {
  return {
    cell: cellName(code),
    read: async () => {
      throw new Error('this process does not serve it, and CELLS_FILE has no address for it');
    },
  };
}

/** A cell of another gateway, with its address and keys. */
export interface CellElsewhere {
  readonly code: string;
  readonly address: string;
  /** Keys of the operator at that gateway, with the scope `platform:figures`, by mode. */
  readonly operatorKeys: Readonly<Partial<Record<AccountMode, string>>>;
}

/** @returns a cell that another gateway serves. */
export function cellElsewhere({ code, address, operatorKeys }: CellElsewhere): OtherCell {
  return {
    cell: cellName(code),
    read: async ({ mode, figure, days, limitMs }) => {
      const key = operatorKeys[mode];
      if (key === undefined) throw new Error(`CELLS_FILE has no operator key of ${mode} accounts for it`);
      const body = JSON.stringify({ query: QUERY, variables: { figure: figure.toUpperCase(), ...days } });
      return rowsOf(await answerOf(address, key, body, limitMs), FIGURES[figure as Figure]);
    },
  };
}

async function answerOf(address: string, key: string, body: string, limitMs: number): Promise<unknown> {
  const signal = AbortSignal.timeout(limitMs);
  let response: Response;
  try {
    response = await fetch(`${address}/graphql`, {
      method: 'POST',
      // The key is sent to the configured address only.
      redirect: 'error',
      signal,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json',
      },
      body,
    });
    if (response.status === 200) return JSON.parse(await readAnswer(response, ANSWER_MAX_BYTES, tooLarge));
  } catch (error) {
    if (signal.aborted) throw tooLate(limitMs);
    throw new Error((error as { cause?: { code?: string } }).cause?.code ?? 'the answer cannot be read');
  }
  await response.body?.cancel();
  throw new Error(response.status === 401 ? 'it refuses the operator key' : `it answers ${response.status}`);
}

/** @throws {Error} for an answer of another form, of which nothing is added up. */
function rowsOf(
  answer: unknown,
  { names, values }: { readonly names: readonly string[]; readonly values: readonly string[] },
): readonly FigureRow[] {
  const { data, errors } = Object(answer) as {
    data?: { figures?: unknown } | null;
    errors?: readonly { message?: unknown }[];
  };
  if (errors?.[0]) throw new Error(`it answers: ${String(errors[0].message).slice(0, 200)}`);
  const rows = data?.figures;
  const isRow = (row: Partial<FigureRow> | null) =>
    isListOf(row?.names, names.length, (name) => typeof name === 'string' && NAME.test(name)) &&
    isListOf(row?.values, values.length, (value) => value === null || isValue(value));
  if (!Array.isArray(rows) || rows.length > ROWS_MAX || !rows.every(isRow))
    throw new Error('it answers in another form');
  return rows;
}

function isValue(value: unknown): boolean {
  return typeof value === 'string' && value.length <= VALUE_LENGTH_MAX && isDecimal(value);
}

function isListOf(list: unknown, length: number, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(list) && list.length === length && list.every(isItem);
}

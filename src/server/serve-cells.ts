/**
 * One listener for several cells: each has an application of its own, and this file finds the one that a request belongs to.
 */
import type { RequestListener, ServerResponse } from 'node:http';
import { GatewayError } from '../base/errors/errors.ts';
import { cellName } from '../base/ids/cell.ts';
import { CELL_COOKIE, type CellTarget, cellOfRequest } from './cell-of-request.ts';
import { serveHealth } from './http/health.ts';
import { type Exchange, sendJson, sendProblem } from './http/http.ts';
import { unadmitted } from './without-app.ts';

/** A cell that this process serves. */
export interface ServedCell {
  /** Code; empty for the first cell. */
  readonly code: string;
  /** Undefined until the cell has started. */
  readonly running: () => RunningCell | undefined;
}

/** A cell that has started. */
export interface RunningCell {
  readonly handle: RequestListener;
  /** @returns the reason for which the cell is not ready; undefined when it is. */
  readonly unreadyReason: () => Promise<string | undefined>;
}

/** Parts that divide requests among cells. */
export interface CellsParts {
  /** List of at least one cell. A request that names no cell goes to the first of them that has started. */
  readonly served: readonly ServedCell[];
  /** Addresses of cells that other processes serve, by code. */
  readonly elsewhere: ReadonlyMap<string, string>;
  readonly publicUrl: string;
  readonly isDraining: () => boolean;
}

const RETRY_SECONDS = 2;
const YEAR_SECONDS = 31_536_000;

/**
 * @returns the listener. A request for a cell of another process is answered 421 with its address, and for a cell that
 * has not started 503; other cells continue meanwhile. A request with an unknown code goes to the first cell, in which
 * its record or path is missing.
 */
export function serveCells(parts: CellsParts): RequestListener {
  return (request, response) => {
    const target = cellOfRequest(request);
    if (request.url === '/healthz') return serveHealth(unadmitted(request, response));
    if (request.url === '/readyz') return void serveReadiness(parts, unadmitted(request, response));
    const cell = cellFor(parts, target);
    const address = target.cell === undefined ? undefined : parts.elsewhere.get(target.cell);
    if (!cell && address !== undefined)
      return sendProblem(unadmitted(request, response), parts.publicUrl, misdirected(target, address));
    const running = cell?.running();
    if (!running)
      return sendProblem(unadmitted(request, response), parts.publicUrl, notStarted(cell?.code ?? ''));
    if (cell?.code === target.cell) request.url = target.url;
    if (target.isEntrance) rememberCell(response, cell?.code ?? '', parts.publicUrl);
    return running.handle(request, response);
  };
}

/** @returns the cell of a target; undefined for a cell of another process. */
function cellFor({ served, elsewhere }: CellsParts, { cell: code }: CellTarget): ServedCell | undefined {
  const own = code === undefined ? undefined : served.find((each) => each.code === code);
  if (own) return own;
  if (code !== undefined && elsewhere.has(code)) return undefined;
  return served.find((each) => each.running()) ?? served[0];
}

/**
 * `/readyz` of the process: ready as long as one cell is ready, so that a load balancer does not remove all of them.
 */
async function serveReadiness({ served, isDraining }: CellsParts, exchange: Exchange): Promise<void> {
  const cells = await Promise.all(
    served.map(async ({ code, running }) => {
      const cell = running();
      const reason = cell ? await cell.unreadyReason() : 'starting';
      return [
        cellName(code),
        reason === undefined ? { status: 'ready' } : { status: 'not ready', reason },
      ] as const;
    }),
  );
  const reason = isDraining()
    ? 'draining'
    : cells.some(([, { status }]) => status === 'ready')
      ? undefined
      : 'no cell is ready';
  const answer = {
    ...(reason === undefined ? { status: 'ready' } : { status: 'not ready', reason }),
    cells: Object.fromEntries(cells),
  };
  sendJson(exchange, reason === undefined ? 200 : 503, JSON.stringify(answer), {
    ...(reason !== undefined && { 'retry-after': String(RETRY_SECONDS) }),
  });
}

/** Sign-in paths name the cell once; the cookie names it after the end of the session. */
function rememberCell(response: ServerResponse, code: string, publicUrl: string): void {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  response.appendHeader(
    'set-cookie',
    `${CELL_COOKIE}=${cellName(code)}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${YEAR_SECONDS}${secure}`,
  );
}

function misdirected({ cell = '' }: CellTarget, address: string): GatewayError {
  return new GatewayError('MISDIRECTED', `the cell ${cellName(cell)} is served at ${address}`, {
    members: { address },
  });
}

function notStarted(code: string): GatewayError {
  return new GatewayError('UNAVAILABLE', `the cell ${cellName(code)} is starting`, {
    retryAfter: RETRY_SECONDS,
  });
}

/** The cell that a request belongs to, by its path, key, token or cookie (docs/scaling.md). */
import type { IncomingMessage } from 'node:http';
import { cellNamed, cellOf } from '../base/ids/cell.ts';
import { CONSOLE_PATH } from '../base/pages/console-url.ts';
import { PAY_PATH } from '../base/pages/pay-links.ts';

/** Cookie that names the cell in which a browser signs in. */
export const CELL_COOKIE = 'cell';

/** Target of a request. */
export interface CellTarget {
  /** Code; undefined if the request names no cell, as for documents. */
  readonly cell: string | undefined;
  /** Target of the request within the cell, with its query. */
  readonly url: string;
  /** Whether the browser signs in to this cell next time. */
  readonly isEntrance: boolean;
}

/** A path that names its cell, such as the path of a rail's callbacks: `/cells/a1/rails/live/pix`. */
const NAMED = /^\/cells\/(first|[0-9a-z]{2})(?=\/)/;
/** A session or a static link; the script of the pages is the same in all cells. */
const PAY = new RegExp(`^${PAY_PATH}/(?:(?:[0-9a-z]{2})?[\\w-]{24}|l/(?:[0-9a-z]{2})?[\\w-]{16})(?=[/?]|$)`);
const LINK = new RegExp(`^${CONSOLE_PATH}/link/([\\w-]+)`);
const ENTRANCE = new RegExp(`^${CONSOLE_PATH}(?:/[^?]*)?\\?(?:.*&)?cell=(first|[0-9a-z]{2})(?:&|$)`);
const BEARER = /^bearer +(\S+)$/i;
const QUERY_TOKEN = /[?&]access_token=([^&]*)/;
const SESSION = /(?:^|;\s*)(?:__Host-)?session=([\w-]{43,45})(?:;|$)/;
const REMEMBERED = new RegExp(`(?:^|;\\s*)${CELL_COOKIE}=(first|[0-9a-z]{2})(?:;|$)`);

/** @returns the target of a request. The path takes precedence over the key, and the key over cookies. */
export function cellOfRequest({ url = '/', headers }: Pick<IncomingMessage, 'url' | 'headers'>): CellTarget {
  const named = NAMED.exec(url);
  if (named) return { cell: cellNamed(named[1] ?? ''), url: url.slice(named[0].length), isEntrance: false };
  const link = LINK.exec(url)?.[1];
  if (link !== undefined) return { cell: cellOf(link), url, isEntrance: true };
  const entrance = ENTRANCE.exec(url)?.[1];
  if (entrance !== undefined) return { cell: cellNamed(entrance), url, isEntrance: true };
  return { cell: cellOfPayer(url) ?? cellOfCaller(url, headers), url, isEntrance: false };
}

function cellOfPayer(url: string): string | undefined {
  const token = PAY.exec(url)?.[0].split('/').at(-1);
  return token === undefined ? undefined : cellOf(token);
}

function cellOfCaller(
  url: string,
  { authorization, cookie = '' }: IncomingMessage['headers'],
): string | undefined {
  const token = BEARER.exec(authorization ?? '')?.[1] ?? QUERY_TOKEN.exec(url)?.[1];
  if (token !== undefined) return cellOf(token);
  const session = SESSION.exec(cookie)?.[1];
  if (session !== undefined) return cellOf(session);
  const remembered = REMEMBERED.exec(cookie)?.[1];
  return remembered === undefined ? undefined : cellNamed(remembered);
}

/**
 * Finds lost callbacks. One process at a time reads the statement, with overlapping periods, and queries the provider
 * about open orders. Repeated reports are dropped. An unreadable part does not stop the read of new entries, but the
 * late read stops there until the part is readable.
 */
import { end2endOfOrder } from '../../base/ids/end2end.ts';
import { aboutTransaction } from '../../base/trace/about.ts';
import type { RailTools } from '../../resolvers/services/rail-part.ts';
import {
  claimPixOrders,
  type PixOrder,
  type PixOrderKind,
  schedulePixOrder,
} from '../../store/rails/pix-orders.ts';
import {
  beginReading,
  finishReading,
  forgetLookups,
  type PixReadingEnd,
  type PixStatement,
} from '../../store/rails/pix-statement.ts';
import { type ApiPix, read, type StatementPart } from './client.ts';
import type { ConnectionStatus } from './connection-status.ts';
import { readEfiInfraction } from './efi-infractions.ts';
import { PspProblem, PspUnavailable } from './http.ts';
import { listCases } from './http-med.ts';
import { readInfractionList } from './infractions.ts';
import { type OrderKind, type OrderReport, queryOrder, schedulePoll } from './orders.ts';
import { reportEvents, reportPayments } from './report-payments.ts';
import type { ApiPixSettings } from './settings.ts';
import { readPages, type WireError } from './wire.ts';

/** Parts of polling. */
export interface PollParts {
  readonly tools: RailTools;
  readonly settings: ApiPixSettings;
  readonly api: ApiPix;
  readonly kinds: Readonly<Record<PixOrderKind, OrderKind>>;
  readonly complain: ConnectionStatus['complain'];
}

/** One of two reads of the statement: new entries often, and late entries at longer intervals. Unit: ms. */
export interface Reading {
  /** Suffix of the statement's name, under which progress is stored. */
  readonly name: string;
  readonly overlapMs: number;
  /** Interval; null means the interval of the settings. */
  readonly everyMs: number | null;
  /** Whether the read continues past an unreadable part, which the other read covers again. */
  readonly goesOn: boolean;
}

const NEW: Reading = { name: '', overlapMs: 120_000, everyMs: null, goesOn: true };
/** Interval of the late read. Unit: ms. */
export const LATE_EVERY_MS = 900_000;
/** The read of late entries, and of entries that were unreadable before. */
export const LATE: Reading = {
  name: ' late',
  overlapMs: 3_600_000,
  everyMs: LATE_EVERY_MS,
  goesOn: false,
};
/** Delay after a failed read or query. Unit: ms. */
const AGAIN_MS = 5_000;
/** Maximum number of requests for a page in one read. */
const ATTEMPTS = 3;
/** Maximum period of one read, because providers limit the period of a query. Unit: ms. */
export const PART_MS = 24 * 3_600_000;
/** Time after which another process may take over a read. A report that both find is booked once. Unit: ms. */
const CYCLE_MS = 120_000;
const PAGES_MAX = 10_000;
/** Maximum number of pages of the list of disputes, since payments wait until it was read. */
const DISPUTE_PAGES_MAX = 500;
const ORDERS_PER_POLL = 20;
/** Time during which a queried order is not queried again. Unit: ms. */
const POLLING_MS = 60_000;

/** @returns the key under which the progress of a read is stored. */
export function statementOf(
  { mode }: Pick<RailTools, 'mode'>,
  { url, pixKey }: Pick<ApiPixSettings, 'url' | 'pixKey'>,
  { name }: Pick<Reading, 'name'> = NEW,
): PixStatement {
  return { mode, source: `${url} ${pixKey}${name}` };
}

/** Reads the statement up to now, if a read is due and no other process is reading. @throws as `readPart`. */
export async function readStatement(parts: PollParts): Promise<void> {
  for (const reading of [NEW, LATE]) while ((await readPart(parts, reading)) === 'behind');
}

/**
 * Reads at most one day of the statement.
 * @returns 'behind' if more can be read immediately, otherwise 'rest'.
 * @throws {PspUnavailable} {PspProblem} Entries read before the error are reported; the whole part is read again.
 */
async function readPart(parts: PollParts, reading: Reading): Promise<'behind' | 'rest'> {
  const { tools, settings } = parts;
  const { database, clock, mode } = tools;
  const statement = statementOf(tools, settings, reading);
  const startedMs = database.nowMs();
  const claim = await beginReading(database, statement, { nowMs: startedMs, untilMs: startedMs + CYCLE_MS });
  if (!claim) return 'rest';
  const nowMs = await clock.nowMs();
  // The first read begins now, because no charges existed before.
  const knownMs = claim.readUntilMs ?? nowMs;
  const toMs = Math.min(nowMs, knownMs + PART_MS);
  const everyMs = reading.everyMs ?? settings.pollSeconds * 1_000;
  const againMs = Math.min(everyMs, AGAIN_MS);
  let end: PixReadingEnd = { readUntilMs: knownMs, readAtMs: null, dueMs: startedMs + againMs };
  try {
    const period = {
      from: new Date(knownMs - reading.overlapMs).toISOString(),
      to: new Date(toMs).toISOString(),
    };
    const isWhole = [await readPayments(parts, period), await readInfractions(parts, period)].every(Boolean);
    if (!isWhole && !reading.goesOn) {
      end = { readUntilMs: knownMs, readAtMs: null, dueMs: startedMs + everyMs };
      return 'rest';
    }
    end =
      toMs < nowMs
        ? { readUntilMs: toMs, readAtMs: null, dueMs: startedMs }
        : { readUntilMs: toMs, readAtMs: database.nowMs(), dueMs: startedMs + everyMs };
  } finally {
    await finishReading(database, statement, end);
  }
  await forgetLookups(database, mode, startedMs);
  return toMs < nowMs ? 'behind' : 'rest';
}

/** Queries orders that are due. @returns the number of these orders. */
export async function pollOrders({ tools, kinds, complain }: PollParts): Promise<number> {
  const nowMs = tools.database.nowMs();
  const due = { nowMs, againMs: nowMs + POLLING_MS, limit: ORDERS_PER_POLL };
  const orders = await claimPixOrders(tools.database, tools.mode, due);
  const poll = async (order: PixOrder) => {
    let reported: OrderReport | undefined;
    try {
      reported = await queryOrder(tools, kinds[order.kind], order);
    } catch (error) {
      complain({ err: error, order: order.key }, 'the PIX provider cannot be queried about an order');
      return schedulePixOrder(tools.database, order, tools.database.nowMs() + AGAIN_MS);
    }
    return schedulePoll(tools, order, reported);
  };
  await Promise.all(orders.map((order) => aboutTransaction(end2endOfOrder(order.key), () => poll(order))));
  return orders.length;
}

/** A period of a list. */
type Period = Pick<StatementPart, 'from' | 'to'>;

/** @returns whether every entry was readable. */
async function readPayments({ tools, api, settings }: PollParts, period: Period): Promise<boolean> {
  let wrong: WireError | undefined;
  await eachPage(async (page) => {
    const part = await api.getStatement({ ...period, page });
    await reportPayments({ ...tools, settings }, part.read);
    wrong ??= part.wrong;
    return part.pages;
  });
  if (wrong) reportUnread(tools, wrong, period);
  return !wrong;
}

/** Reads disputes and reports of fraud, if the provider lists them. @returns whether every entry was readable. */
export async function readInfractions(
  { tools, api, settings }: Pick<PollParts, 'tools' | 'api' | 'settings'>,
  period: Period,
): Promise<boolean> {
  const getPage = pagesOf(api, settings);
  if (!getPage) return true;
  let wrong: Error | undefined;
  try {
    await eachPage(async (page) => {
      if (page === DISPUTE_PAGES_MAX)
        throw new PspProblem(200, '', `the list of disputes has more than ${page} pages`);
      const entries = await getPage({ ...period, page });
      await reportEvents(tools, entries.read);
      wrong ??= entries.wrong;
      return entries.pages;
    });
  } catch (error) {
    if (!(error instanceof PspUnavailable || error instanceof PspProblem)) throw error;
    wrong = error;
  }
  if (wrong) reportUnread(tools, wrong, period);
  return !wrong;
}

/** @returns a function that reads a page of the list of disputes; undefined if the provider has no list. */
function pagesOf(api: ApiPix, settings: ApiPixSettings) {
  const { infractionsUrl, efiInfractionsUrl, med } = settings;
  if (med) return (part: StatementPart) => listCases(api, { ...settings, med }, part);
  const url = infractionsUrl ?? efiInfractionsUrl;
  if (url === null) return undefined;
  const readList =
    infractionsUrl === null
      ? (json: unknown) => readInfractionList(json, readEfiInfraction)
      : (json: unknown) => readInfractionList(json);
  return async (part: StatementPart) => {
    const json = await api.getList(url, part);
    return { ...read(readList, json), pages: read(readPages, json) };
  };
}

function reportUnread({ log }: RailTools, err: Error, period: Period): void {
  log.error({ err, ...period }, 'a part of the statement of the PIX provider cannot be read');
}

/** @param readPage - reads a page and returns the number of pages; must tolerate a repeated page. */
export async function eachPage(readPage: (page: number) => Promise<number>): Promise<void> {
  for (let page = 0; page < PAGES_MAX; page++) if (page + 1 >= (await resultOf(() => readPage(page)))) return;
}

async function resultOf<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let left = ATTEMPTS - 1; ; left--)
    try {
      return await work();
    } catch (error) {
      if (left === 0 || !(error instanceof PspUnavailable)) throw error;
    }
}

/**
 * Finds lost callbacks: the statement is read again and again, with an overlap, by one process at a time, and the
 * provider is asked about undecided orders. Repeated reports are dropped. An unreadable part does not stop new
 * entries; the late read goes no further before it is readable.
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

/** Reading of the statement: new entries often, entries that a provider lists late now and then. Unit: ms. */
export interface Reading {
  /** Follows the name of the statement. */
  readonly name: string;
  readonly overlapMs: number;
  /** As the settings have it where null. */
  readonly everyMs: number | null;
  /** Continues past an unreadable part: another read covers it again. */
  readonly goesOn: boolean;
}

const NEW: Reading = { name: '', overlapMs: 120_000, everyMs: null, goesOn: true };
/** Unit: ms. */
export const LATE_EVERY_MS = 900_000;
/** The read of late and earlier unreadable entries. */
export const LATE: Reading = {
  name: ' late',
  overlapMs: 3_600_000,
  everyMs: LATE_EVERY_MS,
  goesOn: false,
};
/** After a turn, or a question about an order, that failed. Unit: ms. */
const AGAIN_MS = 5_000;
/** A page is asked for so often in a turn. */
const ATTEMPTS = 3;
/** Providers limit how much of it can be asked for at once. Unit: ms. */
export const PART_MS = 24 * 3_600_000;
/** Time after which another process may take over: a repeated report is settled once. Unit: ms. */
const CYCLE_MS = 120_000;
const PAGES_MAX = 10_000;
/** Of the list of disputes, which the next payments wait for. */
const DISPUTE_PAGES_MAX = 500;
const ORDERS_PER_POLL = 20;
/** Time for which a polled order is not polled again. Unit: ms. */
const POLLING_MS = 60_000;

/** @returns the account whose statement is read. */
export function statementOf(
  { mode }: Pick<RailTools, 'mode'>,
  { url, pixKey }: Pick<ApiPixSettings, 'url' | 'pixKey'>,
  { name }: Pick<Reading, 'name'> = NEW,
): PixStatement {
  return { mode, source: `${url} ${pixKey}${name}` };
}

/** Reads the statement up to now, where that is due and nobody else does it. @throws as `readPart`. */
export async function readStatement(parts: PollParts): Promise<void> {
  for (const reading of [NEW, LATE]) while ((await readPart(parts, reading)) === 'behind');
}

/**
 * Reads a day of the statement at most.
 *
 * @returns 'behind' where there is more to read at once; 'rest' where nothing is.
 * @throws {PspUnavailable} {PspProblem} what was read until then is told, and all of it is read again.
 */
async function readPart(parts: PollParts, reading: Reading): Promise<'behind' | 'rest'> {
  const { tools, settings } = parts;
  const { database, clock, mode } = tools;
  const statement = statementOf(tools, settings, reading);
  const startedMs = database.nowMs();
  const claim = await beginReading(database, statement, { nowMs: startedMs, untilMs: startedMs + CYCLE_MS });
  if (!claim) return 'rest';
  const nowMs = await clock.nowMs();
  // Before the first time there were no charges yet.
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

/**
 * Polls orders that are due.
 *
 * @returns their number.
 */
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

/** @returns whether every entry could be read. */
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

/** Disputes and reports, where the provider has a list of them. @returns whether every entry could be read. */
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

/** @returns the function that reads a page of the list of disputes; undefined where the provider has none. */
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

/** @param readPage - takes a page, and says how many there are; reading it again does no harm. */
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

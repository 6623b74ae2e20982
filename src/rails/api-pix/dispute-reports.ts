/**
 * Reports of disputes and of fraud: entries of the provider's list are booked. A report that the list lacks is stored
 * before the response, and the list is read again until it has the report, or the report counts as denied (C-36).
 */
import { createHash } from 'node:crypto';
import type { DisputeEvent, InfractionEvent, UnconfirmedEvent } from '../../resolvers/services/rail-event.ts';
import { endReport, type WaitingReport } from '../../store/rails/pix-reports.ts';
import type { Verdict } from './callback.ts';
import { PART_MS, type PollParts, readInfractions } from './poll.ts';
import { untold } from './report-payments.ts';
import { deny, storeOpen } from './stored-reports.ts';

/** Parts that such reports are checked with. */
export type DisputeParts = Pick<PollParts, 'tools' | 'api' | 'settings'>;

/** A stored report of a dispute or of fraud. */
type DisputeReport = WaitingReport<UnconfirmedEvent & Required<Pick<UnconfirmedEvent, 'dispute'>>>;

const DAY_MS = 24 * 3_600_000;
/** The list may have a dispute by the day on which it was opened, and a dispute is over after 11 days (domain.md 3.6). Unit: ms. */
const HISTORY_MS = 12 * DAY_MS;
/** Readings after which a report that the list lacks counts as denied: about a day, and 40 minutes where the caller is not proved. */
const UNLISTED_MAX = 30;
const UNPROVED_MAX = 6;
const UNLISTED = 'the list of the provider lacks it';
const UNREAD = 'the list of the provider could not be read';

/** Books what the list of the last day has, and stores the rest. @param isProved - the caller is the provider and no other. */
export async function acceptDisputeReports(
  parts: DisputeParts,
  reported: readonly (DisputeEvent | InfractionEvent)[],
  isProved: boolean,
): Promise<Verdict | undefined> {
  const isWhole = await readList(parts, DAY_MS);
  const open = reported.filter(await untold(parts.tools, reported));
  if (open.length === 0) return undefined;
  const reason = isWhole ? UNLISTED : UNREAD;
  const stored = open.map((dispute) => ({ news: unlisted(dispute, { reason, isProved }), isDenied: false }));
  return storeOpen(parts.tools, stored, isProved);
}

/** @returns whether a stored report is of a dispute or of fraud. */
export function isOfDispute(report: WaitingReport<UnconfirmedEvent>): report is DisputeReport {
  return report.body.dispute !== undefined;
}

/** Reads the list for stored reports. A listed one ends; the last reading denies one that is missing. */
export async function pollDisputeReports(
  parts: DisputeParts,
  reports: readonly DisputeReport[],
): Promise<void> {
  if (reports.length === 0) return;
  const { tools } = parts;
  const isWhole = await readList(parts, HISTORY_MS);
  const isOpen = await untold(
    tools,
    reports.map(({ body }) => body.dispute),
  );
  for (const { key, body, attempts } of reports)
    if (!isOpen(body.dispute)) await endReport(tools.database, { mode: tools.mode, key }, null);
    else if (isWhole && attempts >= (body.isProved ? UNLISTED_MAX : UNPROVED_MAX))
      await deny(tools, key, body, UNLISTED);
}

/** @returns whether every entry of the list was readable; all readable ones are booked. */
async function readList(parts: DisputeParts, backMs: number): Promise<boolean> {
  const nowMs = await parts.tools.clock.nowMs();
  const isoAt = (ms: number) => new Date(ms).toISOString();
  let isWhole = true;
  for (let fromMs = nowMs - backMs; fromMs < nowMs && isWhole; fromMs += PART_MS)
    isWhole = await readInfractions(parts, { from: isoAt(fromMs), to: isoAt(fromMs + PART_MS) });
  return isWhole;
}

function unlisted(
  dispute: DisputeEvent | InfractionEvent,
  trust: Pick<UnconfirmedEvent, 'reason' | 'isProved'>,
): UnconfirmedEvent {
  const { kind, endToEndId, amount } = dispute;
  const name = kind === 'infraction' ? dispute.infractionId : dispute.disputeId;
  const reportId = createHash('sha256')
    .update(JSON.stringify([kind, name, trust.isProved]))
    .digest('base64url');
  const unknown = { payoutName: null, txid: null, pixKey: null, settledAt: null, payerTaxId: null } as const;
  return { kind: 'unconfirmed', reportId, endToEndId, amount, ...unknown, dispute, ...trust };
}

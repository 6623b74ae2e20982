/**
 * Reports of disputes and of fraud. Entries of the provider's list are booked. A report that is missing in the list is
 * stored before the response; then the list is read repeatedly until the report appears or counts as denied (C-36).
 */
import { createHash } from 'node:crypto';
import type { DisputeEvent, InfractionEvent, UnconfirmedEvent } from '../../resolvers/services/rail-event.ts';
import { endReport, type WaitingReport } from '../../store/rails/pix-reports.ts';
import type { Verdict } from './callback.ts';
import { PART_MS, type PollParts, readInfractions } from './poll.ts';
import { untold } from './report-payments.ts';
import { deny, storeOpen } from './stored-reports.ts';

/** Dependencies of these reports. */
export type DisputeParts = Pick<PollParts, 'tools' | 'api' | 'settings'>;

/** A stored report of a dispute or of fraud. */
type DisputeReport = WaitingReport<UnconfirmedEvent & Required<Pick<UnconfirmedEvent, 'dispute'>>>;

const DAY_MS = 24 * 3_600_000;
/**
 * Period of the list that is read. Lists may date a dispute by its opening day, and a dispute lasts at most 11 days
 * (domain.md 3.6). Unit: ms.
 */
const HISTORY_MS = 12 * DAY_MS;
/**
 * Number of reads after which a missing report counts as denied: about a day, or 40 minutes for an unproved caller.
 */
const UNLISTED_MAX = 30;
const UNPROVED_MAX = 6;
const UNLISTED = 'the list of the provider lacks it';
const UNREAD = 'the list of the provider could not be read';

/**
 * Books reports that are in the list of the last day, and stores the others.
 * @param isProved - the caller is certainly the provider.
 */
export async function acceptDisputeReports(
  parts: DisputeParts,
  reported: readonly (DisputeEvent | InfractionEvent)[],
  isProved: boolean,
): Promise<Verdict | undefined> {
  const isWhole = await readList(parts, DAY_MS);
  const open = reported.filter(await untold(parts.tools, reported));
  if (open.length === 0) return undefined;
  const reason = isWhole ? UNLISTED : UNREAD;
  const stored = open.map((dispute) => ({ event: unlisted(dispute, { reason, isProved }), isDenied: false }));
  return storeOpen(parts.tools, stored, isProved);
}

/** @returns whether a stored report is about a dispute or fraud. */
export function isOfDispute(report: WaitingReport<UnconfirmedEvent>): report is DisputeReport {
  return report.body.dispute !== undefined;
}

/** Reads the list for stored reports. A report ends when the list has it; the last read denies a missing one. */
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

/** Books all readable entries of the list. @returns whether every entry was readable. */
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

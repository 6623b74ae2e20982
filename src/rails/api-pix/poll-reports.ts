/** Polls for stored reports that are due: one query for each payment, and one read of the list for all disputes. */
import type { UnconfirmedEvent } from '../../resolvers/services/rail-event.ts';
import { claimReports } from '../../store/rails/pix-reports.ts';
import { type DisputeParts, isOfDispute, pollDisputeReports } from './dispute-reports.ts';
import { pollReport, type ReportPollParts } from './reports.ts';

const BATCH_MAX = 100;

/** Queries the provider about stored reports that are due. @returns the number of these reports. */
export async function pollReports(parts: ReportPollParts & DisputeParts): Promise<number> {
  const { database, mode } = parts.tools;
  const due = await claimReports<UnconfirmedEvent>(database, mode, BATCH_MAX);
  const ofDisputes = due.filter(isOfDispute);
  const ofPayments = due.filter((report) => !isOfDispute(report));
  await Promise.all([
    ...ofPayments.map((report) => pollReport(parts, report)),
    pollDisputeReports(parts, ofDisputes),
  ]);
  return due.length;
}

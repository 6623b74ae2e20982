/** Stored reports that are due: the provider is asked about each payment, and its list is read once for all disputes. */
import type { UnconfirmedNews } from '../../resolvers/services/news.ts';
import { claimReports } from '../../store/rails/pix-reports.ts';
import { askDisputeReports, type DisputeParts, isOfDispute } from './dispute-reports.ts';
import { type AskParts, askReport } from './reports.ts';

const BATCH_MAX = 100;

/**
 * Polls the provider about stored reports that are due.
 *
 * @returns their number.
 */
export async function askReports(parts: AskParts & DisputeParts): Promise<number> {
  const { database, mode } = parts.tools;
  const due = await claimReports<UnconfirmedNews>(database, mode, BATCH_MAX);
  const ofDisputes = due.filter(isOfDispute);
  const ofPayments = due.filter((report) => !isOfDispute(report));
  await Promise.all([
    ...ofPayments.map((report) => askReport(parts, report)),
    askDisputeReports(parts, ofDisputes),
  ]);
  return due.length;
}

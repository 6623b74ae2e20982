/** Reports that wait for the provider's confirmation, and denied ones: their limits, and the response to callers. */
import { railEventRecordOf } from '../../resolvers/inbound/rail-events.ts';
import type { UnconfirmedEvent } from '../../resolvers/services/rail-event.ts';
import type { RailTools } from '../../resolvers/services/rail-part.ts';
import { countOpenReports, endReport } from '../../store/rails/pix-reports.ts';
import type { Verdict } from './callback.ts';

/** Maximum number of waiting reports, and of stored reports that were denied on arrival. */
export const OPEN_MAX = 10_000;
/** Lower limit for unproved callers, which leaves room for the provider's reports. */
const UNPROVED_MAX = OPEN_MAX / 2;
const AGAIN: Verdict = { status: 503, words: 'not stored: report it again' };
const WORDS_MAX = 500;
const DISPUTE_DENIED = 'a report of a dispute was denied by the provider: nothing is booked for it';
const DENIED = 'a report of a PIX was denied by the provider: nothing is booked for it';

/** A report that cannot be booked as it came. */
export interface Open {
  readonly event: UnconfirmedEvent;
  readonly isDenied: boolean;
}

/** Ends a report that the provider denies: it stays listed, and an error is logged. */
export async function deny(
  { database, mode, log }: RailTools,
  key: string,
  { endToEndId, dispute }: UnconfirmedEvent,
  reason: string,
): Promise<void> {
  await endReport(database, { mode, key }, reason.slice(0, WORDS_MAX));
  log.error({ endToEndId, reason }, dispute ? DISPUTE_DENIED : DENIED);
}

/**
 * Stores reports.
 * @param isProved - the caller is certainly the provider.
 * @returns a refusal if not all reports could be stored.
 */
export async function storeOpen(
  tools: RailTools,
  open: readonly Open[],
  isProved: boolean,
): Promise<Verdict | undefined> {
  const { database, mode, receive } = tools;
  const waitingMax = isProved ? OPEN_MAX : UNPROVED_MAX;
  const { waiting, denied } = await countOpenReports(database, mode, OPEN_MAX);
  const later = open.filter(({ isDenied }) => !isDenied);
  const never = open.filter(({ isDenied }) => isDenied);
  const [isFull, isDeniedFull] = [waiting + later.length > waitingMax, denied + never.length > OPEN_MAX];
  if (!isFull) for (const { event } of later) await receive(event);
  if (!isDeniedFull)
    for (const { event } of never) {
      await receive(event);
      await deny(tools, railEventRecordOf({ mode }, event).key, event, event.reason);
    }
  return (isFull && later.length > 0) || (isDeniedFull && never.length > 0) ? AGAIN : undefined;
}

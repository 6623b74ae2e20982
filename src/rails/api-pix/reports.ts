/**
 * Reports of callers: each is confirmed at the provider before it is booked. A report that cannot be confirmed yet is
 * stored before the response, and the provider is polled until it confirms or denies the report (C-36).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { BRL } from '../../base/money/currency.ts';
import { toMinor } from '../../base/money/money.ts';
import { fitsTaxId, isMaskedTaxId } from '../../base/pix/tax-id.ts';
import type { UnconfirmedEvent } from '../../resolvers/services/rail-event.ts';
import type { RailTools } from '../../resolvers/services/rail-part.ts';
import { endReport, type WaitingReport } from '../../store/rails/pix-reports.ts';
import type { Verdict } from './callback.ts';
import type { Confirm } from './confirm.ts';
import { PspProblem, PspUnavailable } from './http.ts';
import { reportPayments } from './report-payments.ts';
import type { ApiPixSettings } from './settings.ts';
import { deny, type Open, storeOpen } from './stored-reports.ts';
import { shows, unconfirmed } from './unconfirmed.ts';
import type { WirePix } from './wire.ts';
import { isSameKey } from './wire-keys.ts';

/** Dependencies of reports. */
export interface ReportParts {
  readonly tools: RailTools;
  readonly settings: Pick<ApiPixSettings, 'infractionsUrl' | 'med' | 'pixKey'>;
  readonly confirm: Confirm;
}

/** Time limit of the confirmation, since providers wait about ten seconds for a response. Unit: ms. */
const LIMIT_MS = 3_000;
/** Number of queries after which an unknown PIX counts as denied: about 40 minutes. */
const UNKNOWN_MAX = 6;
const UNAVAILABLE = 'the provider could not be queried about it';
const UNKNOWN = 'the provider does not know it';
const UNSHOWN = 'the provider does not show its return or its end yet';
/** 4xx statuses that do not concern the report: wrong credentials, or too many requests. */
const PASSING: readonly number[] = [401, 403, 429];

/** Books confirmed reports, and stores the others. @param isProved - the caller is certainly the provider. */
export async function acceptReports(
  parts: ReportParts,
  reported: readonly WirePix[],
  isProved: boolean,
): Promise<Verdict | undefined> {
  // The payer is accepted only from the provider itself.
  const claims = reported.map((pix) => (isProved ? pix : { ...pix, payerTaxId: null, payerName: null }));
  const answers = await Promise.all(claims.map((pix) => queryOnce(parts, pix)));
  await reportPayments(
    { ...parts.tools, settings: parts.settings },
    claims.flatMap((pix, index) => confirmed(pix, answers[index])),
  );
  const open = claims.flatMap((pix, index) => openOf(pix, answers[index] ?? 'away'));
  return open.length > 0 ? storeOpen(parts.tools, open, isProved) : undefined;
}

/** Dependencies of polling for stored reports. */
export interface ReportPollParts extends ReportParts {
  readonly complain: (facts: { readonly err: unknown }, words: string) => void;
}

/** Queries the provider about a stored report. */
export async function pollReport(
  parts: ReportPollParts,
  report: WaitingReport<UnconfirmedEvent>,
): Promise<void> {
  const { tools, settings, confirm } = parts;
  const { key, body, attempts } = report;
  const isLast = attempts >= UNKNOWN_MAX;
  try {
    const found = await confirm(body);
    if (found) await reportPayments({ ...tools, settings }, [withPayer(found, body)]);
    const doubt = doubtOf(body, found);
    const unread = found?.unread ?? null;
    if (doubt?.isDenied || (doubt && isLast)) await deny(tools, key, body, doubt.reason);
    else if (!doubt && (unread === null || isLast))
      await endReport(tools.database, { mode: tools.mode, key }, unread);
  } catch (err) {
    const isNo = err instanceof PspProblem && !PASSING.includes(err.status);
    if (isNo && isLast) await deny(tools, key, body, err.message);
    else parts.complain({ err }, 'the PIX provider cannot be queried about a report');
  }
}

/** The provider's answer; `unknown` for an unknown PIX, `away` without an answer within the time limit. */
type Answer = WirePix | 'unknown' | 'away';

async function queryOnce({ confirm }: ReportParts, pix: WirePix): Promise<Answer> {
  const { endToEndId, settledAt, sent } = pix;
  const limit = new AbortController();
  try {
    const late = sleep(LIMIT_MS, 'away' as const, { signal: limit.signal, ref: false });
    const found = await Promise.race([
      confirm({ endToEndId, settledAt, payoutName: sent?.id ?? null }),
      late,
    ]);
    return found ?? 'unknown';
  } catch (error) {
    if (error instanceof PspUnavailable || error instanceof PspProblem) return 'away';
    throw error;
  } finally {
    limit.abort();
  }
}

function confirmed(pix: WirePix, answer: Answer | undefined): readonly WirePix[] {
  return answer === undefined || typeof answer === 'string' ? [] : [withPayer(answer, pix)];
}

/**
 * Completes the payer from the report, because some providers omit or mask the payer in answers. A contradicting report
 * changes nothing.
 */
function withPayer(
  found: WirePix,
  {
    payerTaxId: reported,
    payerName = null,
  }: Partial<Pick<WirePix, 'payerName'>> & Pick<WirePix, 'payerTaxId'>,
): WirePix {
  const { payerTaxId: answered } = found;
  const isMore =
    answered === null || (reported !== null && isMaskedTaxId(answered) && fitsTaxId(answered, reported));
  const payerTaxId = isMore ? reported : answered;
  const isSamePerson = reported === null || payerTaxId === null || fitsTaxId(reported, payerTaxId);
  return { ...found, payerTaxId, payerName: found.payerName ?? (isSamePerson ? payerName : null) };
}

/** Reason for not booking a report as it came; `isDenied`: another query would not change that. */
interface Doubt {
  readonly reason: string;
  readonly isDenied: boolean;
}

function openOf(pix: WirePix, answer: Answer): readonly Open[] {
  const event = unconfirmed(pix, UNAVAILABLE);
  if (answer === 'away') return [{ event, isDenied: false }];
  const doubt = doubtOf(event, answer === 'unknown' ? undefined : answer);
  return doubt ? [{ event: { ...event, reason: doubt.reason }, isDenied: doubt.isDenied }] : [];
}

/** @returns undefined if the answer confirms the whole report. */
function doubtOf(report: UnconfirmedEvent, found: WirePix | undefined): Doubt | undefined {
  if (!found) return { reason: UNKNOWN, isDenied: false };
  const reason = differenceOf(report, found);
  if (reason !== null) return { reason, isDenied: true };
  return shows(found, report.ends ?? []) ? undefined : { reason: UNSHOWN, isDenied: false };
}

/** @returns the difference between a report and the provider's answer, which is booked instead; null if they agree. */
function differenceOf(
  { payoutName, amount, txid, pixKey }: Pick<UnconfirmedEvent, 'payoutName' | 'amount' | 'txid' | 'pixKey'>,
  found: WirePix,
): string | null {
  if (payoutName !== null) return null;
  if (amount !== null && toMinor(amount, BRL.decimals) !== toMinor(found.amount, BRL.decimals))
    return `the provider has the amount ${found.amount}`;
  if (txid !== null && found.txid !== txid) return 'at the provider it paid another charge';
  const isOther = pixKey !== null && found.key !== null && !isSameKey(pixKey, found.key);
  return isOther ? 'at the provider it was paid to another key' : null;
}

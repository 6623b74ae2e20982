/**
 * Handlers of callbacks. Every report is confirmed at the provider before it is booked, unless the settings trust
 * callers with a certificate name that only the provider has (C-36).
 */
import type { RailEvent } from '../../resolvers/services/rail-event.ts';
import type { RailTools } from '../../resolvers/services/rail-part.ts';
import type { Hearing, Verdict } from './callback.ts';
import { verdictOn } from './callback.ts';
import { isProvider } from './callers.ts';
import type { ApiPix } from './client.ts';
import { acceptDisputeReports } from './dispute-reports.ts';
import { PspProblem, PspUnavailable } from './http.ts';
import { caseOfCallback, findCase, type MedSettings } from './http-med.ts';
import { readInfractionList } from './infractions.ts';
import { reportEvents, reportedDisputes, reportPayments } from './report-payments.ts';
import { acceptReports, type ReportParts } from './reports.ts';
import type { ApiPixSettings, CallbackSettings } from './settings.ts';
import { WireError, type WirePix } from './wire.ts';
import { isPaidTo } from './wire-keys.ts';

/** Dependencies of the handlers. */
export interface HearingParts extends ReportParts {
  readonly settings: ApiPixSettings;
  readonly api: ApiPix;
}

/** Maximum number of entries in a body; the standard allows a thousand payments on a page. */
const ENTRIES_MAX = 1_000;
const TOO_MANY: Verdict = { status: 413, words: `at most ${ENTRIES_MAX} entries` };
/**
 * Refusal of dispute reports if no list of disputes is configured: returns by MED are then the disputes, and a reported
 * dispute would be booked twice.
 */
const NO_DISPUTES: Verdict = {
  status: 403,
  words: 'disputes are accepted only if infractionsUrl or med is set',
};
const UNKNOWN_CASE: Verdict = { status: 404, words: 'the provider has no such case' };
const UNCONFIRMED_CASE: Verdict = { status: 503, words: 'the provider could not be queried: send it again' };
/** Length of an id in the standard. Longer ids are refused only from callers other than the provider. */
const ID_LENGTH = 32;
const UNFORMED = new WireError(`endToEndId must have ${ID_LENGTH} characters`);

/** @returns the handlers for admitted callers. */
export function hearing(parts: HearingParts, callback: CallbackSettings): Hearing {
  const { tools, settings } = parts;
  const isProved = isProvider(callback);
  const isTrusted = isProved && !callback.confirm;
  /** A PIX to another key is confirmed even for a trusted caller. */
  const isBelieved = (pix: WirePix) => isTrusted && (pix.sent !== null || isPaidTo(pix, settings.pixKey));
  return {
    pix: async ({ read, wrong }) => {
      if (read.length > ENTRIES_MAX) return TOO_MANY;
      await reportPayments({ ...tools, settings }, read.filter(isBelieved));
      const others = read.filter((pix) => !isBelieved(pix));
      const formed = isProved ? others : others.filter(({ endToEndId }) => isPixId(endToEndId));
      const refused = formed.length < others.length ? UNFORMED : undefined;
      return (await acceptReports(parts, formed, isProved)) ?? verdictOn(wrong ?? refused);
    },
    infractions: async (json) => {
      if (settings.med) return acceptCase(parts, { ...settings, med: settings.med }, json);
      const { read, wrong } = readInfractionList(json);
      if (read.length > ENTRIES_MAX) return TOO_MANY;
      if (settings.infractionsUrl === null) return isProved ? acceptFraud(tools, read) : NO_DISPUTES;
      if (!isTrusted) return (await acceptDisputeReports(parts, read, isProved)) ?? verdictOn(wrong);
      await reportEvents(tools, read);
      return verdictOn(wrong);
    },
  };
}

function isPixId({ length }: string): boolean {
  return length === ID_LENGTH;
}

/**
 * A callback only names a case; the provider is queried about it, regardless of who calls. If that fails, the caller
 * repeats the callback, and the list has the case as well.
 */
async function acceptCase(
  { tools, api }: HearingParts,
  settings: MedSettings,
  json: unknown,
): Promise<Verdict> {
  const id = caseOfCallback(settings.med, json);
  try {
    const events = await findCase(api, settings, id);
    if (!events) return UNKNOWN_CASE;
    await reportEvents(tools, events);
    return verdictOn(undefined);
  } catch (error) {
    if (error instanceof PspUnavailable || error instanceof PspProblem) return UNCONFIRMED_CASE;
    throw error;
  }
}

/**
 * Reports of fraud book no money. The end of a dispute is also accepted, for disputes that were opened by such a call
 * under earlier settings or by an earlier version.
 */
async function acceptFraud(tools: RailTools, reported: readonly RailEvent[]): Promise<Verdict> {
  const ids = reported.flatMap((each) => ('disputeId' in each ? [each.disputeId] : []));
  const known = await reportedDisputes(tools, ids);
  const accepted = reported.filter((each) => !('disputeId' in each) || known.has(each.disputeId));
  await reportEvents(tools, accepted);
  return accepted.length < reported.length ? NO_DISPUTES : verdictOn(undefined);
}

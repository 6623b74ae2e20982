/** Collects what the gateway holds about the payment of a MED case, as the account itself may see it. */
import type { Instant } from '../../base/time/instant.ts';
import { findHolder } from '../../store/account/accounts.ts';
import { type CustomerCase, readCasesOf } from '../../store/account/customer-cases.ts';
import { type LoggedRequest, readRequests } from '../../store/account/request-log.ts';
import type { Tx } from '../../store/connection/database.ts';
import { type ReachedStep, readSteps } from '../../store/events/events.ts';
import { type MedCase, type MedEvent, readMedEvents } from '../../store/rails/med-cases.ts';
import { type MedFile, readMedFiles } from '../../store/rails/med-files.ts';
import { readScreenings, type StoredScreening } from '../../store/rails/screening-records.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { Context } from '../services/context.ts';
import { MED_LISTED_MAX, transactionOf } from './read-med-cases.ts';

/** Requests of the log that a pack has, the oldest first. */
const REQUESTS_MAX = 50;
/** Screenings that a pack has, the oldest first. */
const SCREENINGS_MAX = 50;

/** Facts of an evidence pack. */
export interface Evidence {
  readonly medCase: MedCase;
  /** When it was made. */
  readonly at: Instant;
  readonly accountName: string | null;
  /** Null where the account has no transaction for the payment. */
  readonly row: ProcessRow | null;
  readonly steps: readonly ReachedStep[];
  /** Identity cases of the customer. */
  readonly identity: readonly CustomerCase[];
  readonly screenings: readonly StoredScreening[];
  readonly requests: readonly LoggedRequest[];
  readonly history: readonly MedEvent[];
  readonly files: readonly MedFile[];
}

/** @param at - now, by the clock of the mode. */
export async function collectEvidence(
  { mode }: Pick<Context, 'mode'>,
  tx: Tx,
  medCase: MedCase,
  at: Instant,
): Promise<Evidence> {
  const { accountId, id } = medCase;
  const row = await transactionOf({ database: tx }, medCase);
  return {
    ...{ medCase, at, row },
    accountName: (await findHolder(tx, mode, accountId))?.name ?? null,
    steps: row ? await readSteps(tx, accountId, row.id) : [],
    identity: row?.clientTaxId ? await readCasesOf(tx, accountId, row.clientTaxId) : [],
    screenings: row ? await readScreenings(tx, accountId, row.id, SCREENINGS_MAX) : [],
    requests: row ? await requestsAbout(tx, accountId, row.end2end) : [],
    history: await readMedEvents(tx, id, MED_LISTED_MAX),
    files: await readMedFiles(tx, id, MED_LISTED_MAX),
  };
}

function requestsAbout(tx: Tx, accountId: bigint, end2end: string): Promise<LoggedRequest[]> {
  const filter = { actorKind: null, actorId: null, requestId: null, statusClass: null, end2end };
  const slice = { after: null, before: null, isNewestFirst: false, limit: REQUESTS_MAX };
  return readRequests(tx, accountId, filter, slice);
}

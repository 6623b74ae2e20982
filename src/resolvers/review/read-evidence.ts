/** Evidence about the subject of a case: its customer with limits and volumes, and the hits of screening. */
import { brasiliaDay } from '../../base/time/brasilia-day.ts';
import { type CustomerCase, readCasesOf } from '../../store/account/customer-cases.ts';
import { readRelated } from '../../store/engine/related.ts';
import { readVolumes } from '../../store/engine/volumes.ts';
import { type HitRow, readHits } from '../../store/rails/screening-hits.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import { type Context, requireScope } from '../services/context.ts';
import { auditView } from './audit-view.ts';
import { findSubject, type Subject, taxIdOf } from './read-subject.ts';

/** Limits of a customer and what counts against them now; BRL as decimal text. */
export interface CustomerFigures {
  readonly limitDaily: string;
  readonly stepUp30d: string;
  readonly today: Counted;
  readonly last30Days: Counted;
}

/** Volume of a time: what can still be paid, and what was paid. */
export interface Counted {
  readonly open: string;
  readonly paid: string;
}

/** Evidence that compliance decides by. */
export interface ReviewEvidence extends Subject {
  /** Null without a customer. */
  readonly taxId: string | null;
  readonly customerCases: readonly CustomerCase[];
  readonly hits: readonly HitRow[];
  /** Null without a transaction of the customer. */
  readonly figures: CustomerFigures | null;
}

/** Maximum number of hits of a transaction that are shown: the newest. */
export const HITS_LISTED_MAX = 20;
const SLICE = { limit: HITS_LISTED_MAX, below: null, above: null, isBackward: false } as const;

/**
 * Reads the evidence of a case. A view of another account's transaction is recorded as by `readCaseFile`.
 *
 * @throws {GatewayError} `FORBIDDEN` without `platform:risk`; `NOT_FOUND`.
 */
export async function readEvidence(context: Context, id: string): Promise<ReviewEvidence> {
  requireScope(context, 'platform:risk');
  const subject = await findSubject(context, id);
  await auditView(context, subject);
  const { accountId } = subject;
  const taxId = taxIdOf(subject);
  const customer = accountId === null || taxId === null ? undefined : { accountId, taxId };
  const [customerCases, hits, figures] = await Promise.all([
    customer ? readCasesOf(context.database, customer.accountId, customer.taxId) : [],
    hitsOf(context, subject),
    customer ? figuresOf(context, customer, subject.row) : null,
  ]);
  return { ...subject, taxId, customerCases, hits, figures };
}

async function hitsOf({ database, mode }: Context, { hit, row }: Subject): Promise<readonly HitRow[]> {
  if (hit) return [hit];
  if (!row) return [];
  const filter = { mode, state: null, accountId: row.accountId, transactionId: row.id };
  return (await readHits(database, filter, SLICE)).rows;
}

/** Limits are those of a template: that of the transaction, or of the newest one of the customer. */
async function figuresOf(
  { database, mode, clock, limitsOver }: Context,
  { accountId, taxId: subject }: { readonly accountId: bigint; readonly taxId: string },
  own: ProcessRow | null,
): Promise<CustomerFigures | null> {
  const filter = { mode, accountId, without: null, value: subject };
  const [newest] = own ? [own] : await readRelated(database, 'payer', filter);
  if (!newest) return null;
  const key = { accountId, subject, day: brasiliaDay(await clock.nowMs()), template: newest.template };
  const [volumes] = await readVolumes(database, [key], limitsOver);
  if (!volumes) return null;
  const { limitDaily, stepUp30d, open, paid, openMonth, paidMonth } = volumes;
  return {
    limitDaily,
    stepUp30d,
    today: { open, paid },
    last30Days: { open: openMonth, paid: paidMonth },
  };
}

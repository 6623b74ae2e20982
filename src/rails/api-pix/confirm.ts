/**
 * Confirms reports at the provider: only its answer to the gateway's own query counts, regardless of who sent the
 * report (C-36). Reports that arrive together share a query, which reads one page of the statement instead of one PIX
 * at a time.
 */
import { groupCommit } from '../../base/concurrency/group-commit.ts';
import { inParts } from '../../base/concurrency/in-parts.ts';
import type { ApiPix } from './client.ts';
import { PspProblem, PspUnavailable } from './http.ts';
import type { PixPayouts } from './payouts.ts';
import type { WirePix } from './wire.ts';

/** The part of a report that is confirmed. */
export interface Claim {
  readonly endToEndId: string;
  /** The gateway's id of a payout; null for a received PIX. */
  readonly payoutName: string | null;
  /** ISO 8601, as reported. */
  readonly settledAt: string | null;
}

/**
 * Queries the provider about a report.
 * @returns the provider's answer; undefined for an unknown PIX.
 * @throws {PspUnavailable} {PspProblem}
 */
export type Confirm = (claim: Claim) => Promise<WirePix | undefined>;

/** Calls that confirm reports. */
export interface ConfirmParts {
  readonly api: Pick<ApiPix, 'getPix' | 'getStatement'>;
  readonly payouts: Pick<PixPayouts, 'find'> | null;
}

const BATCH_MAX = 100;
/** Number of payments from which a page of the statement is cheaper than single queries. */
const LISTED_MIN = 4;
/** Maximum period of such a page, because payments further apart may be on several pages. Unit: ms. */
const LISTED_PERIOD_MS = 600_000;
const SECOND_MS = 1_000;

/** Statuses by which a provider refuses an id that it cannot have issued. */
const REFUSALS: readonly number[] = [400, 422];

/** Result for one claim; other claims of the batch may fail independently. */
type Settled = PromiseSettledResult<WirePix | undefined>;

/** @returns a function that confirms the reports of this process. */
export function createConfirm(parts: ConfirmParts): Confirm {
  const confirm = groupCommit<Claim, Settled>((claims) => confirmAll(parts, claims), {
    max: BATCH_MAX,
    failsAll: () => true,
  });
  return async (claim) => {
    const settled = await confirm(claim);
    if (settled.status === 'rejected') throw settled.reason;
    return settled.value;
  };
}

async function confirmAll(parts: ConfirmParts, claims: readonly Claim[]): Promise<readonly Settled[]> {
  const listed = await readListed(parts, claims);
  return inParts(claims, async (claim) => {
    const [settled] = await Promise.allSettled([confirmOne(parts, listed, claim)]);
    return settled;
  });
}

async function confirmOne(
  parts: ConfirmParts,
  listed: ReadonlyMap<string, WirePix>,
  claim: Claim,
): Promise<WirePix | undefined> {
  try {
    return claim.payoutName === null
      ? (listed.get(claim.endToEndId) ?? (await parts.api.getPix(claim.endToEndId)))
      : await findPayout(parts, claim, claim.payoutName);
  } catch (error) {
    if (error instanceof PspProblem && REFUSALS.includes(error.status)) return undefined;
    throw error;
  }
}

/**
 * @returns the payments found on one page of the statement, if it can be read. The remaining ones are queried singly.
 */
async function readListed(
  { api }: ConfirmParts,
  claims: readonly Claim[],
): Promise<ReadonlyMap<string, WirePix>> {
  const times = claims.flatMap(({ payoutName, settledAt }) =>
    payoutName === null && settledAt !== null ? [Date.parse(settledAt)] : [],
  );
  const [first, last] = [Math.min(...times), Math.max(...times)];
  if (times.length < LISTED_MIN || last - first > LISTED_PERIOD_MS) return new Map();
  const period = {
    from: new Date(first - SECOND_MS).toISOString(),
    to: new Date(last + SECOND_MS).toISOString(),
  };
  try {
    const { read } = await api.getStatement({ ...period, page: 0 });
    return new Map(read.map((pix) => [pix.endToEndId, pix]));
  } catch (error) {
    if (error instanceof PspUnavailable || error instanceof PspProblem) return new Map();
    throw error;
  }
}

async function findPayout(
  { payouts }: ConfirmParts,
  { endToEndId: reported }: Claim,
  id: string,
): Promise<WirePix | undefined> {
  const found = await payouts?.find(id, null);
  if (!found) return undefined;
  const { status, endToEndId, returns, unread } = found;
  // A payout without an EndToEndId was not sent yet, or failed before it was sent; the status distinguishes the two.
  const isOpen = endToEndId === null && status === 'REALIZADO';
  return {
    endToEndId: endToEndId ?? reported,
    ...{ txid: null, key: null, amount: '0', settledAt: null, payerTaxId: null, payerName: null },
    returns,
    unread,
    sent: { id, status: isOpen ? 'EM_PROCESSAMENTO' : status },
  };
}

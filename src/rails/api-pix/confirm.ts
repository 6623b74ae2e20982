/**
 * Confirmation of reports at the provider: only its answer to our own query counts, whoever reported it (C-36).
 * Reports that arrive together share a query: one read of the statement instead of one per EndToEndId.
 */
import { groupCommit } from '../../base/concurrency/group-commit.ts';
import { inParts } from '../../base/concurrency/in-parts.ts';
import type { ApiPix } from './client.ts';
import { PspProblem, PspUnavailable } from './http.ts';
import type { PixPayouts } from './payouts.ts';
import type { WirePix } from './wire.ts';

/** A report as far as the provider is asked about it. */
export interface Claim {
  readonly endToEndId: string;
  /** Name of our payout at the provider; null for a PIX that came. */
  readonly payoutName: string | null;
  /** ISO 8601, as reported. */
  readonly settledAt: string | null;
}

/** Asks the provider about a report. @returns its answer; undefined where it does not know the PIX. @throws {PspUnavailable} {PspProblem} */
export type Confirm = (claim: Claim) => Promise<WirePix | undefined>;

/** Calls of the provider that confirm reports. */
export interface ConfirmParts {
  readonly api: Pick<ApiPix, 'getPix' | 'getStatement'>;
  readonly payouts: Pick<PixPayouts, 'find'> | null;
}

const BATCH_MAX = 100;
/** From this many payments on, a page of the statement is cheaper than queries by EndToEndId. */
const LISTED_MIN = 4;
/** Longest period of such a page; payments further apart may lie on several pages. Unit: ms. */
const LISTED_PERIOD_MS = 600_000;
const SECOND_MS = 1_000;

/** Statuses by which a provider refuses an identifier that it cannot have given. */
const REFUSALS: readonly number[] = [400, 422];

/** Answer about one claim: another claim of the batch may have failed. */
type Settled = PromiseSettledResult<WirePix | undefined>;

/** @returns the confirmation of this process's reports. */
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

/** @returns payments on the page of the statement that should have them, if it can be read; the others are asked for alone. */
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
  // Without an EndToEndId it was not sent yet, or never: which of the two, the status says.
  const isOpen = endToEndId === null && status === 'REALIZADO';
  return {
    endToEndId: endToEndId ?? reported,
    ...{ txid: null, key: null, amount: '0', settledAt: null, payerTaxId: null },
    returns,
    unread,
    sent: { id, status: isOpen ? 'EM_PROCESSAMENTO' : status },
  };
}

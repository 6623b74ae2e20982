/**
 * Requests of an account that somebody else holds locked for long, such as an import, wait apart: a batch locks all of its
 * accounts, so the others would wait with them, and fail with them.
 */
import { isLockTimeout } from '../../store/database-error.ts';

/** Works on a batch; see `groupCommit`. */
export type Run<Request, Result> = (
  begun: readonly Request[],
  grow: (fits: (request: Request) => boolean) => readonly Request[],
) => Promise<readonly Result[]>;

/** What is needed to find accounts that are locked. */
export interface ApartParts<Request, Result> {
  readonly run: Run<Request, Result>;
  /** @returns what makes batches of requests and runs them, and tries them one by one where an error is not that of all. */
  readonly batching: (run: Run<Request, Result>) => (request: Request) => Promise<Result>;
  readonly accountOf: (request: Request) => bigint;
  /** @returns those of the accounts that somebody has locked now. */
  readonly lockedOf: (accountIds: readonly bigint[]) => Promise<readonly bigint[]>;
  /** Told of work that whoever asks whether callers wait for too long waits for, too. */
  readonly count: (work: Promise<unknown>) => void;
}

/** Requests that wait apart are in one of so many lanes, each with a connection of its own; a power of two. */
const LANE_BITS = 2;

/** A request that cannot share a batch with those of other accounts now. */
class WaitsApart extends Error {
  override readonly name = 'WaitsApart';
}

/**
 * @returns what works on a request. An account is found to be locked when a batch has waited for it in vain; it shares batches again once
 *   a request of it has had it.
 */
export function waitingApart<Request, Result>({
  run,
  batching,
  accountOf,
  lockedOf,
  count,
}: ApartParts<Request, Result>): (request: Request) => Promise<Result> {
  const slow = new Set<bigint>();
  let others = Promise.withResolvers<void>();
  const accountsOf = (requests: readonly Request[]) => [...new Set(requests.map(accountOf))];

  const together = batching(async (begun, grow) => {
    if (begun.some((request) => slow.has(accountOf(request)))) throw new WaitsApart();
    try {
      return await run(begun, grow);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      const locked = await lockedOf(accountsOf(begun));
      if (locked.length === 0) throw error;
      for (const each of locked) slow.add(each);
      throw new WaitsApart();
    }
  });
  const lanes = Array.from({ length: 2 ** LANE_BITS }, () =>
    batching(async (begun, grow) => {
      if (accountsOf(begun).length > 1) throw new WaitsApart();
      return run(begun, grow);
    }),
  );
  const waitApart = async (request: Request, accountId: bigint): Promise<Result> => {
    const lane = lanes[Number(BigInt.asUintN(LANE_BITS, accountId))] as (request: Request) => Promise<Result>;
    const working = lane(request);
    // While requests of other accounts get through, callers do not wait for the database.
    count(Promise.race([working, others.promise]));
    const result = await working;
    slow.delete(accountId);
    return result;
  };
  return async (request) => {
    const accountId = accountOf(request);
    if (slow.has(accountId)) return waitApart(request, accountId);
    const working = together(request);
    count(working);
    try {
      const result = await working;
      if (slow.size > 0) {
        others.resolve();
        others = Promise.withResolvers();
      }
      return result;
    } catch (error) {
      if (error instanceof WaitsApart) return waitApart(request, accountId);
      throw error;
    }
  };
}

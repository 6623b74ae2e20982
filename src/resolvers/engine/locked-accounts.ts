/**
 * Requests of an account that another transaction locks for long, such as an import, wait separately: a batch locks all of
 * its accounts, so the other requests would wait with them, and fail with them.
 */
import { type GroupCommitOptions, groupCommit, type Run } from '../../base/concurrency/group-commit.ts';
import { isLockTimeout, isOutOfReach } from '../../store/connection/database-error.ts';
import type { AdvanceRequest } from '../services/advance.ts';

/** @returns the account of the transaction of a request. */
export function accountOf({ target }: Pick<AdvanceRequest, 'target'>): bigint {
  return 'create' in target ? target.create.accountId : target.accountId;
}

/** @returns all accounts that are locked for a request. */
export function accountsOf({ target, alsoLocked = [] }: AdvanceRequest): readonly bigint[] {
  return [accountOf({ target }), ...alsoLocked];
}

/** Works on one request. */
type Work<Request, Result> = (request: Request) => Promise<Result>;

/** Queries that find locked accounts. */
export interface LockedAccountParts<Request, Result> {
  /** Works on a batch, under the locks of its accounts. */
  readonly run: Run<Request, Result>;
  readonly accountsOf: (request: Request) => readonly bigint[];
  /** @returns those accounts that are locked now. */
  readonly lockedOf: (accountIds: readonly bigint[]) => Promise<readonly bigint[]>;
  /** @returns the same work, counted while it runs: shared batches report whether callers wait for the database. */
  readonly counting?: (work: Work<Request, Result>) => Work<Request, Result>;
  /** Stores the accounts that were found locked, for other readers. */
  readonly locked?: Set<bigint>;
}

/** An account of the batch is locked: its requests wait separately, and the others are retried. */
class Locked extends Error {
  override readonly name = 'Locked';
}

/**
 * @returns a function that works on a request, in batches. An account counts as locked when a batch has waited for it
 *   in vain. From then on its requests are in batches of their own, which wait one at a time on one connection, until
 *   one of them gets the account. Requests of the two kinds may overtake each other.
 */
export function waitingForLocked<Request, Result>(
  {
    run,
    accountsOf,
    lockedOf,
    counting = (work) => work,
    locked = new Set(),
  }: LockedAccountParts<Request, Result>,
  options: Omit<GroupCommitOptions<Request>, 'failsAll'>,
): Work<Request, Result> {
  const isLocked = (request: Request) => accountsOf(request).some((each) => locked.has(each));
  const runShared: Run<Request, Result> = async (begun, grow) => {
    if (begun.some(isLocked)) throw new Locked();
    try {
      return await run(begun, grow);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      const found = await lockedOf([...new Set(begun.flatMap(accountsOf))]);
      // The lock was released meanwhile.
      if (found.length === 0) return run(begun, grow);
      for (const each of found) locked.add(each);
      throw new Locked();
    }
  };
  const shared = counting(groupCommit(runShared, { ...options, failsAll: isOutOfReach }));
  const ofSameAccounts = groupCommit(run, {
    ...options,
    failsAll: isOutOfReach,
    onlyOf: (request) => accountsOf(request).join(),
  });

  const waitForLocked = async (request: Request): Promise<Result> => {
    const result = await ofSameAccounts(request);
    for (const each of accountsOf(request)) locked.delete(each);
    return result;
  };
  return async (request) => {
    if (isLocked(request)) return waitForLocked(request);
    try {
      return await shared(request);
    } catch (error) {
      if (error instanceof Locked) return waitForLocked(request);
      throw error;
    }
  };
}

/**
 * Verifies the books while the gateway runs: new postings within half a minute, and every account as a whole once a
 * day, in slices with pauses. Of several processes one does it (decision 0068).
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ACCOUNT_MODES } from '../../base/access/account-mode.ts';
import type { Database, Tx } from '../../store/connection/database.ts';
import { readBrokenCloses } from '../../store/ledger/book-closes.ts';
import { clearingDefects, verifyLedger } from '../../store/ledger/verify.ts';
import {
  ACCOUNTS_MAX,
  checkNew,
  DEFECTS_MAX,
  findUnchecked,
  groupAccounts,
} from '../../store/ledger/verify-new.ts';
import {
  accountDue,
  areSumsDue,
  claimVerification,
  finishRound,
  noteNewUntil,
  noteSums,
  releaseVerification,
  type StoredDefect,
} from '../../store/ledger/verify-state.ts';
import { type BackgroundWork, endWithin, repeat } from '../engine/repeat.ts';

/** Parts of the verification. */
export interface VerifyParts {
  readonly database: Database;
  readonly log: Pick<Logger, 'warn' | 'error'>;
}

const NEW_REPEAT = { failedMs: 15_000, complaint: 'new journals cannot be verified' };
const ROUND_REPEAT = { failedMs: 60_000, complaint: 'an account cannot be verified' };
/** Unit: ms. */
const NEW_EVERY_MS = 15_000;
const LEASE_MS = 60_000;
/** Time for which a shutdown waits for a running statement; the run then ends by its lease. */
const STOP_MAX_MS = 2_000;
/** Time between two scans for a due account. Unit: ms. */
const SCAN_EVERY_MS = 10_000;
/** Every account is verified a second time after this, so that a round is over within a day. Unit: ms. */
const ROUND_MS = 20 * 3_600_000;
/** Time between two checks of the sums over all accounts. Unit: ms. */
const SUMS_EVERY_MS = 3_600_000;
/** Ledger lines of one statement of a round. */
const SLICE = 5_000;
/** Pause after a statement of a round, as a multiple of its duration: rounds work for one tenth of the time. */
const PAUSE_SHARE = 9;

/** Starts the verification of this process. */
export function startContinuousVerify({ database, log }: VerifyParts): BackgroundWork {
  const stopping = new AbortController();
  const { signal } = stopping;
  const holder = randomBytes(12).toString('base64url');
  let isMine = false;
  const posted = repeat(signal, log, NEW_REPEAT, async () => {
    const nowMs = database.nowMs();
    isMine = await claimVerification(database, holder, { nowMs, untilMs: nowMs + LEASE_MS });
    if (isMine) await verifyNew({ database, log }, signal);
    return NEW_EVERY_MS;
  });
  const rounds = repeat(signal, log, ROUND_REPEAT, async () => {
    if (!isMine) return SCAN_EVERY_MS;
    try {
      await verifySums({ database, log });
      return (await verifyNextAccount({ database, log }, signal)) ? 0 : SCAN_EVERY_MS;
    } catch (error) {
      if (signal.aborted) return 0;
      throw error;
    }
  });
  return {
    stop: async () => {
      stopping.abort();
      const end = async () => {
        await Promise.all([posted.done, rounds.done]);
        if (isMine) await releaseVerification(database, holder).catch(() => {});
      };
      await endWithin(STOP_MAX_MS, end());
    },
  };
}

/** Checks all postings that were not checked before. @returns the number of lines. */
export async function verifyNew({ database, log }: VerifyParts, signal?: AbortSignal): Promise<number> {
  const beganMs = database.nowMs();
  let lines = 0;
  for (let after = -1n; ; ) {
    const accounts = await findUnchecked(database, after, ACCOUNTS_MAX);
    for (const some of groupAccounts(accounts)) {
      if (signal?.aborted) return lines;
      for (const { accountId, lines: checked, defects } of await checkNew(database, some, beganMs)) {
        lines += checked;
        complain(log, accountId, defects);
      }
    }
    const last = accounts.at(-1);
    if (!last || accounts.length < ACCOUNTS_MAX) break;
    after = last.accountId;
  }
  await noteNewUntil(database, beganMs);
  return lines;
}

/** Verifies the account that is due longest as a whole. @returns whether an account was due. */
export async function verifyNextAccount(
  { database, log }: VerifyParts,
  signal: AbortSignal,
  roundMs = ROUND_MS,
): Promise<boolean> {
  const beganMs = database.nowMs();
  const accountId = await accountDue(database, beganMs - roundMs);
  if (accountId === undefined) return false;
  const verify = async () =>
    (await verifyLedger(withPauses(database, signal), accountId, { slice: SLICE })).defects.map(
      ({ defect, at, detail }): StoredDefect => [defect, at === null ? null : String(at), detail],
    );
  const first = await verify();
  // Only damage persists: a person is called for it, so it has to be found twice.
  const names = new Set(first.length > 0 ? (await verify()).map(nameOf) : []);
  const found = first.filter((each) => names.has(nameOf(each))).slice(0, DEFECTS_MAX);
  complain(log, accountId, found);
  await finishRound(database, { accountId, beganMs, endedMs: database.nowMs(), defects: found });
  return true;
}

/** A defect without its figures, which may have changed. */
function nameOf([defect, at]: StoredDefect): string {
  return `${defect} ${at}`;
}

/** Checks invariants over all accounts together, when due: clearing, and the hashes of closed days. */
export async function verifySums({ database, log }: VerifyParts, everyMs = SUMS_EVERY_MS): Promise<void> {
  const nowMs = database.nowMs();
  if (!(await areSumsDue(database, nowMs - everyMs))) return;
  const clearing = (await clearingDefects(database)).map(
    ({ currency, sum }): StoredDefect => [
      'clearing is not zero',
      null,
      `${currency} is ${sum} over all accounts`,
    ],
  );
  const days = (await Promise.all(ACCOUNT_MODES.map((mode) => readBrokenCloses(database, mode)))).flat();
  const closes = days.map(
    (day): StoredDefect => ['hash of a closed day', null, `that of ${day} does not follow from what moved`],
  );
  const defects = [...clearing, ...closes].slice(0, DEFECTS_MAX);
  complain(log, null, defects);
  await noteSums(database, nowMs, defects);
}

/** The same statements, each followed by a pause. The signal ends the pause, and the work with an error. */
function withPauses(database: Tx, signal: AbortSignal): Tx {
  return {
    query: async (statement, values) => {
      signal.throwIfAborted();
      const began = performance.now();
      const rows = await database.query<never>(statement, values);
      await sleep(PAUSE_SHARE * (performance.now() - began), undefined, { signal });
      return rows;
    },
  };
}

function complain(log: VerifyParts['log'], accountId: bigint | null, defects: readonly StoredDefect[]): void {
  const [first] = defects;
  if (!first) return;
  const account = accountId === null ? 'all' : String(accountId);
  log.error({ account, defects: defects.length, first: first[0], at: first[1] }, 'the books have defects');
}

/** Requests to the engine, and its results. The engine itself is `engine/advance-transaction.ts`. */
import type { Tx } from '../../store/connection/database.ts';
import type { Author } from '../../store/engine/audit.ts';
import type { Job, JobKey } from '../../store/engine/jobs.ts';
import type { RailEventRecord } from '../../store/engine/rail-events.ts';
import type { Process, ProcessRow } from '../../templates/facts.ts';
import type { Trigger } from '../../templates/triggers.ts';
import type { TransactionKey } from './notifier.ts';

/** A transaction that is not created yet: its facts without those that the engine adds. */
export type NewProcess = Omit<
  ProcessRow,
  'id' | 'component' | 'state' | 'createdAt' | 'updatedAt' | 'errorEn' | 'errorPt' | 'asPublished' | 'process'
> & { readonly process: Omit<Process, 'sequence'> };

/** Called in the database transaction of a step, with the transaction after the step and before it. */
export type AtomicWork = (tx: Tx, row: ProcessRow, before: ProcessRow) => Promise<void>;

/** Request: a transaction to be created, or a trigger for an existing one. */
export interface AdvanceRequest {
  readonly target: { readonly create: NewProcess } | TransactionKey;
  readonly trigger: Trigger;
  /** Report of a rail: settled once under its natural key (C-33). */
  readonly railEvent?: RailEventRecord;
  /** The job whose outcome this is; the job ends with it. A timer counts at its due time, never earlier. */
  readonly job?: JobKey & Pick<Job, 'dueAt'>;
  /** Position of its step in the transaction's history: at any other step it does not fit. */
  readonly sequence?: number | undefined;
  /**
   * Read under the lock of the account: whether the facts behind the choice of the trigger are unchanged. Otherwise nothing
   * happens, and the job does not end.
   */
  readonly holds?: ((tx: Tx) => Promise<boolean>) | undefined;
  /** Author for the audit log; undefined for rails and timers. */
  readonly author?: Author;
  /** Accounts that are locked with that of the transaction, because the checks of `atomically` depend on them. */
  readonly alsoLocked?: readonly bigint[];
  /** Done in the same database transaction, once the transaction is made. */
  readonly atomically?: AtomicWork;
  /** Called in the same database transaction if the transaction does not accept the trigger. */
  readonly otherwise?: (tx: Tx, row: ProcessRow) => Promise<void>;
}

/**
 * Result: the steps were made; the trigger does not fit the transaction's step; it is a repetition; the balance does not
 * cover the reservation; a limit refuses it (C-21); the facts behind it have changed. A new transaction that did not move is
 * refused: nothing of it is stored, and it gets no position in its list (C-24).
 */
export interface AdvanceResult {
  readonly code:
    | 'ADVANCED'
    | 'STEP_CONFLICT'
    | 'DUPLICATE'
    | 'INSUFFICIENT_BALANCE'
    | 'LIMIT_EXCEEDED'
    | 'OUTDATED';
  /** The transaction now; if it was refused, the planned one. */
  readonly row: ProcessRow;
  /** Whether it continues by itself: its due jobs were stored with its steps. */
  readonly goesOn: boolean;
}

/** Works on one request; resolves after the commit. */
export type Advance = (request: AdvanceRequest) => Promise<AdvanceResult>;

/**
 * Hand-over of jobs from the engine to the worker of this process. Jobs that are due at once are stored with a lease
 * of the worker and begun after the commit, with the transaction as the engine left it, without a scan. A process
 * that dies gives them back by the end of the lease, like all its jobs.
 */
import type { Job } from '../../store/engine/jobs.ts';
import type { ProcessRow } from '../../templates/facts.ts';

/** A job that is stored and leased, with its transaction as it was committed. */
export interface HandedJob {
  readonly job: Job;
  readonly row: ProcessRow;
}

/** A worker that is handed jobs. */
export interface Receiver {
  /** The lease holder of these jobs. */
  readonly holder: string;
  /** @returns the number of jobs that it can begin now. */
  readonly room: () => number;
  readonly begin: (handed: HandedJob) => void;
  /** Told that jobs may have been leased of which it will not hear: a commit was not answered. */
  readonly doubt: () => void;
}

/** Hand-over of jobs. */
export interface LocalDispatch {
  /** The worker that takes jobs; undefined where this process has none, or it has stopped. */
  receiver: Receiver | undefined;
}

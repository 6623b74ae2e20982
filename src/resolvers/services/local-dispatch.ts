/**
 * Dispatch of jobs from the engine to the worker of this process. Jobs that are due immediately are stored with a lease of
 * the worker and started after the commit, with the transaction from the engine, without a scan. A process that dies releases
 * them at the end of the lease, like all its jobs.
 */
import type { Job } from '../../store/engine/jobs.ts';
import type { ProcessRow } from '../../templates/facts.ts';

/** A stored and leased job, with its transaction as committed. */
export interface HandedJob {
  readonly job: Job;
  readonly row: ProcessRow;
}

/** A worker that gets dispatched jobs. */
export interface Receiver {
  /** The lease holder of these jobs. */
  readonly holder: string;
  /** @returns the number of jobs that it can begin now. */
  readonly room: () => number;
  readonly begin: (handed: HandedJob) => void;
  /** Called when jobs may have been leased without the worker's knowledge: a commit was not answered. */
  readonly doubt: () => void;
}

/** Hand-over of jobs. */
export interface LocalDispatch {
  /** The worker that accepts jobs; undefined if this process has none, or it has stopped. */
  receiver: Receiver | undefined;
}

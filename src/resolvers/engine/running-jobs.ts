/** The jobs of a worker. Jobs of locked accounts wait for seconds, so their slots are free for others. */
import type { Job, JobKey } from '../../store/engine/jobs.ts';

/** Knows the jobs that have begun and not ended. */
export class RunningJobs {
  readonly #begun = new Map<Job, Promise<void>>();
  /** Jobs that were claimed from the queue. */
  readonly #claimed = new Set<Job>();
  readonly #isLocked: (job: Job) => boolean;

  constructor(locked: ReadonlySet<bigint>) {
    this.#isLocked = ({ accountId }) => locked.has(accountId);
  }

  get all(): readonly Job[] {
    return [...this.#begun.keys()];
  }

  /** Number of jobs, without those of locked accounts. */
  get count(): number {
    return this.#countOf(this.#begun.keys());
  }

  /** Number of jobs that were claimed from the queue. */
  get claimedCount(): number {
    return this.#countOf(this.#claimed);
  }

  /** The locked accounts that have some. */
  get lockedAccounts(): readonly bigint[] {
    return [...new Set(this.all.filter(this.#isLocked).map(({ accountId }) => accountId))];
  }

  has({ accountId, id }: JobKey): boolean {
    return this.all.some((each) => each.id === id && each.accountId === accountId);
  }

  add(job: Job, work: Promise<void>, { isClaimed }: { readonly isClaimed: boolean }): void {
    this.#begun.set(job, work);
    if (isClaimed) this.#claimed.add(job);
  }

  delete(job: Job): void {
    this.#begun.delete(job);
    this.#claimed.delete(job);
  }

  /** Waits until no job is running; others may begin meanwhile. */
  async ended(): Promise<void> {
    while (this.#begun.size > 0) await Promise.all(this.#begun.values());
  }

  #countOf(jobs: Iterable<Job>): number {
    return [...jobs].filter((job) => !this.#isLocked(job)).length;
  }
}

/** Stores the progress of a reconciliation while it is made. */
import { randomUUID } from 'node:crypto';
import {
  beginRun,
  endRun,
  type RunKey,
  type RunProgress,
  renewRun,
} from '../../store/rails/reconciliation-run.ts';
import type { Services } from '../services/context.ts';

/** Interval between two stored states. Unit: ms. */
const EVERY_MS = 1_000;

/**
 * @param work - reports its progress by calling its argument.
 * @returns the result of the work. A progress that cannot be stored does not fail it.
 */
export async function followRun<Result>(
  { database, mode }: Pick<Services, 'database' | 'mode'>,
  run: Pick<RunKey, 'rail' | 'day'>,
  work: (report: (progress: RunProgress) => void) => Promise<Result>,
): Promise<Result> {
  const key = { ...run, mode, id: randomUUID() };
  let progress: RunProgress = { phase: 'rows', done: 0, total: null };
  await beginRun(database, key, database.nowMs()).catch(() => {});
  const renew = () => renewRun(database, key, progress, database.nowMs()).catch(() => {});
  const timer = setInterval(() => void renew(), EVERY_MS);
  try {
    return await work((now) => {
      progress = now;
    });
  } finally {
    clearInterval(timer);
    await endRun(database, key).catch(() => {});
  }
}

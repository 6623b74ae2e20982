/** `crossramp job list|show|retry|cancel`. */
import { Command } from 'commander';
import { invalidParameters } from '../base/errors/errors.ts';
import { isoMillis } from '../base/time/instant.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { giveUpJob, listJobs, readJob, retryJob, retryWaitingJobs } from '../resolvers/engine/manage-jobs.ts';
import type { Context } from '../resolvers/services/context.ts';
import type { ListedJob } from '../store/engine/job-list.ts';
import { columnsText, uses } from './command.ts';
import { platformOption, table } from './output.ts';

const LIMIT = 100;

/** Work that the gateway still has to do. */
export function jobCommand(): Command {
  const job = new Command('job').description(
    'Lists jobs that are due or failed, retries them immediately, or gives one up.',
  );
  const list = job
    .command('list')
    .description(
      `Lists jobs of sandbox or live accounts: the ${LIMIT} that have been due for longest, and as many whose last attempt failed.`,
    )
    .option('--failed', 'only jobs whose last try failed')
    .option('--kind <kind>', 'only jobs of this kind, such as send_funds')
    .addOption(platformOption());
  uses(list, {
    run: async (context, { kind, failed }: { kind?: string; failed?: boolean }) =>
      (await listJobs(context, { kind, isFailed: failed, limit: LIMIT })).map(shown),
    text: listText,
  });
  const show = job
    .command('show')
    .description('Shows a job that is not done yet.')
    .argument('<id>', 'id of the job')
    .addOption(platformOption());
  uses(show, {
    run: async (context, _options: object, id: string) => shown(await readJob(context, id)),
    text: (found) => table(Object.entries(found).map(([name, value]) => [name, String(value ?? '')])),
  });
  const retry = job
    .command('retry')
    .description(
      'Retries a job that is due or failed immediately, or all jobs that wait for a person. The order of a job to a rail has the same key as before, so nothing is ordered twice.',
    )
    .argument('[id]', 'id of the job')
    .option('--waiting', 'all jobs that wait for a person: orders of money out that failed for a day')
    .option('--kind <kind>', 'with --waiting: only jobs of this kind, such as send_funds')
    .addOption(platformOption());
  uses(retry, {
    run: retryNamed,
    json: (retried, _options, id) => (retried === null ? { id, state: 'due' } : { retried }),
    text: (retried, _options, id) =>
      retried === null ? `job ${id} is due now` : `jobs that are due now: ${retried}`,
  });
  const cancel = job
    .command('cancel')
    .description(
      'Gives up a failed job: the cancellation of a charge, or, after the end of its transaction, the preparation of its payment. Other jobs are refused, because money or an open transaction waits for them.',
    )
    .argument('<id>', 'id of the job')
    .requiredOption('--reason <text>', 'why; 1 to 200 characters')
    .addOption(platformOption());
  uses(cancel, {
    run: (context, { reason }: { reason: string }, id: string) =>
      giveUpJob(context, id, { name: '--reason', value: reason }, checksOf(context)),
    json: (_done, _options, id) => ({ id, state: 'cancelled' }),
    text: (_done, _options, id) => `job ${id} is cancelled`,
  });
  return job;
}

/** @returns the number of retried jobs; null for a named one. */
async function retryNamed(
  context: Context,
  { waiting = false, kind }: { readonly waiting?: boolean; readonly kind?: string },
  id: string | undefined,
): Promise<number | null> {
  if (waiting !== (id === undefined) || (kind !== undefined && !waiting))
    throw invalidParameters([
      { parameter: 'id', message: 'give the id of one job, or --waiting for all that wait for a person' },
    ]);
  if (id === undefined) return retryWaitingJobs(context, { kind });
  await retryJob(context, id);
  return null;
}

function listText(jobs: readonly ReturnType<typeof shown>[]): string {
  if (jobs.length === 0) return 'no jobs';
  const more =
    jobs.length < LIMIT ? '' : `\nat most ${LIMIT} that are due and ${LIMIT} that failed are listed`;
  const text = columnsText(
    jobs,
    {
      ID: 'id',
      DUE: ({ due }) => due ?? 'by hand',
      ...{ KIND: 'kind', TRIES: 'tries', RUNNING: 'running', ACCOUNT: 'account' },
      ...{ TRANSACTION: 'transaction', 'LAST ERROR': 'lastError' },
    },
    ['TRIES'],
  );
  return `${text}${more}`;
}

function shown({ id, accountId, end2end, kind, dueAt, attempts, lastError, isRunning }: ListedJob) {
  return {
    ...{ id: String(id), due: dueAt && isoMillis(dueAt), kind, tries: attempts, account: String(accountId) },
    ...{ transaction: end2end, running: isRunning, lastError },
  };
}

/** `crossramp reconcile`. */
import { Command } from 'commander';
import { isoMillis } from '../base/instant.ts';
import { once } from '../resolvers/checks/once.ts';
import type { Finding } from '../resolvers/inbound/match-statement.ts';
import { isOpen, type Reconciliation, reconcile } from '../resolvers/inbound/reconcile.ts';
import { requireAct } from '../resolvers/services/context.ts';
import { answer, jsonOption, table } from './output.ts';
import { asPlatform } from './with-store.ts';

interface Options {
  readonly day?: string;
  readonly live?: boolean;
  readonly json?: boolean;
  readonly idempotencyKey?: string;
}

/** Holds the statement of a day against the ledger; fails when something is open. */
export function reconcileCommand(): Command {
  return new Command('reconcile')
    .description(
      'Holds the statement of the PIX provider for a day against the ledger, and keeps the report; fails when something is open.',
    )
    .option('--day <day>', 'day in Brasília, YYYY-MM-DD; default yesterday')
    .option('--live', 'of live accounts instead of those of the sandbox')
    .option(
      '--idempotency-key <key>',
      'the same command with the same key reconciles once; kept for 24 hours',
    )
    .addOption(jsonOption())
    .action(async ({ day, idempotencyKey, ...options }: Options) => {
      const report: Reconciliation = await asPlatform(options, async (context) => {
        requireAct(context, 'books.reconcile');
        const request = {
          key: idempotencyKey,
          parameter: '--idempotency-key',
          route: 'crossramp books.reconcile',
          body: JSON.stringify({ day, live: options.live === true }),
        };
        const given = day === undefined ? undefined : { name: '--day', value: day };
        const done = await once(context, request, async (attempt) => ({
          status: 200,
          answer: JSON.stringify(await reconcile(context, given, attempt)),
        }));
        return JSON.parse(done.answer);
      });
      answer(options, { ...report, isOpen: isOpen(report) }, textOf(report));
      if (isOpen(report)) process.exitCode = 1;
    });
}

function textOf(report: Reconciliation): string {
  const { day, matched, missingHere, missingThere, amountDiffers, inSuspense, oldestOpenAt } = report;
  const counts = [
    `${matched} matched`,
    `${missingHere} missing here`,
    `${missingThere} missing there`,
    `${amountDiffers} with another amount`,
    `${inSuspense} in suspense`,
  ];
  const oldest = oldestOpenAt === null ? '' : `; the oldest that is open is of ${isoMillis(oldestOpenAt)}`;
  const head = `${day}: ${counts.join(', ')}${oldest}`;
  if (report.findings.length === 0) return head;
  const rows = report.findings.map(rowOf);
  return `${head}\n${table([['FINDING', 'KIND', 'AT', 'THERE', 'HERE', 'WHAT', 'WHY'], ...rows], [3, 4])}`;
}

function rowOf({
  finding,
  kind,
  at,
  amountThere,
  amountHere,
  id,
  transaction,
  journal,
  why,
}: Finding): string[] {
  const what = transaction ?? id ?? `journal ${journal}`;
  return [finding, kind, isoMillis(at), amountThere ?? '', amountHere ?? '', what, why];
}

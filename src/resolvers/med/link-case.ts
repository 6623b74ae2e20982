/**
 * Links MED cases that were reported before their payment was known to its account and transaction, whose refunds they block from
 * then on.
 */
import type { Logger } from 'pino';
import { type RailEventTarget, restartDispute } from '../../store/engine/rail-events.ts';
import {
  addMedEvent,
  linkMedCase,
  lockMedCase,
  type MedCase,
  readLinkableMedCases,
  readMedCase,
  readUnlinkedMedCases,
} from '../../store/rails/med-cases.ts';
import type { Services } from '../services/context.ts';
import { isAt, medNameOf, stepCase } from './case-step.ts';

const BATCH_MAX = 100;

/** Links a case to its payment, unless another process has. A report of its dispute that had found no payment is tried again. */
export async function linkCase(
  services: Services,
  row: MedCase,
  { accountId, transactionId }: RailEventTarget,
): Promise<void> {
  const target = { accountId, transactionId };
  if (isAt(row, target)) return;
  const { mode, database } = services;
  const isOpen = row.closedAt === null;
  await stepCase(services, {
    place: target,
    // A decided case blocks nothing: its transaction does not take the end of a case that it never had.
    trigger: {
      on: isOpen ? 'med_opened' : 'med_closed',
      name: medNameOf(row),
      isReport: row.kind === 'infraction',
    },
    holds: async (tx) => {
      const now = await lockMedCase(tx, mode, row.id);
      return now !== undefined && isAt(now, row) && (now.closedAt === null) === isOpen;
    },
    write: async (tx, at) => {
      await linkMedCase(tx, { id: row.id, ...target }, at);
      await addMedEvent(tx, row.id, { at, event: 'payment_found' });
      if (row.kind === 'dispute') await restartDispute(tx, row, database.nowMs());
    },
  });
}

/** Links the cases about a payment to the transaction that is about to take it, so that no refund comes between. */
export async function linkCasesOf(
  services: Services,
  pixE2e: string,
  target: RailEventTarget,
): Promise<void> {
  for (const row of await readUnlinkedMedCases(services.database, services.mode, pixE2e))
    await linkCase(services, row, target);
}

/** Links the cases of one mode whose payment came at the same time as their report, or went to an account in suspense. */
export async function linkMedCases(services: Services, log: Pick<Logger, 'warn'>): Promise<void> {
  const { database, mode } = services;
  for (const { id, ...target } of await readLinkableMedCases(database, mode, BATCH_MAX))
    await linkStored(services, id, target).catch((err: unknown) =>
      log.warn({ err, medCase: String(id) }, 'the payment of a MED case has to wait'),
    );
}

async function linkStored(services: Services, id: bigint, target: RailEventTarget): Promise<void> {
  const row = await readMedCase(services.database, services.mode, id);
  if (row) await linkCase(services, row, target);
}

/**
 * Places MED cases that were reported before their payment was known: with its account and transaction, whose refunds they block from
 * then on.
 */
import { type RailEventTarget, restartDispute } from '../../store/engine/rail-events.ts';
import {
  addMedEvent,
  lockMedCase,
  type MedCase,
  placeMedCase,
  readMedCase,
  readPlaceableMedCases,
  readUnplacedMedCases,
} from '../../store/rails/med-cases.ts';
import type { Services } from '../services/context.ts';
import { isAt, medNameOf, stepCase } from './case-step.ts';

const BATCH_MAX = 100;

/** Places a case with its payment, unless another process has. A report of its dispute that had found no payment is tried again. */
export async function placeCase(
  services: Services,
  row: MedCase,
  { accountId, transactionId }: RailEventTarget,
): Promise<void> {
  const place = { accountId, transactionId };
  if (isAt(row, place)) return;
  const { mode, database } = services;
  const isOpen = row.closedAt === null;
  await stepCase(services, {
    place,
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
      await placeMedCase(tx, { id: row.id, ...place }, at);
      await addMedEvent(tx, row.id, { at, event: 'payment_found' });
      if (row.kind === 'dispute') await restartDispute(tx, row, database.nowMs());
    },
  });
}

/** Places the cases about a payment that a transaction is about to take, so that no refund comes between. */
export async function placeCasesOf(
  services: Services,
  pixE2e: string,
  target: RailEventTarget,
): Promise<void> {
  for (const row of await readUnplacedMedCases(services.database, services.mode, pixE2e))
    await placeCase(services, row, target);
}

/** Places the cases of one mode whose payment came at the same time as their report, or went to an account in suspense. */
export async function placeMedCases(services: Services): Promise<void> {
  const { database, mode } = services;
  for (const { id, ...target } of await readPlaceableMedCases(database, mode, BATCH_MAX)) {
    const row = await readMedCase(database, mode, id);
    if (row) await placeCase(services, row, target);
  }
}

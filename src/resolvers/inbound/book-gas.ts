/** Books the charge of a network to the house (L12): with the transaction that caused it, or as the house's own. */
import { assert } from '../../base/errors/assert.ts';
import { platformAccount } from '../../store/account/accounts.ts';
import {
  type RailEventRecord,
  type RailEventTarget,
  storeRailEvents,
} from '../../store/engine/rail-events.ts';
import { postJournals } from '../../store/ledger/posting.ts';
import { gasJournals } from '../../templates/gas.ts';
import type { Services } from '../services/context.ts';
import { withAccounts } from '../services/lock-accounts.ts';
import type { GasEvent, Receipt } from '../services/rail-event.ts';

/** @returns the outcome of the event: `noted`, as the event moves no transaction. */
export async function bookGas(
  services: Services,
  { gas }: GasEvent,
  record: RailEventRecord,
  found: RailEventTarget | undefined,
): Promise<Receipt> {
  const { database, mode, notifier } = services;
  const accountId = found?.accountId ?? (await platformAccount(database, mode));
  const transactionId = found?.transactionId ?? null;
  const isBooked = await withAccounts(services, [accountId], async (tx, { nowMs }) => {
    const [railEventId] = await storeRailEvents(tx, [
      { ...record, outcome: 'noted', accountId, transactionId },
    ]);
    if (railEventId === undefined) return false;
    const ref = `gas:${railEventId}`;
    const requests = gasJournals({ trigger: { gas } }).map((journal) => ({
      accountId,
      ref,
      transactionId,
      journal,
    }));
    const posted = requests.length > 0 ? await postJournals(tx, requests, new Date(nowMs)) : [];
    assert(
      posted.every(({ code }) => code === 'POSTED'),
      'a charge of a network can be booked',
    );
    return true;
  });
  if (isBooked) notifier.notify([accountId]);
  return { outcome: isBooked ? 'noted' : 'duplicate' };
}

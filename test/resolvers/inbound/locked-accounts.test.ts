/**
 * C-34: an event of an account that another process holds locked, as an import does, delays no other event: it is stored, and tried again.
 * Method: somebody holds the lock, and what is asked of the engine is counted.
 */
import { expect, test, vi } from 'vitest';
import { railEventRecordOf } from '../../../src/resolvers/inbound/rail-events.ts';
import { retryRailEvents } from '../../../src/resolvers/inbound/retry-rail-events.ts';
import { postponeRailEvent } from '../../../src/store/engine/rail-events.ts';
import type { ProcessRow } from '../../../src/templates/facts.ts';
import { useApp } from '../../support/app.ts';
import { holdAccounts } from '../../support/hold-accounts.ts';
import { inboundOf, pixFor, SILENT } from './support.ts';

const app = useApp();
const { onramp, stepOf } = inboundOf(app);
const HOUR_MS = 3_600_000;

/** A payment that could not be settled when it was told. */
async function payLater(row: ProcessRow): Promise<void> {
  const record = railEventRecordOf(app.services, pixFor(row));
  const why = { error: 'there was no rate', isUntaken: false, target: undefined };
  await postponeRailEvent(app.database, record, { ...why, outcome: 'pending', dueMs: Date.now() });
}

test('C-34: an event of a locked account waits for it once; then it is postponed immediately, and events of others are settled', async () => {
  const [locked, free] = [await app.addAccount(), await app.addAccount()];
  const ofLocked = [await onramp(locked), await onramp(locked), await onramp(locked)];
  const [told, ofFree] = [await onramp(locked), await onramp(free)];
  for (const row of [...ofLocked, ofFree]) await payLater(row);
  // So often that other failures wait for an hour.
  await app.owner.query('update rail_news set attempts = 9');
  const advance = vi.spyOn(app.services, 'advance');
  const asked = () =>
    advance.mock.calls.filter(
      ([{ target, trigger }]) =>
        'accountId' in target && target.accountId === locked.accountId && trigger.on === 'pix_received',
    ).length;
  const held = await holdAccounts(app.owner, locked.accountId);
  try {
    expect(await retryRailEvents(app.services, SILENT, Date.now() + HOUR_MS)).toBe(4);
    expect(await stepOf(ofFree)).not.toBe('depositpix/QRCODE');
    expect((await app.services.receive(pixFor(told))).outcome).toBe('pending');
    expect(asked(), 'events that waited for the account').toBe(1);
    const late = `select key from rail_news where due_at > now() + interval '1 minute'`;
    expect((await app.owner.query(late)).rows, 'events retried long after the account is free').toEqual([]);
  } finally {
    await held.release();
  }
  expect(await retryRailEvents(app.services, SILENT, Date.now() + HOUR_MS)).toBe(4);
  for (const row of [...ofLocked, told]) expect(await stepOf(row)).not.toBe('depositpix/QRCODE');
});

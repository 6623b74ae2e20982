/**
 * Rails after a restore of the database. A rail sends nothing until it was scanned for payments that left after the restored time.
 * Orders to the destinations of unknown payments then wait for a person.
 */
import type { Logger } from 'pino';
import { ACCOUNT_MODES } from '../../base/access/account-mode.ts';
import { GatewayError } from '../../base/errors/errors.ts';
import type { Tx } from '../../store/connection/database.ts';
import { plainMessage } from '../../store/connection/database-error.ts';
import {
  noticeRestore,
  type RailKey,
  type RestoredRail,
  readRestoredRail,
  storeAlive,
  storeRestoredRail,
} from '../../store/rails/restores.ts';
import {
  addUnknownPayments,
  countUnknownPayments,
  findHolder,
  type HeldOrder,
  holdOrder,
  matchedPayment,
  type UnknownPayment,
} from '../../store/rails/unknown-payments.ts';
import { repeat } from '../engine/repeat.ts';
import { RECONCILED_RAILS } from '../reconciliation/reconcile.ts';
import type { Services } from '../services/context.ts';
import type { NamedRail } from '../services/rail-part.ts';
import type { NamedCheck } from './rail-checks.ts';

type Log = Pick<Logger, 'info' | 'warn' | 'error'>;

const LOOP = { failedMs: 5_000, complaint: 'rails cannot be scanned after a restore' };
const EVERY_MS = 5_000;
/** Pauses before a job attempts its order again, by the obstacle. Unit: s. */
const PAUSE_SECONDS = { scan: 10, decision: 60 };
const NO_LIST =
  'the rail cannot list what was sent: compare its statement from the restored time on, and release it by hand';

/** Scans the rails that a restore has stopped, until each is cleared. */
export function startRestoredRails(services: Services, log: Log): { readonly stop: () => Promise<void> } {
  const stopping = new AbortController();
  const loop = repeat(stopping.signal, log, LOOP, async () => {
    await noticeRestore(services.database);
    for (const mode of ACCOUNT_MODES) await scanRails(services.forMode(mode), log);
    await storeAlive(services.database);
    return EVERY_MS;
  });
  return {
    stop: async () => {
      stopping.abort();
      await loop.done;
    },
  };
}

/** @returns the rails of a mode by which money leaves. */
export function payingRails({ railParts }: Pick<Services, 'railParts'>): readonly NamedRail[] {
  return railParts.filter(({ name }) => RECONCILED_RAILS.includes(name));
}

/** Scans once each rail of a mode that is not cleared. */
export async function scanRails(own: Services, log: Log): Promise<void> {
  const { database, mode } = own;
  for (const { name: rail, part } of payingRails(own)) {
    const key = { mode, rail };
    const restored = await readRestoredRail(database, key);
    if (!restored) return;
    if (restored.clearedAt === null) await scanRail(own, log, { key, part, restored });
  }
}

async function scanRail(
  { database }: Services,
  log: Log,
  {
    key,
    part,
    restored,
  }: Pick<NamedRail, 'part'> & { readonly key: RailKey; readonly restored: RestoredRail },
): Promise<void> {
  try {
    if (!part.unknownPayments) throw new Error(NO_LIST);
    const found = await part.unknownPayments(restored);
    // All of them are stored before the first order can leave.
    const { added, isCleared } = await database.withTx(async (tx) => ({
      added: await addUnknownPayments(tx, key, found),
      isCleared: await storeRestoredRail(tx, restored, key, { clearedAtMs: database.nowMs() }),
    }));
    const since = new Date(restored.sinceMs).toISOString();
    if (added.length > 0)
      log.error(
        { ...key, since, payments: added },
        'payments left before the restore that are not in the books',
      );
    if (isCleared) log.info({ ...key, since, found: found.length }, 'a rail is cleared after the restore');
  } catch (error) {
    const trouble = plainMessage(error);
    if (trouble !== restored.trouble)
      log.error({ ...key, trouble }, 'a rail sends nothing after the restore');
    await storeRestoredRail(database, restored, key, { clearedAtMs: null, trouble });
  }
}

/**
 * Decides about an order of a restored database that is about to be sent for the first time.
 *
 * @param inquire - queries the rail about this order alone, and stores unknown payments that it may be; undefined where the rail
 *   cannot have the order.
 * @returns the rail's name of the payment that the order is; undefined if it may be sent.
 * @throws {GatewayError} `UNAVAILABLE` while the rail is not cleared, and while a person has to decide.
 */
export async function sentBeforeRestore(
  tx: Tx,
  rail: RailKey,
  { clearedAt, hasPayments }: Pick<RestoredRail, 'clearedAt' | 'hasPayments'>,
  order: HeldOrder,
  inquire?: () => Promise<string | undefined>,
): Promise<string | undefined> {
  const matched = hasPayments ? await matchedPayment(tx, rail, order.key) : undefined;
  if (matched !== undefined) return matched;
  if (clearedAt === null)
    throw new GatewayError('UNAVAILABLE', `waits until ${rail.rail} is cleared after the restore`, {
      retryAfter: PAUSE_SECONDS.scan,
    });
  // The rail was queried before an order was held, and is not again until the decision.
  const holder = hasPayments ? await findHolder(tx, rail, order.key) : undefined;
  if (holder) throw waitsForPerson(holder);
  const sentAs = await inquire?.();
  if (sentAs !== undefined) return sentAs;
  if (!hasPayments && !inquire) return undefined;
  const held = await holdOrder(tx, rail, order);
  // A decision that was made meanwhile counts: `holdOrder` waits for it.
  const decided = await matchedPayment(tx, rail, order.key);
  if (decided !== undefined || !held) return decided;
  throw waitsForPerson(held);
}

function waitsForPerson({ id }: Pick<UnknownPayment, 'id'>): GatewayError {
  return new GatewayError('UNAVAILABLE', `may be payment ${id} of before the restore: a person decides`, {
    retryAfter: PAUSE_SECONDS.decision,
  });
}

/** @returns for each rail that sends money whether it was cleared after the last restore, and the payments to be decided. */
export async function restoreChecks(own: Services): Promise<readonly NamedCheck[]> {
  const { database, mode } = own;
  const checks = payingRails(own).map(async ({ name: rail }): Promise<readonly NamedCheck[]> => {
    const restored = await readRestoredRail(database, { mode, rail });
    if (!restored) return [];
    const open = await countUnknownPayments(database, { mode, rail });
    const since = new Date(restored.sinceMs).toISOString();
    const state = restored.clearedAt
      ? `cleared after the restore, payments to be decided: ${open}`
      : `nothing is sent before a scan for payments since ${since}${restored.trouble ? `: ${restored.trouble}` : ''}`;
    return [{ rail, check: 'restore', ok: restored.clearedAt !== null && open === 0, detail: state }];
  });
  return (await Promise.all(checks)).flat();
}

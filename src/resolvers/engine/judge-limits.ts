/**
 * Limits of a batch (C-21, C-22): judged under the account's lock, in the database transaction that counts what they
 * limit, so that they hold whatever happens at once. One statement reads the volumes of all customers of a batch, and one
 * writes them; a batch in which nothing is begun, paid or ended needs neither.
 */
import { TEMPLATE_DEFAULTS } from '../../store/account/settings.ts';
import type { Tx } from '../../store/database.ts';
import { readVolumes, type Volumes } from '../../store/engine/volumes.ts';
import { type Claim, claimOf, countedOf, isSameClaim, WITHDRAWALS } from '../../templates/claim.ts';
import type { Counted, Process } from '../../templates/facts.ts';
import { plan } from '../../templates/machine.ts';
import type { Registry } from '../../templates/registry.ts';
import { type Item, refuse, take } from './batch-item.ts';
import { centsOf, DayBook, type Totals } from './day-book.ts';

/** Names that customers had before the batch, by account and tax id; null for a customer who is new. */
export type KnownNames = Map<string, readonly string[] | null>;

/** What is judged with. */
interface Court {
  readonly registry: Registry;
  /** See `View`. */
  readonly ispb: string;
  readonly nowMs: number;
}

/**
 * Changes the plans of what is over a limit: what was to be made is refused, what can end at its limit does, and money that
 * arrived is held. Notes where a closer look at the customer is due, and which withdrawal needs approval.
 *
 * @returns the names of the customers that were looked at.
 */
export async function judgeLimits(
  tx: Tx,
  { registry, ispb }: Omit<Court, 'nowMs'>,
  items: readonly Item[],
  nowMs: number,
): Promise<KnownNames> {
  const names: KnownNames = new Map();
  for (const item of items)
    if (item.code === 'ADVANCED' && item.request.trigger.on === 'step_up_approved')
      note(item, { stepUp: 'approved' });
  const claims = items.flatMap((item) => {
    const claim = newClaim(registry, item);
    return claim ? [{ item, counted: countedOf(claim, nowMs) }] : [];
  });
  if (claims.length === 0) return names;
  const found = await readVolumes(
    tx,
    claims.map(({ item: { row }, counted }) => ({
      accountId: row.accountId,
      subject: counted.subject,
      day: counted.day,
      template: row.template,
    })),
    TEMPLATE_DEFAULTS,
  );
  const book = new DayBook();
  for (const [index, { item, counted }] of claims.entries()) {
    const { accountId } = item.row;
    const stored = found[index] as Volumes;
    names.set(`${accountId} ${counted.subject}`, stored.names);
    const totals = book.totals(accountId, counted, stored);
    if (!judge({ registry, ispb, nowMs }, item, counted, { ...stored, totals })) continue;
    const before = item.before.process?.counted;
    if (before) book.add(accountId, before, -1n);
    book.add(accountId, counted, 1n);
  }
  return names;
}

/** @returns what the transaction takes of a limit that it did not take before its plan. */
function newClaim(registry: Registry, { before, row, code }: Item): Claim | undefined {
  if (code !== 'ADVANCED') return undefined;
  const template = registry.of(row.template);
  const claim = claimOf(template, row);
  return claim && isSameClaim(claim, claimOf(template, before)) ? undefined : claim;
}

type Limits = Pick<Volumes, 'limitDaily' | 'stepUp30d' | 'approvalAbove'> & { readonly totals: Totals };

/** @returns whether it counts as planned. */
function judge(court: Court, item: Item, { subject, brl, isPaid }: Counted, limits: Limits): boolean {
  const { totals } = limits;
  const cents = centsOf(brl);
  if (subject === WITHDRAWALS) {
    const { approvalAbove } = limits;
    if (approvalAbove === null || totals.paid + cents <= centsOf(approvalAbove)) return true;
    replan(court, item, { needsApproval: true });
    return false;
  }
  // Whoever lets go what is held decides that it passes.
  // A dispute about what an earlier one left pays nothing anew.
  if (item.request.trigger.on === 'released' || item.request.trigger.on === 'dispute_opened') return true;
  const day = isPaid ? totals.paid : totals.paid + totals.open;
  if (day + cents > centsOf(limits.limitDaily)) {
    stop(court, item);
    return false;
  }
  const month = isPaid ? totals.paidMonth : totals.paidMonth + totals.openMonth;
  if (item.row.process?.stepUp !== 'approved')
    note(item, { stepUp: month + cents > centsOf(limits.stepUp30d) ? 'due' : undefined });
  return true;
}

/** Plans what follows when a limit stands against it. */
function stop(court: Court, item: Item): void {
  const template = court.registry.of(item.row.template);
  const exceeded = (from: Item['row']) => plan(template, from, { on: 'limit_exceeded' }, situation(court));
  const isMade = 'create' in item.request.target;
  const ended = isMade ? undefined : exceeded(item.before);
  const held = isMade ? undefined : exceeded(item.row);
  if (ended) take(item, ended);
  else if (held) take(item, [...item.steps, ...held]);
  else refuse(item, 'LIMIT_EXCEEDED');
}

/** Plans again, with other facts of the process to begin with. */
function replan(court: Court, item: Item, facts: Partial<Process>): void {
  const { before, request } = item;
  const process = { ...(before.process as Process), ...facts };
  const steps = plan(
    court.registry.of(before.template),
    { ...before, process },
    request.trigger,
    situation(court),
  );
  if (steps) take(item, steps);
}

function situation({ nowMs, ispb }: Court) {
  return { nowMs, ispb, available: () => 0n };
}

function note(item: Item, facts: Partial<Process>): void {
  item.row = { ...item.row, process: { ...(item.row.process as Process), ...facts } };
}

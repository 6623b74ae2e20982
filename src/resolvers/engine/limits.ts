/**
 * The limits of customers in a batch (C-21): checks whether a limit refuses, ends or holds a plan, and then adds the batch's
 * changes to the volumes. Both happen under the account's lock, in the database transaction of the batch, so that limits hold
 * for parallel requests. One statement reads the volumes of all customers of a batch, and one changes them; a batch without a
 * creation, payment or end needs none.
 */
import { BRL } from '../../base/money/currency.ts';
import { fromMinor, toMinor } from '../../base/money/money.ts';
import { noteLimit } from '../../base/trace/measures.ts';
import type { Tx } from '../../store/connection/database.ts';
import {
  type Claim,
  changeVolumes,
  claimOf,
  countedOf,
  isSameClaim,
  type LimitsOver,
  readVolumes,
  type SeenCustomer,
  STEP_UP_DAYS,
  type VolumeChange,
  type Volumes,
} from '../../store/engine/volumes.ts';
import type { Counted, ProcessRow } from '../../templates/facts.ts';
import { plan } from '../../templates/machine.ts';
import type { Registry } from '../../templates/registry.ts';
import type { TriggerName } from '../../templates/triggers.ts';
import { type Item, note, refuse, replaceSteps } from './batch.ts';

/** Names that customers had before the batch, by account and tax id; null for a customer who is new. */
export type KnownNames = Map<string, readonly string[] | null>;

/** A release is a decision that it passes. Money that could not be refunded counts again, and is no new payment. */
const PASSING: readonly TriggerName[] = ['released', 'refund_failed', 'return_failed'];
const NAMES_MAX = 20;
const DAY_MS = 86_400_000;

/** Parts of making plans. */
interface Parts {
  readonly registry: Registry;
  /** See `View`. */
  readonly ispb: string;
  readonly stepUpMs: number;
  readonly nowMs: number;
  readonly limitsOver: LimitsOver;
}

/**
 * Changes the plans above a limit: a creation is refused, a transaction that can end at its limit ends, and arrived money is
 * held. Marks customers who need extra verification.
 *
 * @returns the names of the checked customers.
 */
export async function applyLimits(
  tx: Tx,
  parts: Omit<Parts, 'nowMs'>,
  items: readonly Item[],
  nowMs: number,
): Promise<KnownNames> {
  const names: KnownNames = new Map();
  for (const item of items)
    if (item.code === 'ADVANCED' && item.request.trigger.on === 'step_up_approved')
      note(item, { stepUp: 'approved' });
  const claims = items.flatMap((item) => {
    const claim = newClaim(parts.registry, item);
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
    parts.limitsOver,
  );
  const book = new DayBook();
  for (const [index, { item, counted }] of claims.entries()) {
    const { accountId } = item.row;
    const stored = found[index] as Volumes;
    names.set(`${accountId} ${counted.subject}`, stored.names);
    const totals = book.totals(bookOf(parts, accountId), counted, stored);
    if (!countAgainst({ ...parts, nowMs }, item, counted, { ...stored, totals })) continue;
    const before = item.before.process?.counted;
    if (before) book.add(bookOf(parts, accountId), before, -1n);
    book.add(bookOf(parts, accountId), counted, 1n);
  }
  return names;
}

/** @returns the account whose volumes are added up; one for all where a customer is counted over all accounts. */
function bookOf({ limitsOver }: Pick<Parts, 'limitsOver'>, accountId: bigint): bigint {
  return limitsOver === 'operator' ? 0n : accountId;
}

/** @returns the part of a limit that the transaction uses since its plan. */
function newClaim(registry: Registry, { before, row, code }: Item): Claim | undefined {
  if (code !== 'ADVANCED') return undefined;
  const template = registry.of(row.template);
  const claim = claimOf(template, row);
  return claim && isSameClaim(claim, claimOf(template, before)) ? undefined : claim;
}

type Limits = Pick<Volumes, 'limitDaily' | 'stepUp30d'> & { readonly totals: Totals };

/** @returns whether the plan stays as it is. */
function countAgainst(parts: Parts, item: Item, { brl, isPaid }: Counted, limits: Limits): boolean {
  const { totals } = limits;
  const cents = centsOf(brl);
  if (PASSING.includes(item.request.trigger.on)) return true;
  const day = isPaid ? totals.paid : totals.paid + totals.open;
  if (day + cents > centsOf(limits.limitDaily)) {
    noteLimit('customer_day');
    stop(parts, item);
    return false;
  }
  const month = isPaid ? totals.paidMonth : totals.paidMonth + totals.openMonth;
  if (item.row.process?.stepUp !== 'approved') {
    const isDue = month + cents > centsOf(limits.stepUp30d);
    if (isDue) noteLimit('customer_step_up');
    note(item, { stepUp: isDue ? 'due' : undefined });
  }
  return true;
}

/** Plans the outcome for a request that is over a limit. */
function stop(parts: Parts, item: Item): void {
  const template = parts.registry.of(item.row.template);
  const exceeded = (from: Item['row']) => plan(template, from, { on: 'limit_exceeded' }, situation(parts));
  const isMade = 'create' in item.request.target;
  const ended = isMade ? undefined : exceeded(item.before);
  const held = isMade ? undefined : exceeded(item.row);
  if (ended) replaceSteps(item, ended);
  else if (held) replaceSteps(item, [...item.steps, ...held]);
  else refuse(item, 'LIMIT_EXCEEDED');
}

function situation({ nowMs, stepUpMs, ispb }: Parts) {
  return { nowMs, stepUpMs, ispb, available: () => 0n };
}

/** Cents of a day, and of the 30 days that end with it: the open and the paid part. */
interface Totals {
  readonly open: bigint;
  readonly paid: bigint;
  readonly openMonth: bigint;
  readonly paidMonth: bigint;
}

interface Added {
  readonly dayNumber: number;
  readonly cents: bigint;
  readonly isPaid: boolean;
}

/** Additions of one batch so far. */
class DayBook {
  readonly #added = new Map<string, Added[]>();

  /** Adds to an account's volumes, or subtracts again: `sign` -1. */
  add(accountId: bigint, { subject, day, brl, isPaid }: Counted, sign: 1n | -1n): void {
    const key = `${accountId} ${subject}`;
    const added = { dayNumber: numberOf(day), cents: sign * centsOf(brl), isPaid };
    this.#added.set(key, [...(this.#added.get(key) ?? []), added]);
  }

  /** @returns the volumes of a subject for a day: stored ones plus additions. */
  totals(accountId: bigint, { subject, day }: Counted, stored: Volumes): Totals {
    const dayNumber = numberOf(day);
    const added = this.#added.get(`${accountId} ${subject}`) ?? [];
    const sum = (isPaid: boolean, days: number, from: string) =>
      added
        .filter((each) => each.isPaid === isPaid)
        .filter((each) => each.dayNumber <= dayNumber && each.dayNumber > dayNumber - days)
        .reduce((total, { cents }) => total + cents, centsOf(from));
    return {
      open: sum(false, 1, stored.open),
      paid: sum(true, 1, stored.paid),
      openMonth: sum(false, STEP_UP_DAYS, stored.openMonth),
      paidMonth: sum(true, STEP_UP_DAYS, stored.paidMonth),
    };
  }
}

function numberOf(day: string): number {
  return Date.parse(day) / DAY_MS;
}

/**
 * Stores on every moved transaction the amount that limits count, and changes the volumes by the difference to the amount
 * counted before.
 */
export async function countVolumes(
  tx: Tx,
  registry: Registry,
  items: readonly Item[],
  { nowMs, names }: { readonly nowMs: number; readonly names: KnownNames },
): Promise<void> {
  const volumes = new Map<string, Change>();
  const seen = new Map<string, SeenCustomer>();
  for (const item of items) {
    if (item.code !== 'ADVANCED') continue;
    count(registry, item, nowMs, volumes);
    noteCustomer(item, names, nowMs, seen);
  }
  const changes = [...volumes.values()].filter(({ open, paid }) => open !== 0n || paid !== 0n);
  if (changes.length > 0 || seen.size > 0) await changeVolumes(tx, changes.map(textOf), [...seen.values()]);
}

interface Change extends Pick<VolumeChange, 'accountId' | 'subject' | 'day'> {
  open: bigint;
  paid: bigint;
}

function count(registry: Registry, item: Item, nowMs: number, volumes: Map<string, Change>): void {
  const { before, row } = item;
  const template = registry.of(row.template);
  const claim = claimOf(template, row);
  if (isSameClaim(claim, claimOf(template, before))) return;
  const was = before.process?.counted;
  const counted = claim && countedOf(claim, nowMs);
  note(item, { counted });
  if (was) change(volumes, row, was, -centsOf(was.brl));
  if (counted) change(volumes, row, counted, centsOf(counted.brl));
}

function change(
  volumes: Map<string, Change>,
  { accountId }: ProcessRow,
  { subject, day, isPaid }: Counted,
  cents: bigint,
): void {
  const key = `${accountId} ${subject} ${day}`;
  const volume = volumes.get(key) ?? { accountId, subject, day, open: 0n, paid: 0n };
  volume[isPaid ? 'paid' : 'open'] += cents;
  volumes.set(key, volume);
}

/** Stores a customer who is new, has another name, or passed extra verification. */
function noteCustomer(
  { request, row }: Item,
  names: KnownNames,
  nowMs: number,
  seen: Map<string, SeenCustomer>,
): void {
  const { accountId, clientTaxId: taxId, clientName } = row;
  const isVerified = request.trigger.on === 'step_up_approved';
  if (taxId === null) return;
  const key = `${accountId} ${taxId}`;
  const known = names.get(key);
  // Composed and decomposed letters are the same name.
  const name = clientName?.normalize('NFC') ?? null;
  const isNew = known !== undefined && name !== null && !known?.includes(name);
  if (!isNew && !isVerified) return;
  const all = isNew ? [...(known ?? []), name].slice(-NAMES_MAX) : (known ?? []);
  if (isNew) names.set(key, all);
  seen.set(key, {
    accountId,
    taxId,
    names: all,
    isVerified: isVerified || seen.get(key)?.isVerified === true,
    seenAt: new Date(nowMs),
  });
}

function textOf({ open, paid, ...key }: Change): VolumeChange {
  return { ...key, open: fromMinor(open, BRL.decimals), paid: fromMinor(paid, BRL.decimals) };
}

/** @returns BRL in cents. */
function centsOf(brl: string): bigint {
  return toMinor(brl, BRL.decimals);
}

/**
 * Counts what a batch moves of the volumes that limits are compared with, and keeps the names of the customers that it met: in
 * the database transaction of the batch, by one statement, or by none where nothing is begun, paid or ended.
 */
import { BRL } from '../../base/currency.ts';
import { fromMinor, toMinor } from '../../base/money.ts';
import type { Tx } from '../../store/database.ts';
import { changeVolumes, type SeenCustomer, type VolumeChange } from '../../store/engine/volumes.ts';
import { claimOf, countedOf, isSameClaim, WITHDRAWALS } from '../../templates/claim.ts';
import type { Counted, Process, ProcessRow } from '../../templates/facts.ts';
import type { Registry } from '../../templates/registry.ts';
import type { Item } from './batch.ts';

/** Names that customers had before the batch, by account and tax id; null for a customer who is new. */
export type KnownNames = Map<string, readonly string[] | null>;

const NAMES_MAX = 20;

/**
 * Notes on every transaction that moved what is counted of it now, and changes the volumes by the difference to what was counted
 * before.
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
  item.row = { ...row, process: { ...(row.process as Process), counted } };
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

/** Keeps a customer who is new, has another name, or passed a closer look. */
function noteCustomer(
  { request, row }: Item,
  names: KnownNames,
  nowMs: number,
  seen: Map<string, SeenCustomer>,
): void {
  const { accountId, clientTaxId: taxId, clientName } = row;
  const isVerified = request.trigger.on === 'step_up_approved';
  if (taxId === null || taxId === WITHDRAWALS) return;
  const key = `${accountId} ${taxId}`;
  const known = names.get(key);
  const isNew = known !== undefined && clientName !== null && !known?.includes(clientName);
  if (!isNew && !isVerified) return;
  const all = isNew ? [...(known ?? []), clientName].slice(-NAMES_MAX) : (known ?? []);
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
export function centsOf(brl: string): bigint {
  return toMinor(brl, BRL.decimals);
}

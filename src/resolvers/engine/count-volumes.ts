/** Counts what a batch did to the volumes of its customers, and keeps what is new of them (C-21). */

import { BRL } from '../../base/currency.ts';
import { fromMinor } from '../../base/money.ts';
import type { Tx } from '../../store/database.ts';
import { changeVolumes, type SeenCustomer, type VolumeChange } from '../../store/engine/volumes.ts';
import { claimOf, countedOf, isSameClaim, WITHDRAWALS } from '../../templates/claim.ts';
import type { Counted, Process, ProcessRow } from '../../templates/facts.ts';
import type { Registry } from '../../templates/registry.ts';
import type { Item } from './batch-item.ts';
import { centsOf } from './day-book.ts';
import type { KnownNames } from './judge-limits.ts';

const NAMES_MAX = 20;

/**
 * Notes on every transaction that moved what is counted of it now, and changes the volumes by the difference: what was
 * counted before is taken away as it was counted.
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
    meet(item, names, nowMs, seen);
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

/** A customer who is new, has another name, or passed a closer look is kept. */
function meet(
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

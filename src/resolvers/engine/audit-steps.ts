/** What the audit log says of acts that make or move transactions. */
import type { Instant } from '../../base/instant.ts';
import type { AuditEntry, AuditRow } from '../../store/engine/audit.ts';
import { chain } from '../../store/engine/audit.ts';
import type { Head } from '../../store/engine/processes.ts';
import type { PixReturn, ProcessRow } from '../../templates/facts.ts';
import { returnsOf } from '../../templates/returns.ts';
import { stepNameOf } from '../../templates/step-name.ts';
import type { Trigger } from '../../templates/triggers.ts';
import { type Author, auditEntry } from '../services/author.ts';

/** A transaction that was made or moved, and by whom; by nobody where a rail or a timer moved it. */
export interface Moved {
  readonly author: Author | undefined;
  /** Where it stood; undefined of one that was made. */
  readonly from: ProcessRow | undefined;
  readonly row: ProcessRow;
  /** What it was told. */
  readonly trigger: Trigger;
}

/**
 * Puts the acts of a batch at the ends of the chains of their accounts, and moves the ends in `heads`.
 *
 * @param at - the time of the batch: an act such as an approval may leave its transaction at its step, with its time.
 */
export function chainActs(moved: readonly Moved[], heads: Map<bigint, Head>, at: Instant): AuditRow[] {
  const byAccount = new Map<bigint, AuditEntry[]>();
  for (const { author, ...move } of moved) {
    if (!author) continue;
    const { row } = move;
    const entries = byAccount.get(row.accountId) ?? [];
    entries.push(entryOf(author, move, at));
    byAccount.set(row.accountId, entries);
  }
  return [...byAccount].flatMap(([accountId, entries]) => {
    const { rows, end } = chain(heads.get(accountId) as Head, entries);
    heads.set(accountId, end);
    return rows;
  });
}

function entryOf(author: Author, { from, row, trigger }: Omit<Moved, 'author'>, at: Instant): AuditEntry {
  const { template, sourceAmount, sourceCurrency, targetAmount, targetCurrency } = row;
  const order = { template, sourceAmount, sourceCurrency, targetAmount, targetCurrency };
  return auditEntry(author, { kind: 'transaction', id: row.end2end }, at, {
    ...(from && { before: { step: stepNameOf(from), ...returnsBeside(from, row) } }),
    after: {
      step: stepNameOf(row),
      ...(from ? returnsBeside(row, from) : order),
      ...resolutionOf(trigger),
      ...(trigger.on === 'requoted' && order),
    },
  });
}

/** @returns what goes back to the payer of a transaction, as far as it is not the same in the other one. */
function returnsBeside(row: ProcessRow, other: ProcessRow): object {
  const others = new Set(returnsOf(other.process ?? {}).map(textOf));
  const returns = returnsOf(row.process ?? {})
    .map(textOf)
    .filter((each) => !others.has(each));
  return returns.length > 0 ? { returns: returns.map((each) => JSON.parse(each)) } : {};
}

function textOf({ returnId, kind, amount, state, reference }: PixReturn): string {
  return JSON.stringify({ returnId, kind, amount, state, reference });
}

/** @returns how a held deposit is resolved, and where it goes back to. */
function resolutionOf(trigger: Trigger): object {
  switch (trigger.on) {
    case 'kept':
      return { resolution: 'keep' };
    case 'refund_ordered':
      return { resolution: 'refund', address: trigger.address };
    case 'requoted':
      return { resolution: 'requote' };
    default:
      return {};
  }
}

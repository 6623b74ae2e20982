/** What the audit log says of acts that make or move transactions. */
import type { AuditEntry, AuditRow } from '../../store/engine/audit.ts';
import { chain } from '../../store/engine/audit.ts';
import type { Head } from '../../store/engine/processes.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import { stepNameOf } from '../../templates/step-name.ts';
import { type Author, auditEntry } from '../services/author.ts';

/** A transaction that was made or moved, and by whom; by nobody where a rail or a timer moved it. */
export interface Moved {
  readonly author: Author | undefined;
  /** Where it stood; undefined of one that was made. */
  readonly from: ProcessRow | undefined;
  readonly row: ProcessRow;
}

/** Puts the acts of a batch at the ends of the chains of their accounts, and moves the ends in `heads`. */
export function chainActs(moved: readonly Moved[], heads: Map<bigint, Head>): AuditRow[] {
  const byAccount = new Map<bigint, AuditEntry[]>();
  for (const { author, from, row } of moved) {
    if (!author) continue;
    const entries = byAccount.get(row.accountId) ?? [];
    entries.push(entryOf(author, from, row));
    byAccount.set(row.accountId, entries);
  }
  return [...byAccount].flatMap(([accountId, entries]) => {
    const { rows, end } = chain(heads.get(accountId) as Head, entries);
    heads.set(accountId, end);
    return rows;
  });
}

function entryOf(author: Author, from: ProcessRow | undefined, row: ProcessRow): AuditEntry {
  const { template, sourceAmount, sourceCurrency, targetAmount, targetCurrency } = row;
  const order = { template, sourceAmount, sourceCurrency, targetAmount, targetCurrency };
  return auditEntry(author, { kind: 'transaction', id: row.end2end }, row.updatedAt, {
    ...(from && { before: { step: stepNameOf(from) } }),
    after: { step: stepNameOf(row), ...(!from && order) },
  });
}

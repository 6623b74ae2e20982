/**
 * The auditor of the audit log: walks the chain of an account and names every entry that differs from what was written.
 * Numbers and bytes come as text, as in all statements of the auditor (verify-sql.ts).
 */
import type { Statement, Tx } from '../connection/database.ts';
import { AUDIT_COLUMNS, type AuditEntry, type ChainEnd, chainHash } from './audit.ts';

/** A defect of the log, with its entry. */
export interface AuditDefect {
  readonly defect: string;
  readonly at: bigint | null;
  readonly detail: string;
}

const SLICE = 5_000;
/** Position before the first entry. */
const START = '00'.repeat(32);

interface ChainPosition {
  readonly seq: string;
  readonly hash: string;
}

const END: Statement = {
  name: 'verify_audit_end',
  text: `select h.audit_seq::text as seq, encode(h.audit_hash, 'hex') as hash,
      (select max(seq)::text from audit_entry e where e.account_id = h.account_id) as last
    from account_head h where h.account_id = $1`,
};
const ENTRIES: Statement = {
  name: 'verify_audit_entries',
  text: `select seq::text, encode(hash, 'hex') as hash, ${AUDIT_COLUMNS} from audit_entry e
    where account_id = $1 and seq > $2 and seq <= $3 order by e.seq limit $4`,
};

/**
 * Recomputes the chain up to its end at the start of the check.
 * @param slice - number of entries of one statement.
 * @returns the end of the chain, to be stored elsewhere, and all defects.
 */
export async function verifyAudit(
  database: Tx,
  accountId: bigint,
  slice: number = SLICE,
): Promise<{ readonly end: ChainEnd; readonly defects: readonly AuditDefect[] }> {
  const [found] = await database.query<ChainPosition & { last: string | null }>(END, [accountId]);
  const end = { accountId, auditSeq: BigInt(found?.seq ?? 0), auditHash: bytes(found?.hash ?? START) };
  const defects: AuditDefect[] = [];
  let seq = 0n;
  let hash = bytes(START);
  for (let isMore = true; isMore; ) {
    const rows = await database.query<ChainPosition & AuditEntry>(ENTRIES, [
      accountId,
      seq,
      end.auditSeq,
      slice,
    ]);
    for (const row of rows) {
      const at = BigInt(row.seq);
      if (at !== seq + 1n) defects.push({ defect: 'audit gap', at, detail: `entry ${at} after ${seq}` });
      else if (!chainHash(hash, accountId, at, row).equals(bytes(row.hash)))
        defects.push({ defect: 'audit entry changed', at, detail: `${row.act} by ${row.actorId}` });
      // Continues with the entry's own hash, so that one changed entry is one defect.
      seq = at;
      hash = bytes(row.hash);
    }
    isMore = rows.length === slice;
  }
  const had = `the account has had ${end.auditSeq}`;
  if (seq !== end.auditSeq)
    defects.push({ defect: 'audit log cut', at: seq, detail: `ends at entry ${seq}, ${had}` });
  else if (!hash.equals(end.auditHash))
    defects.push({ defect: 'audit log replaced', at: seq, detail: "the last hash is not the account's" });
  const last = BigInt(found?.last ?? 0);
  if (last > end.auditSeq)
    defects.push({ defect: 'audit entry added', at: last, detail: `entries up to ${last}, ${had}` });
  return { end, defects };
}

function bytes(hex: string): Buffer {
  return Buffer.from(hex, 'hex');
}

/**
 * The audit log is a chain for each account (C-40): nobody changes it by SQL, and what a superuser changes, adds, removes
 * or moves is found. Every damage is done with the guards taken down, inside a transaction that is rolled back.
 */
import { createHash, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { createAccount } from '../../../src/store/account/accounts.ts';
import type { Tx } from '../../../src/store/connection/database.ts';
import { type AuditEntry, appendAudit, chainHash } from '../../../src/store/engine/audit.ts';
import { lockHeads } from '../../../src/store/engine/processes.ts';
import { verifyAudit } from '../../../src/store/engine/verify-audit.ts';
import { useDatabase } from '../../support/database.ts';

const test = useDatabase();
let accountId: bigint;
let otherId: bigint;

const OF = 'where account_id = $ACCOUNT and seq';
const EDIT_WITH_HASH = `update audit_entry set act = 'key.rotate', hash = sha256('x') ${OF} = 3`;
const SWAP = [
  `update audit_entry set seq = 99 ${OF} = 2`,
  `update audit_entry set seq = 2 ${OF} = 3`,
  `update audit_entry set seq = 3 ${OF} = 99`,
];
const COPY = `insert into audit_entry select account_id, 6, at, actor_kind, actor_id, scope, act, object_kind, object_id,
  before, after, maker, request_id, address, hash from audit_entry ${OF} = 5`;

beforeAll(async () => {
  accountId = await createAccount(test.database, 'Book', { templates: [] });
  otherId = await createAccount(test.database, 'Other', { templates: [] });
  await append(accountId, ['key.create', 'webhook.create', 'webhook.pause', 'link.create', 'key.revoke']);
  await append(otherId, ['key.create']);
});

function entry(action: string): AuditEntry {
  return {
    at: '2026-11-22 03:00:00.120+00',
    actorKind: 'KEY',
    actorId: 'key_1',
    scope: 'admin',
    act: action,
    objectKind: 'account',
    objectId: 'Ação "1"\n',
    before: '{"b": 1, "a":2.50}',
    after: null,
    maker: null,
    requestId: randomUUID(),
    address: '2001:db8::1',
    machineAt: action === 'link.create' ? '2026-11-21 03:00:00.5+00' : null,
  };
}

async function append(id: bigint, actions: readonly string[]): Promise<void> {
  await test.database.withTx(async (tx) => {
    const head = (await lockHeads(tx, [id], 'sandbox')).get(id);
    if (!head) throw new Error('there is no head');
    await appendAudit(tx, head, actions.map(entry));
  });
}

/** Damages the log as a superuser can, and gives what the auditor says of it. */
async function findingsAfter(...damage: readonly string[]): Promise<string[]> {
  const client = await test.owner.connect();
  try {
    await client.query('begin');
    await client.query('alter table audit_entry disable trigger append_only');
    for (const sql of damage) await client.query(sql.replaceAll('$ACCOUNT', String(accountId)));
    await client.query(`set local role crossramp_app`);
    const tx: Tx = {
      query: async (statement, values) => {
        const { rows } = await client.query(statement.text, [...values]);
        return rows as never;
      },
    };
    const { defects } = await verifyAudit(tx, accountId, 2);
    return defects.map(({ defect, at }) => `${defect} ${at}`);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

describe('the chain', () => {
  it('has the same hashes as before entries had the time of the machine', () => {
    const { at: _, machineAt: __, ...told } = { ...entry('key.create'), requestId: 'r' };
    const said = JSON.stringify(['7', '1', '2026-11-22T03:00:00.120Z', ...Object.values(told)]);
    const before = Buffer.alloc(32);
    const hash = createHash('sha256').update(before).update(said).digest();
    expect(chainHash(before, 7n, 1n, { ...entry('key.create'), requestId: 'r' })).toEqual(hash);
  });

  it('is whole, and each account has its own', async () => {
    const { end, defects } = await verifyAudit(test.database, accountId, 2);
    expect(defects).toEqual([]);
    expect(end.auditSeq).toBe(5n);
    expect((await verifyAudit(test.database, otherId)).end).toMatchObject({ auditSeq: 1n });
    expect(await verifyAudit(test.database, 999_999n)).toMatchObject({ defects: [], end: { auditSeq: 0n } });
  });

  it('is read in the order of numbers, also beyond nine', async () => {
    const id = await createAccount(test.database, 'Long', { templates: [] });
    await append(
      id,
      Array.from({ length: 12 }, () => 'link.create'),
    );
    expect(await verifyAudit(test.database, id)).toMatchObject({ defects: [], end: { auditSeq: 12n } });
  });

  it('continues where it ended', async () => {
    await append(otherId, ['key.revoke', 'key.create']);
    await append(otherId, []);
    expect(await verifyAudit(test.database, otherId)).toMatchObject({ defects: [], end: { auditSeq: 3n } });
  });

  it.each([
    ['an edited entry', [`update audit_entry set after = '{"a": 1}' ${OF} = 2`], ['audit entry changed 2']],
    [
      'a space less in JSON',
      [`update audit_entry set before = '{"b":1, "a":2.50}' ${OF} = 1`],
      ['audit entry changed 1'],
    ],
    ['another author', [`update audit_entry set actor_id = 'key_2' ${OF} = 5`], ['audit entry changed 5']],
    [
      'another time',
      [`update audit_entry set at = at + interval '1 ms' ${OF} = 3`],
      ['audit entry changed 3'],
    ],
    [
      "the machine's time put in",
      [`update audit_entry set machine_at = at ${OF} = 3`],
      ['audit entry changed 3'],
    ],
    [
      "the machine's time taken away",
      [`update audit_entry set machine_at = null ${OF} = 4`],
      ['audit entry changed 4'],
    ],
    ['an edited entry with a new hash', [EDIT_WITH_HASH], ['audit entry changed 3', 'audit entry changed 4']],
    ['a cut in the middle', [`delete from audit_entry ${OF} = 3`], ['audit gap 4']],
    ['a cut at the end', [`delete from audit_entry ${OF} >= 4`], ['audit log cut 3']],
    ['a log that is gone', [`delete from audit_entry ${OF} > 0`], ['audit log cut 0']],
    ['two entries that changed places', SWAP, [2, 3, 4].map((at) => `audit entry changed ${at}`)],
    ['an entry put in at the end', [COPY], ['audit entry added 6']],
    [
      'a new last hash',
      [`update audit_entry set hash = sha256('x') ${OF} = 5`],
      ['audit entry changed 5', 'audit log replaced 5'],
    ],
    [
      'a length that was set back',
      ['update account_head set audit_seq = 4 where account_id = $ACCOUNT'],
      ['audit log replaced 4', 'audit entry added 5'],
    ],
  ] as const)('shows %s', async (_name, damage, found) => {
    expect(await findingsAfter(...damage)).toEqual(found);
  });
});

describe('the table', () => {
  it.each([
    'update audit_entry set act = act',
    'delete from audit_entry',
    'truncate audit_entry',
  ])('refuses %s, also of its owner', async (sql) => {
    await expect(test.owner.query(sql)).rejects.toThrow(/append-only/);
    await expect(test.database.query({ name: `t_${sql.slice(0, 6)}`, text: sql }, [])).rejects.toThrow(
      /permission denied|append-only/,
    );
  });
});

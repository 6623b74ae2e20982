/**
 * What posting is compared with: one transaction for each posting that reads the balances for update, inserts the
 * journal and its lines and updates the balances; by Prisma, and by statements sent through `pg`. Both write to copies
 * of the ledger's tables, and do not look for a ref that was posted before but by the unique index.
 */
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { fund } from '../src/ledger/journals.ts';
import { journalHash } from '../src/ledger/posting.ts';
import { PrismaClient } from '../src/store/generated/prisma/client.ts';
import { AMOUNT, AVAILABLE, CURRENCY, CUSTODY } from './books.ts';
import { type Entry, eachAlone, ONE_BY_ONE, type Poster } from './posters.ts';

const DELTAS = new Map([
  [CUSTODY, -AMOUNT],
  [AVAILABLE, AMOUNT],
]);
const HASH = journalHash(fund(CURRENCY, AMOUNT));
const TRANSACTION_TIMEOUT_MS = 60_000;

/** Ids of journals and lines, the same counter for both: taken under the lock, so they rise along a ledger account. */
let lastId = 0n;

/** A balance that is locked. */
interface Balance {
  readonly id: bigint;
  readonly balance: bigint;
  readonly seq: bigint;
  readonly allowNegative: boolean;
}

const rival = { callers: ONE_BY_ONE.callers, entriesPerCall: 1, schema: 'rival' } as const;

/** The rivals. */
export const rivals: readonly Poster[] = [
  {
    ...rival,
    name: 'Prisma transaction',
    open: (url) => {
      const pool = { connectionString: url, max: ONE_BY_ONE.connections };
      const prisma = new PrismaClient({
        adapter: new PrismaPg(pool, { schema: 'rival' }),
        transactionOptions: { maxWait: TRANSACTION_TIMEOUT_MS, timeout: TRANSACTION_TIMEOUT_MS },
      });
      return eachAlone(
        (entry) => postByPrisma(prisma, entry),
        () => prisma.$disconnect(),
      );
    },
  },
  {
    ...rival,
    name: 'pg BEGIN … COMMIT',
    open: (url) => {
      const pool = new pg.Pool({ connectionString: url, max: ONE_BY_ONE.connections });
      return eachAlone(
        (entry) => postByStatements(pool, entry),
        () => pool.end(),
      );
    },
  },
];

async function postByPrisma(prisma: PrismaClient, { accountId, ref }: Entry): Promise<void> {
  await prisma.$transaction(async (tx) => {
    const locked = await tx.$queryRaw<{ id: bigint; balance: string; seq: bigint; allowNegative: boolean }[]>`
      select ledger_account_id as id, balance::text, last_seq as seq, allow_negative as "allowNegative"
        from rival.ledger_balance where account_id = ${accountId} order by ledger_account_id for update`;
    const journalId = ++lastId;
    const postedAt = new Date();
    const lines = locked.map((row) => lineOf({ ...row, balance: BigInt(row.balance) }));
    await tx.journal.create({
      data: {
        accountId,
        id: journalId,
        ref,
        requestHash: new Uint8Array(HASH),
        name: 'adjustment',
        postedAt,
        lineCount: lines.length,
      },
      select: { id: true },
    });
    await tx.ledgerLine.createMany({
      data: lines.map(({ ledgerAccountId, seq, id, delta, before, after }) => ({
        accountId,
        ledgerAccountId,
        seq,
        id,
        journalId,
        postedAt,
        delta: String(delta),
        balanceBefore: String(before),
        balanceAfter: String(after),
      })),
    });
    for (const { ledgerAccountId, seq, after } of lines) {
      await tx.ledgerBalance.update({
        where: { accountId_ledgerAccountId: { accountId, ledgerAccountId } },
        data: { balance: String(after), lastSeq: seq },
        select: { lastSeq: true },
      });
    }
  });
}

const LOCK = {
  name: 'lock',
  text: `select ledger_account_id, balance, last_seq, allow_negative from rival.ledger_balance
    where account_id = $1 order by ledger_account_id for update`,
};
const INSERT_JOURNAL = {
  name: 'journal',
  text: `insert into rival.journal (account_id, id, ref, request_hash, name, posted_at, line_count)
    values ($1, $2, $3, $4, 'adjustment', $5, 2)`,
};
const INSERT_LINES = {
  name: 'lines',
  text: `insert into rival.ledger_line (account_id, journal_id, posted_at, ledger_account_id, seq, id, delta, balance_before, balance_after)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9), ($1, $2, $3, $10, $11, $12, $13, $14, $15)`,
};
const UPDATE_BALANCES = {
  name: 'balances',
  text: `update rival.ledger_balance b set last_seq = u.seq, balance = u.balance
    from (values ($2::bigint, $3::bigint, $4::numeric), ($5, $6, $7)) u(id, seq, balance)
    where b.account_id = $1 and b.ledger_account_id = u.id`,
};

async function postByStatements(pool: pg.Pool, { accountId, ref }: Entry): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query({ ...LOCK, values: [accountId] });
    const journalId = ++lastId;
    const postedAt = new Date();
    const lines = rows.map((row) =>
      lineOf({
        id: BigInt(row.ledger_account_id),
        balance: BigInt(row.balance),
        seq: BigInt(row.last_seq),
        allowNegative: row.allow_negative,
      }),
    );
    await client.query({ ...INSERT_JOURNAL, values: [accountId, journalId, ref, HASH, postedAt] });
    const columns = lines.flatMap((line) => [
      line.ledgerAccountId,
      line.seq,
      line.id,
      line.delta,
      line.before,
      line.after,
    ]);
    await client.query({ ...INSERT_LINES, values: [accountId, journalId, postedAt, ...columns] });
    const balances = lines.flatMap((line) => [line.ledgerAccountId, line.seq, line.after]);
    await client.query({ ...UPDATE_BALANCES, values: [accountId, ...balances] });
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

function lineOf({ id, balance, seq, allowNegative }: Balance) {
  const delta = DELTAS.get(id);
  if (delta === undefined) throw new Error(`ledger account ${id} is none of the two`);
  const after = balance + delta;
  if (after < 0n && !allowNegative) throw new Error('insufficient balance');
  lastId += 1n;
  // Lines of house accounts count down from -1.
  return {
    ledgerAccountId: id,
    seq: seq + 1n,
    id: id > 0n ? lastId : -lastId,
    delta,
    before: balance,
    after,
  };
}

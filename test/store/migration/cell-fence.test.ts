/**
 * Goal: a cell is fenced and opened again however busy it is: a fence that waits for all writers at once would never find a moment without one.
 * Method: writers whose database transactions overlap, and lock tables in the opposite order.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { lowerFence, raiseFence } from '../../../src/store/migration/cell-fence.ts';
import { CellServer } from '../../../src/store/migration/cell-server.ts';
import { checkCell } from '../../../src/store/migration/check-cell.ts';
import { useDatabase } from '../../support/database.ts';

const WRITERS = 8;
/** Longest time for which a writer has the later table alone. Unit: ms. */
const HOLD_MS = 900;
const TOLD = { onEnded: () => {} };
const store = useDatabase();
let isOver = false;
let committed = 0;
const refused = new Set<string>();

/** Writes again and again: always one of the writers has locked the later table and not yet the earlier one. */
async function write(delayMs: number): Promise<void> {
  const client = new pg.Client({ connectionString: store.ownerUrl });
  await client.connect();
  await sleep(delayMs);
  while (!isOver) {
    try {
      await client.query('begin');
      await client.query('update webhook_delivery set state = state where false');
      await sleep(HOLD_MS * (0.5 + Math.random() / 2));
      await client.query('update account set name = name where false');
      await client.query('commit');
      committed += 1;
    } catch (error) {
      refused.add(String((error as { code?: unknown }).code));
      await client.query('rollback');
      await sleep(HOLD_MS / 10);
    }
  }
  await client.end();
}

const writing: Promise<void>[] = [];
afterAll(async () => {
  isOver = true;
  await Promise.all(writing);
});

test('a busy cell is fenced, refuses every write, and accepts them again', async () => {
  for (let n = 0; n < WRITERS; n++) writing.push(write((n * HOLD_MS) / WRITERS));
  await expect.poll(() => committed).toBeGreaterThan(2 * WRITERS);
  const server = await CellServer.connect({ url: store.ownerUrl, schema: 'public' });
  try {
    await raiseFence(server, 'elsewhere', TOLD);
    const atFence = committed;
    expect(await server.cell()).toMatchObject({ state: 'fenced', other: 'elsewhere' });
    expect((await checkCell(server)).filter(({ ok }) => !ok)).toEqual([]);
    await sleep(HOLD_MS * 3);
    expect(committed).toBe(atFence);
    expect([...refused]).toEqual(['25006']);
    await raiseFence(server, 'elsewhere', TOLD);
    await lowerFence(server, TOLD);
    expect(await server.cell()).toMatchObject({ state: 'serving', other: null });
    expect((await checkCell(server)).filter(({ ok }) => !ok)).toEqual([]);
    await expect.poll(() => committed).toBeGreaterThan(atFence);
  } finally {
    await server.close();
  }
}, 200_000);

/** Damages the database and lets an auditor look at it, in a database transaction that is rolled back. */
import { expect } from 'vitest';
import type { Tx } from '../../src/store/connection/database.ts';
import type { TestApp } from './app.ts';

let damages = 0;

/**
 * @param damage - statements; `$ACCOUNT` stands for the account's id.
 * @returns what the auditor says then, as `defect: detail`.
 */
export async function findAfterDamage(
  { database }: Pick<TestApp, 'database'>,
  accountId: bigint,
  verify: (tx: Tx) => Promise<readonly { readonly defect: string; readonly detail: string }[]>,
  damage: readonly string[],
): Promise<string[]> {
  const isOver = new Error('nothing of this stays');
  let defects: Awaited<ReturnType<typeof verify>> = [];
  const damaged = database.withTx(async (tx) => {
    for (const text of damage)
      await tx.query(
        { name: `damage_${damages++}`, text: text.replaceAll('$ACCOUNT', String(accountId)) },
        [],
      );
    defects = await verify(tx);
    throw isOver;
  });
  await expect(damaged).rejects.toBe(isOver);
  return defects.map(({ defect, detail }) => `${defect}: ${detail}`);
}

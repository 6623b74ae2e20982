/** Goal: lines of rail events are found one by one, however many lines a vault has. Method: the plan, as prepared statements have it. */
import { expect, test } from 'vitest';
import { BANK, readLinesOf } from '../../../src/store/rails/vault.ts';
import { useApp } from '../../support/app.ts';
import { beginCount, textsSent } from '../../support/count-statements.ts';
import { counts, nameOf, type Plan, readsOf } from '../../support/plans.ts';

const app = useApp();

test('a line of a journal without a transaction is looked up by that journal', async () => {
  beginCount();
  await readLinesOf(app.database, BANK, []);
  const client = await app.owner.connect();
  try {
    await client.query('begin');
    await client.query('analyze');
    await client.query(counts(1e6, 1e4));
    const { rows } = await client.query(
      `explain (generic_plan, format json) ${textsSent().get('vault_journals')}`,
    );
    const plan: Plan = rows[0]['QUERY PLAN'][0].Plan;
    const ofLines = readsOf(plan).filter((node) =>
      /ledger_line/.test(`${node['Relation Name']} ${nameOf(node)}`),
    );
    expect(ofLines.map(nameOf)).toEqual(['ledger_line_adjustment']);
  } finally {
    await client.query('rollback');
    client.release();
  }
});

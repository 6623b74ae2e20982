/**
 * Goal: the code of a charge is found where a database from before 1.0 has it, too: among the working facts. Method: a row as it was
 * stored there, read again.
 */
import { expect, test } from 'vitest';
import { findProcess } from '../../../src/store/engine/processes.ts';
import { inboundOf } from '../../resolvers/inbound/support.ts';
import { useApp } from '../../support/app.ts';

const app = useApp();
const { onramp } = inboundOf(app);

test('reads the code of a charge behind the working facts, and among them', async () => {
  const { accountId, end2end } = await onramp(await app.addAccount());
  const read = async () => (await findProcess(app.database, accountId, end2end))?.process;
  const after = await read();
  expect(after?.brCode).toMatch(/^000201/);
  await app.owner.query(
    `update transaction set process = process || jsonb_build_object('brCode', br_code), br_code = null where account_id = $1 and end2end = $2`,
    [String(accountId), end2end],
  );
  expect(await read()).toEqual(after);
});

/**
 * Goal: reconciliation is done at the command line as over GraphQL, and its exit code says whether something is open. Method: real
 * processes on the database of a running gateway.
 */
import { expect, test } from 'vitest';
import { brasiliaDay } from '../../src/base/brasilia-day.ts';
import { newEndToEndId } from '../../src/base/end-to-end-id.ts';
import { useApp } from '../support/app.ts';
import { command } from '../support/command.ts';

const app = useApp();

test('reconcile ends with 1 when something is open, and prints what', async () => {
  const env = { DATABASE_URL: app.url };
  const quiet = await command(env, 'reconcile', '--json');
  expect({ ...quiet, stdout: JSON.parse(quiet.stdout) }).toMatchObject({
    code: 0,
    stdout: { isOpen: false, matched: 0, findings: [] },
  });
  const nowMs = await app.services.clock.nowMs();
  const endToEndId = newEndToEndId({ ispb: '99999999', at: new Date(nowMs) });
  const body = { kind: 'payment', endToEndId, amount: '7.00', settledAt: new Date(nowMs).toISOString() };
  await app.owner.query(
    `insert into rail_news (mode, rail, kind, key, body, outcome) values ('sandbox', 'pix', 'payment', $1, $2, 'failed')`,
    [`pix:${endToEndId}`, JSON.stringify(body)],
  );
  const open = await command(env, 'reconcile', '--day', brasiliaDay(nowMs));
  expect(open).toMatchObject({ code: 1, stderr: '' });
  expect(open.stdout).toContain('0 matched, 1 missing here, 0 missing there');
  expect(open.stdout).toMatch(new RegExp(`missing_here +payment .* 7.00 +${endToEndId}`));
  expect(await command(env, 'reconcile', '--day', '2026-02-30')).toMatchObject({
    stderr: expect.stringMatching(/--day: must be an existing day/),
  });
  expect((await command(env, 'reconcile', '--live')).stderr).toMatch(/no live rails/);
});

/**
 * Goal: each configured rail is reconciled once for each day, whatever processes there are, die or stand still (C-33). Method: the real
 * store; the clock and the statement of the rail are the test's.
 */
import { beforeEach, expect, test } from 'vitest';
import type { RailsFile } from '../../../src/compose/rails-file.ts';
import { reconciliationChecks } from '../../../src/resolvers/rails/reconciliation-checks.ts';
import { reconcileDueDays } from '../../../src/resolvers/reconciliation/reconcile-nightly.ts';
import type { Services } from '../../../src/resolvers/services/context.ts';
import type { RailStatement, StatementEntry } from '../../../src/resolvers/services/statement.ts';
import { useApp } from '../../support/app.ts';
import { LIVE_RAILS } from '../../support/live-rails.ts';
import { SYSTEM_CLOCK } from '../../support/machine-clock.ts';

const HOUR = 3_600_000;
let entries: readonly StatementEntry[] = [];
let isAway = false;
/** The bank tells nothing of before. */
let toldFrom = '';
const statement: RailStatement = {
  kinds: ['payment'],
  read: async ({ from }) => {
    if (isAway || from.toISOString() < toldFrom) throw new Error('the bank is away');
    return entries;
  },
};
const pix = { ...LIVE_RAILS.pix, statement };
const railsFile = { live: { pix: () => ({ port: pix, checks: async () => [] }), networks: new Map() } };
const app = useApp({ railsFile: railsFile as unknown as RailsFile });
const logged: string[] = [];
const note = (level: string) => (_facts: object, words: string) => void logged.push(`${level} ${words}`);
const log = { info: note('info'), warn: note('warn'), error: note('error') } as never;

/** A process at a moment in Brasília. */
const at = (time: string): Services => {
  const nowMs = Date.parse(`${time}-03:00`);
  return { ...app.services.forMode('live'), clock: { ...SYSTEM_CLOCK, nowMs: async () => nowMs } };
};
const turn = (time: string) => reconcileDueDays(at(time), log, 3 * HOUR);
const days = async () => {
  const { rows } = await app.owner.query(
    'select rail, day::text as day, made_by from reconciliation order by id',
  );
  return rows.map(({ rail, day, made_by }) => `${rail} ${day} ${made_by}`);
};

beforeEach(async () => {
  entries = [];
  isAway = false;
  toldFrom = '';
  logged.length = 0;
  await app.owner.query('alter table reconciliation disable trigger append_only');
  await app.owner.query('truncate reconciliation, reconciliation_night');
  await app.owner.query('alter table reconciliation enable always trigger append_only');
  await turn('2026-03-01T12:00');
});

test('the day before is reconciled once, after the hour', async () => {
  expect(await days()).toEqual([]);
  await turn('2026-03-02T02:59');
  expect(await days()).toEqual([]);
  await turn('2026-03-02T03:00');
  await turn('2026-03-02T03:01');
  expect(await days()).toEqual(['pix 2026-03-01 gateway']);
  expect(logged).toEqual(['info reconciliation found no differences']);
  expect(await reconciliationChecks(at('2026-03-02T04:00'))).toEqual([
    { rail: 'pix', check: 'reconciliation', ok: true, detail: '2026-03-01: all agrees' },
  ]);
});

test('one of several processes does it', async () => {
  await Promise.all(Array.from({ length: 5 }, () => turn('2026-03-02T03:30')));
  expect(await days()).toEqual(['pix 2026-03-01 gateway']);
});

test('a difference is an alarm, and doctor reports it', async () => {
  const when = new Date('2026-03-01T15:00:00Z');
  entries = [{ kind: 'payment', id: 'E99999999202603011500abcdefghijk', amount: '5.00', at: when }];
  await turn('2026-03-02T03:30');
  expect(logged).toEqual(['error reconciliation found differences']);
  expect(await reconciliationChecks(at('2026-03-02T04:00'))).toMatchObject([
    { ok: false, detail: '2026-03-01: missingHere 1' },
  ]);
});

test('while the bank is unreachable it waits, and reports that; later it is done', async () => {
  isAway = true;
  await turn('2026-03-02T03:30');
  expect(logged).toEqual(['warn a day cannot be reconciled now']);
  expect(await reconciliationChecks(at('2026-03-02T04:00'))).toMatchObject([
    { ok: false, detail: expect.stringContaining('the bank is away') },
  ]);
  isAway = false;
  await turn('2026-03-02T03:31');
  expect(await days()).toEqual([]);
  await app.owner.query(`update reconciliation_night set leased_until = '2020-01-01'`);
  await turn('2026-03-02T03:46');
  expect(await days()).toEqual(['pix 2026-03-01 gateway']);
});

test('a day that the bank never reports does not stop the report of a later one: after a week it is left to a person', async () => {
  toldFrom = '2026-03-10';
  await turn('2026-03-02T03:30');
  await turn('2026-03-31T03:30');
  expect(await days()).toEqual([]);
  await app.owner.query(`update reconciliation_night set leased_until = '2020-01-01'`);
  logged.length = 0;
  await turn('2026-03-31T03:46');
  expect(logged[0]).toBe('error some days are no longer reconciled automatically: reconcile them by hand');
  expect(await days()).toEqual([24, 25, 26, 27, 28, 29, 30].map((day) => `pix 2026-03-${day} gateway`));
});

test('a process that died in the middle is followed by another one', async () => {
  await app.owner.query(
    `update reconciliation_night set day = '2026-03-01', is_done = false, leased_until = '2020-01-01'`,
  );
  await turn('2026-03-02T09:00');
  expect(await days()).toEqual(['pix 2026-03-01 gateway']);
});

test('days on which no process ran are done later, at most a week', async () => {
  await turn('2026-03-04T03:30');
  expect(await days()).toEqual(['01', '02', '03'].map((day) => `pix 2026-03-${day} gateway`));
  await turn('2026-03-31T03:30');
  expect((await days()).slice(3)).toEqual(
    [24, 25, 26, 27, 28, 29, 30].map((day) => `pix 2026-03-${day} gateway`),
  );
});

/**
 * C-34: at every step of every template, every kind of rail event is stored, its money is booked, and its outcome is the one
 * of the tables in docs/ledger.md, which are made from the machines. Nothing is negative, and where the transaction has ended
 * nothing is left on its way but what is listed as waiting: returns to payers, and money in suspense. Method: transactions
 * on the real ledger, put to each state that events depend on; a seeded sample of it all, all of it with `MATRIX=all`, and all of some
 * templates with their names, as `MATRIX=onramp,offramp`.
 */
import { readFileSync } from 'node:fs';
import { pino } from 'pino';
import { beforeAll, describe, expect, test } from 'vitest';
import { withRailEvents } from '../../../scripts/rail-events-table.ts';
import { stepNameOf } from '../../../src/base/ids/step-name.ts';
import { currencyOfLedger } from '../../../src/base/money/currency.ts';
import { toMinor } from '../../../src/base/money/money.ts';
import { createServices } from '../../../src/compose/services.ts';
import { readConfig } from '../../../src/config.ts';
import { settle } from '../../../src/resolvers/engine/run-jobs.ts';
import type { Services } from '../../../src/resolvers/services/context.ts';
import type { RailEvent, Receipt } from '../../../src/resolvers/services/rail-event.ts';
import { createAccount, platformAccount } from '../../../src/store/account/accounts.ts';
import { findAnywhere } from '../../../src/store/engine/processes.ts';
import { verifyLedger } from '../../../src/store/ledger/verify.ts';
import { setAheadMs } from '../../../src/store/rails/sandbox.ts';
import type { Template } from '../../../src/templates/define.ts';
import { isDepositFinal } from '../../../src/templates/deposit-machine.ts';
import type { PixReturn, ProcessRow } from '../../../src/templates/facts.ts';
import { REGISTRY } from '../../../src/templates/index.ts';
import { returnsOf, sumOf } from '../../../src/templates/returns.ts';
import type { Trigger } from '../../../src/templates/triggers.ts';
import { useDatabase } from '../../support/database.ts';
import { DURING_MS, text } from '../../support/machine.ts';
import { type Position, placesOf } from '../../support/places.ts';
import {
  hasDeposit,
  hasPaidOut,
  RAIL_EVENT_CASES,
  type RailEventCase,
  returnedOf,
  returnUnderWay,
  stepAfter,
  UNTAKEN,
} from '../../support/rail-events-at-places.ts';
import { depositFor, endToEndIdOf, newName, paymentFor, returnIdOf, stand } from './harness.ts';

const DOCUMENT = readFileSync(new URL('../../../docs/ledger.md', import.meta.url), 'utf8');
const WHOLE = (process.env.MATRIX ?? '').split(',');
/** Events of one place, of each template, in a usual run. */
const SAMPLE = 32;
const SEED = 20_261_124;
/** How many stand beside each other. */
const ABREAST = 32;
const LOG = pino({ level: 'silent' });
const test$ = useDatabase();
let services: Services;

let platformId: bigint;

beforeAll(async () => {
  const config = readConfig({});
  services = createServices({ database: test$.database, registry: REGISTRY, config });
  platformId = await platformAccount(test$.database, 'sandbox');
});

test('C-34: the tables of docs/ledger.md equal the machines', () => {
  expect(DOCUMENT).toBe(withRailEvents(DOCUMENT));
});

test('C-34: every possible step is in the table, for every template', () => {
  for (const template of REGISTRY.templates) {
    const stood = new Set(placesOf(template).map(({ step }) => step));
    const left = template.steps
      .map(({ component, state }) => `${component}/${state}` as const)
      .filter((step) => !stood.has(step) && step !== NEVER_MADE && !isPassedThrough(template, step));
    expect(left, template.name).toEqual([]);
  }
});

/** A withdrawal that the balance does not cover is refused, and not made (C-24); imported history may have it. */
const NEVER_MADE = 'request_withdrawl_dash/ERROR';

/** A step that something follows at once, whatever else is known. */
function isPassedThrough({ machine }: Template, step: Position['step']): boolean {
  return machine.transitions.some(
    ({ on, from, again }) => from.includes(step) && (on === 'reached' || again),
  );
}

describe.each(REGISTRY.templates)('$name', (template) => {
  test('C-34: every kind of rail event, at every step', { timeout: 3_600_000 }, async () => {
    const cells = placesOf(template).flatMap((place) => RAIL_EVENT_CASES.map((event) => ({ place, event })));
    const isWhole = WHOLE.includes('all') || WHOLE.includes(template.name);
    const tried = isWhole ? cells : drawn(cells);
    for (let from = 0; from < tried.length; from += ABREAST)
      await tryOut(template, tried.slice(from, from + ABREAST));
  });
});

function drawn(cells: readonly Cell[]): readonly Cell[] {
  const random = randomOf(SEED);
  return Array.from({ length: SAMPLE }, () => cells[Math.floor(random() * cells.length)] as Cell);
}

/** Linear congruential (Numerical Recipes): the same run every time. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** One kind of rail event at one place. */
interface Cell {
  readonly place: Position;
  readonly event: RailEventCase;
}

/** A transaction that stands at the place of a cell, of an account of its own. */
interface Standing extends Cell {
  readonly row: ProcessRow;
  /** Where it is, for whoever reads what went wrong. */
  readonly at: string;
}

/** Cells beside each other: accounts have nothing in common but the clock, and what belongs to nobody. */
async function tryOut(template: Template, cells: readonly Cell[]): Promise<void> {
  await setAheadMs(test$.database, DURING_MS - Date.now());
  const standing = await Promise.all(cells.map((cell) => standAt(template, cell)));
  for (const each of standing) await tellIt(each);
  await rest(standing);
  await Promise.all(standing.map(examine));
}

async function standAt({ name }: Template, { place, event }: Cell): Promise<Standing> {
  const accountId = await createAccount(test$.database, 'Matrix', { templates: [name], mode: 'sandbox' });
  const row = await stand(services, accountId, place);
  return { place, event, row, at: `${name} ${place.way.join(' ')}: ${event.name}` };
}

/** One after the other, because what belongs to nobody is looked at before and after. */
async function tellIt({ place, event, row, at }: Standing): Promise<void> {
  const { accountId } = row;
  const { tell, money } = message(row, place, event);
  const [stored, before] = await Promise.all([lastRailEvent(), assets(accountId)]);
  expect(await tell(), at).toBe(stepAfter(place, event) ?? UNTAKEN[event.about]);
  expect(await lastRailEvent(), at).toBeGreaterThan(stored);
  const after = await assets(accountId);
  expect(difference(before, after), at).toEqual(money);
  expect(await tell(), `${at}, twice`).toMatch(/^(duplicate|waits)$/);
  expect(await assets(accountId), `${at}, twice`).toEqual(after);
}

async function examine({ row, at }: Standing): Promise<void> {
  await atRest(row, at);
  expect((await verifyLedger(test$.database, row.accountId)).defects, at).toEqual([]);
  // What it still waits for would be asked about by every transaction after it.
  await test$.owner.query('delete from job where account_id = $1', [String(row.accountId)]);
}

/** An event that is reported the same each time, and the money that comes with it. */
interface StepMessage {
  /** @returns what became of it. */
  readonly tell: () => Promise<string>;
  /** Of the house, by account. */
  readonly money: Readonly<Record<string, bigint>>;
}

function message(row: ProcessRow, place: Position, { about, word }: RailEventCase): StepMessage {
  const { run } = place;
  const trigger = text(word, row);
  switch (about) {
    case 'payment': {
      const event = paymentFor(row, trigger as Trigger<'pix_received'>);
      return reported(event, { 'A.pix BRL': -toMinor(event.amount, 2) });
    }
    case 'deposit':
    case 'token': {
      const exact = depositFor(row, trigger as Trigger<'deposit_seen'>);
      const event = { ...exact, ...(about === 'token' && { currency: 'TRX_TRX' }), kind: FINAL };
      const { code, decimals } = currencyOfLedger(event.currency);
      return reported(event, { [`A.custody ${code}`]: -toMinor(event.amount, decimals) });
    }
    case 'dropped': {
      const known = (hasDeposit(place) && row.process?.deposit) || undefined;
      const seen = depositFor(row, trigger as Trigger<'deposit_seen'>);
      const event = { ...seen, ...known, kind: 'deposit_dropped' } as const;
      const tell = async () => {
        if (!known) await services.receive(seen);
        return answerOf(await services.receive(event));
      };
      // What was final was there, and is gone.
      const isGone = known !== undefined && isDepositFinal(row);
      const { code, decimals } = currencyOfLedger(event.currency);
      return { money: isGone ? { [`A.custody ${code}`]: toMinor(event.amount, decimals) } : {}, tell };
    }
    case 'dispute': {
      const { amount = null } = trigger as Trigger<'dispute_opened'>;
      const endToEndId = row.pixE2e ?? endToEndIdOf(newName());
      return reported({ kind: 'dispute_opened', disputeId: `MED-${newName()}`, endToEndId, amount });
    }
    case 'return': {
      const running = returnUnderWay({ ...run, row });
      const order = running?.returnId ?? returnIdOf(newName());
      const nothing = { isDone: false, networkFee: null, gas: null, txHash: null };
      const money = takenByDispute(row, running);
      return reported(
        { kind: 'refund_ended', rail: 'pix', order, endToEndId: row.pixE2e, ...nothing },
        money,
      );
    }
    case 'transfer': {
      const order = `${row.end2end}:${newName()}`;
      const nothing = { endToEndId: null, isDone: false, networkFee: null, gas: null, txHash: null };
      return reported({ kind: 'refund_ended', rail: 'chain', order, ...nothing });
    }
    case 'payout': {
      const endToEndId = (hasPaidOut({ row }) && row.pixE2e) || endToEndIdOf(newName());
      const amount = returnedOf(row, word);
      const event = { kind: 'payout_returned', endToEndId, returnId: returnIdOf(newName()), amount } as const;
      return reported(event, { 'A.pix BRL': -toMinor(amount, 2) });
    }
  }
}

/** What an accepted dispute was about beyond its amount: the bank took it from a part that fails. */
function takenByDispute(row: ProcessRow, running: PixReturn | undefined): StepMessage['money'] {
  const dispute = returnsOf(row.process ?? {}).find(({ claim }) => claim !== undefined);
  if (!dispute || running?.kind !== 'part') return {};
  return { 'A.pix BRL': BigInt(dispute.claim ?? 0) - toMinor(dispute.amount, 2) };
}

function reported(event: RailEvent, money: StepMessage['money'] = {}): StepMessage {
  return { money, tell: async () => answerOf(await services.receive(event)) };
}

const FINAL = 'deposit_confirmed' as const;
function answerOf({ outcome, row }: Receipt): string {
  if (outcome === 'step') return stepNameOf(row as ProcessRow);
  return outcome === 'pending' ? 'waits' : outcome;
}

/** Lets happen what follows within seconds. */
async function rest(standing: readonly Standing[]): Promise<void> {
  for (let second = 0; second < 5; second++) {
    const settled = standing.map(({ row: { accountId, id } }) =>
      settle(services, LOG, { only: { accountId, transactionId: id }, patienceMs: 0 }),
    );
    await Promise.all(settled);
    await services.sandbox?.advanceClock(1_100);
  }
}

/** What may stand in the books of a transaction that has ended, of what only passes through. */
async function atRest(before: ProcessRow, at: string): Promise<void> {
  const row = (await findAnywhere(test$.database, before.end2end)) as ProcessRow;
  if (REGISTRY.stepOf(row.template, row.component, row.state).ending === 'open') return;
  const returns = returnsOf(row.process ?? {});
  const running = returns.filter(({ state }) => state === 'requested' || state === 'failed');
  const { rows: waiting } = await test$.owner.query(
    `select currency, sum(amount_minor)::text as amount from suspense_entry
      where account_id = $1 and transaction_id = $2 and state in ('open', 'returning') group by 1`,
    [String(row.accountId), String(row.id)],
  );
  const listed = Object.fromEntries(
    waiting.map(({ currency, amount }) => [`L.suspense ${currency}`, amount]),
  );
  const receivable = sumOf(running);
  expect(await transient(row), `${at}: ${stepNameOf(row)}`).toEqual({
    ...listed,
    ...(receivable > 0n && { 'L.payer BRL': String(receivable) }),
  });
}

async function transient({ accountId, id }: ProcessRow): Promise<Record<string, string>> {
  const { rows } = await test$.owner.query(
    `select coalesce(a.house, 'M.' || (array['available', 'in_transit', 'to_receive', 'blocked'])[a.sub_account]) || ' ' || a.currency as name,
        sum(l.delta)::text as balance
       from ledger_line l join ledger_account a on a.account_id = l.account_id and a.id = l.ledger_account_id
      where l.account_id = $1 and l.transaction_id = $2
        and (a.sub_account > 1 or a.house in ('L.payer', 'L.payout', 'L.suspense', 'A.inbound'))
      group by 1 having sum(l.delta) <> 0`,
    [String(accountId), String(id)],
  );
  return Object.fromEntries(rows.map(({ name, balance }) => [name, balance]));
}

/** Id of the newest rail event. */
async function lastRailEvent(): Promise<number> {
  const { rows } = await test$.owner.query('select coalesce(max(id), 0)::int as id from rail_news');
  return rows[0].id;
}

/** What the house has in its bank and its wallets for the account, and for what belongs to nobody. */
async function assets(accountId: bigint): Promise<Map<string, bigint>> {
  const { rows } = await test$.owner.query(
    `select a.house || ' ' || a.currency as name, sum(b.balance)::text as balance
       from ledger_account a join ledger_balance b on b.account_id = a.account_id and b.ledger_account_id = a.id
      where a.account_id = any ($1::bigint[]) and a.house in ('A.pix', 'A.custody') group by 1`,
    [[String(accountId), String(platformId)]],
  );
  return new Map(rows.map(({ name, balance }) => [name, BigInt(balance)]));
}

function difference(
  before: ReadonlyMap<string, bigint>,
  after: ReadonlyMap<string, bigint>,
): Record<string, bigint> {
  const changed = [...after].filter(([name, balance]) => balance !== (before.get(name) ?? 0n));
  return Object.fromEntries(changed.map(([name, balance]) => [name, balance - (before.get(name) ?? 0n)]));
}

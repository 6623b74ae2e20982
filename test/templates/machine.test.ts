/**
 * Goal: the machines of the six templates reach every published step, post the published journals on the way, and take
 * nothing that does not fit. Method: new transactions with the figures of the published sample, driven by triggers on a
 * book in memory; where it says everywhere, every place that a finite set of triggers leads to was visited.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { stepNameOf } from '../../src/base/ids/step-name.ts';
import { type Currency, currencyOf } from '../../src/base/money/currency.ts';
import { fromMinor, toMinor } from '../../src/base/money/money.ts';
import { txidOf } from '../../src/base/pix/end-to-end-id.ts';
import { instantOf, millisOf } from '../../src/base/time/instant.ts';
import { type AccountRole, credit, debit, type Journal, journal } from '../../src/ledger/posting.ts';
import { LATE_EVENT } from '../../src/templates/define.ts';
import { type EffectName, STEP_UP_MS } from '../../src/templates/effects.ts';
import type { Process, ProcessRow } from '../../src/templates/facts.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { type PlannedStep, plan } from '../../src/templates/machine.ts';
import { FREE_KINDS, isRuled, RULED_KINDS } from '../../src/templates/out-kinds.ts';
import type { Trigger, TriggerName } from '../../src/templates/triggers.ts';
import {
  AFTER_MS,
  advance,
  type Book,
  begin,
  DURING_MS,
  drive,
  END_MS,
  EXPECTED,
  type Figures,
  fitting,
  frozen,
  iso,
  LATE,
  pathOf,
  posted,
  REFUND_ADDRESS,
  type Run,
  SAMPLES,
  type SampleName,
  SPEND,
  STRANGER,
  statusSection,
  stepOf,
  templateOf,
  trigger,
  triggersOf,
} from '../support/machine.ts';

type PublishedStep = Record<'component' | 'state', string>;
type PublishedPosting = [role: AccountRole, currency: string, side: 'Dr' | 'Cr', amount: string];
const vector = (name: string) =>
  JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), 'utf8'));
const STATES: Record<string, PublishedStep[]> = vector('states').templates;
const POSTINGS: Record<string, PublishedPosting[]> = vector('postings').postings;
const SCENARIOS: Record<string, string[]> = vector('postings').scenarios;

const MEANS = { USDT_TRX: '150', BRL: '1500' };
/** Payments and deposits exact, over, under, late, of somebody else; both ways to expire; with gas and without. */
const VARIANTS: readonly Partial<Figures>[] = [
  {},
  { paid: '570.00', deposited: '101', isForced: true, gas: null },
  { paid: '540.00', deposited: '99', depositTxHash: 'd2'.repeat(32) },
  LATE,
  { payerTaxId: STRANGER },
  { payerTaxId: null },
];
const TRIGGERS: readonly Trigger[] = [
  ...new Map(
    VARIANTS.flatMap((changes) => triggersOf({ ...EXPECTED, ...changes })).map((each) => [
      JSON.stringify(each),
      each,
    ]),
  ).values(),
];
const CLOCKS = [DURING_MS, AFTER_MS];
/** A template has a few thousand; where money heaps up there is no end of them. */
const PLACES_MAX = 8_000;

/** A trigger that the machine takes, and the time of it. */
interface Accepted {
  readonly given: Trigger;
  readonly nowMs: number;
}

const accepted = new WeakMap<Run, readonly Accepted[]>();
/** @returns the triggers that the machine takes at this place, computed once: most of them fit at few places. */
function acceptedAt(run: Run): readonly Accepted[] {
  const known = accepted.get(run);
  if (known) return known;
  const row = frozen(run.row);
  const found = fitting(row, TRIGGERS).flatMap((given) =>
    CLOCKS.filter((nowMs) => planOf({ ...run, row }, given, nowMs)).map((nowMs) => ({ given, nowMs })),
  );
  accepted.set(run, found);
  return found;
}

/** @returns the steps of a trigger, with the available balance of the book. */
const planOf = ({ row, book }: Run, given: Trigger, nowMs: number) =>
  plan(templateOf(row), row, given, {
    nowMs,
    stepUpMs: STEP_UP_MS,
    available: (code) => book.get(`M.available ${code}`) ?? 0n,
    ispb: '12345678',
  });

/** @returns every place that triggers other than `without` lead to from here, with a shortest way there. */
function explored(starts: readonly Run[], without?: TriggerName): readonly Run[] {
  const visited = new Map(starts.map((run) => [positionOf(run), run]));
  for (const run of visited.values()) {
    expect(visited.size, `places of ${run.row.template}`).toBeLessThan(PLACES_MAX);
    for (const { given: each, nowMs } of acceptedAt(run)) {
      if (each.on === without) continue;
      // What fails beside the steps is in returns.test.ts: with it there would be several times the places.
      if (each.on === 'refund_failed' && each.returnId !== undefined) continue;
      // So are MED cases, in med-machine.test.ts.
      if (each.on.startsWith('med_')) continue;
      // What freezes is in freezing.test.ts.
      if (each.on === 'frozen') continue;
      // So are disputes of what is going back, in disputes-and-refunds.test.ts.
      if (
        each.on.startsWith('dispute_') &&
        (each.on === 'dispute_returned' || run.row.component === 'refund')
      )
        continue;
      const after = advance(run, each, nowMs)?.at(-1);
      const position = after && positionOf(after);
      if (position && !visited.has(position)) visited.set(position, after);
    }
  }
  return [...visited.values()];
}

/** What tells two places apart: all but how long it took to get there. */
function positionOf({ row, book }: Run): string {
  const { accountId, id, updatedAt, ...facts } = row;
  const process: Partial<Process> = facts.process ?? {};
  const {
    finishedAt,
    posted: _,
    released: _released,
    returns = [],
    dispute,
    disputed,
    expiredAt,
    isOverLimit,
    ...rest
  } = process;
  // Whether the session ended counts, not when; and why money goes back decides nothing any more.
  const judged = {
    isExpired: expiredAt !== undefined && process.paid === undefined,
    isOverLimit: row.component === 'refund' ? undefined : isOverLimit,
  };
  const held = row.component === 'dispute' && row.state === 'OPEN' ? disputed : undefined;
  // What is tried again leaves the failed try behind: there is no end of those.
  const goingBack = returns
    .filter(({ state }) => state !== 'retried')
    .map(({ kind, state, amount }) => [kind, state === 'paid_by_hand' ? 'done' : state, amount]);
  return JSON.stringify([
    { ...facts, process: { ...rest, ...judged, goingBack, held, sequence: 0 } },
    statusSection(book),
  ]);
}

let rich: readonly Run[] | undefined;
/** @returns every place of all templates, with means: nothing falls short there. */
function withMeans(): readonly Run[] {
  rich ??= Object.values(SAMPLES).flatMap((row) => explored([begin(row, MEANS)]));
  return rich;
}

let places: readonly Run[] | undefined;
/** @returns every place of all templates, with means and without. */
function everywhere(): readonly Run[] {
  places ??= [...withMeans(), ...Object.values(SAMPLES).flatMap((row) => explored([begin(row)]))];
  return places;
}
// All that is computed; a busy machine takes a while.
beforeAll(() => void everywhere(), 600_000);
/** @returns the steps that were stood at or passed through. */
const reachedBy = (runs: readonly Run[]) => new Set(runs.flatMap(pathOf));
const nameOf = ({ row }: Run) => `${row.template} ${stepNameOf(row)}`;
const isTaken = (run: Run, given: Trigger, nowMs: number) => planOf(run, given, nowMs) !== undefined;
const moves = (run: Run, given: Trigger, nowMs: number) =>
  advance(run, given, nowMs)?.some((after) => after.steps.at(-1)?.isMove) === true;
const isEverTaken = (run: Run, given: Trigger) => CLOCKS.some((nowMs) => isTaken(run, given, nowMs));

/** Up to a charge that can be paid. */
const TO_CHARGE = {
  checkout: 'created accepted identity_passed charge_created',
  onramp: 'created identity_passed charge_created',
  'onramp to address': 'created identity_passed charge_created',
} as const;
type PixIn = keyof typeof TO_CHARGE;
const PIX_IN = Object.keys(TO_CHARGE) as PixIn[];
/** Up to an address that can be sent to, to a payout that was ordered, and to a deposit that is late and held. */
const TO_ADDRESS = 'created identity_passed deposit_ready';
const DEPOSITED = `${TO_ADDRESS} deposit_seen deposit_confirmed`;
const LATE_DEPOSIT = `${TO_ADDRESS} seen_late deposit_confirmed`;

const at = (sample: SampleName, way: string, means: Record<string, string> = MEANS) =>
  drive(begin(SAMPLES[sample], means), way);
const atCharge = (sample: PixIn) => at(sample, TO_CHARGE[sample]);
const stepsOf = (runs: readonly Run[] | undefined) => runs?.map(({ row }) => stepNameOf(row));

describe('C-25: money leaves by transitions that declare their kind', () => {
  const SENDING: readonly EffectName[] = ['send_funds', 'send_back', 'order_returns'];
  const lowers = ({ journals: all }: PlannedStep) => {
    const sums = new Map<string, bigint>();
    for (const { role, currency, deltaMinor } of all.flatMap(({ postings }) => postings))
      if (role === 'M.available') sums.set(currency.code, (sums.get(currency.code) ?? 0n) + deltaMinor);
    return [...sums.values()].some((sum) => sum < 0n);
  };
  const targetOf = ({ wallet, pixKey, process }: ProcessRow) =>
    JSON.stringify([wallet, pixKey, process?.refundAddress ?? null]);
  /** Every step of every transition that is taken from every place, with the row before it. */
  const taken = () =>
    everywhere().flatMap((run) =>
      acceptedAt(run).flatMap(({ given, nowMs }) => {
        const steps = (nowMs === DURING_MS && planOf(run, given, nowMs)) || [];
        return steps.map((step, place) => ({ step, before: steps[place - 1]?.row ?? run.row, on: given.on }));
      }),
    );

  test('each that lowers the available balance, chooses a destination, or makes a rail send', () => {
    const silent = new Set<string>();
    const free = new Set<string>();
    for (const { step, before, on } of taken()) {
      const chooses = before.component !== '' && targetOf(step.row) !== targetOf(before);
      const ends = step.row.process?.refundAddress === undefined && step.row.process?.heldAt === undefined;
      const sends = step.effects.some(({ name }) => SENDING.includes(name));
      const name = `${before.template} ${on} ${stepNameOf(before)} → ${stepNameOf(step.row)}`;
      if ((lowers(step) || (chooses && !ends) || sends) && !step.moneyOut) silent.add(name);
      if (lowers(step) && step.moneyOut !== 'demanded' && !isRuled(step.moneyOut)) free.add(name);
    }
    expect([...silent]).toEqual([]);
    expect([...free], 'out of the balance by no rule').toEqual([]);
  }, 600_000);

  test('each kind occurs, and those that pass the rule come from an action of the account holder', () => {
    const transitions = REGISTRY.templates.flatMap(({ machine }) => machine.transitions);
    const kinds = new Set(transitions.map(({ moneyOut }) => moneyOut).filter((kind) => kind));
    expect([...kinds].sort()).toEqual([...Object.keys(RULED_KINDS), ...Object.keys(FREE_KINDS)].sort());
    const ruled = transitions.filter(({ moneyOut }) => isRuled(moneyOut)).map(({ on }) => on);
    expect([...new Set(ruled)].sort()).toEqual([
      'created',
      'identity_given',
      'payment_refunded',
      'reached',
      'refund_ordered',
    ]);
  });
});

describe('every published step is reached', () => {
  test.each(Object.keys(STATES))('by %s', (name) => {
    expect([...reachedBy(everywhere().filter(({ row }) => row.template === name))].sort()).toEqual(
      STATES[name]?.map(({ component, state }) => `${component}/${state}`).sort(),
    );
  });

  test('C-30: only a shortfall leads to the two steps for it', () => {
    const missed = REGISTRY.templates.flatMap(({ name, steps }) => {
      const reached = reachedBy(withMeans().filter(({ row }) => row.template === name));
      return steps
        .map(({ component, state }) => `${component}/${state}` as const)
        .filter((step) => !reached.has(step));
    });
    expect(missed).toEqual(['reserve/ERROR', 'request_withdrawl_dash/ERROR']);
  });

  test.each([
    ['offramp', 'quote/QUOTE quote/ACCEPTED reserve/ERROR'],
    ['withdrawal to approve', 'request_withdrawl_dash/ERROR'],
  ] as const)('C-30: %s ends where the balance is a minor unit short, and nothing is posted', (sample, path) => {
    const poor = at(sample, 'created', { USDT_TRX: '99.999999' });
    expect(pathOf(poor).join(' ')).toBe(path);
    expect(statusSection(poor.book)).toEqual(['M.available USDT_TRX 99.999999']);
  });
});

describe('the published scenarios', () => {
  /** Journals that the chart names twice, and the code once. */
  const SAME: Record<string, string> = { L1b: 'L1', L40: 'L20', L47: 'L20', L43: 'L23', L49: 'L25' };
  const PAID_BACK = 'refund_requested refund_settled';
  const CREDITED = 'pix_received cleared swap_settled';
  const PAYING = 'created cleared identity_passed swap_settled';
  const REFUNDED = 'paid, KYC step-up denied / divergent titularity -> refund';
  const BEFORE_BROADCAST = 'withdrawal rejected/failed before broadcast';

  const pixIn = (scenario: string, way: string, samples: readonly PixIn[] = ['checkout', 'onramp']) =>
    samples.map((sample) => [scenario, sample, `${TO_CHARGE[sample]} ${way}`] as const);
  const ROUTES: readonly (readonly [scenario: string, sample: SampleName, way: string])[] = [
    ...pixIn('crossramp_checkout / onramp success', CREDITED),
    ...pixIn(REFUNDED, `pix_received step_up_required step_up_denied ${PAID_BACK}`, PIX_IN),
    ...pixIn(REFUNDED, `pix_of_stranger ${PAID_BACK}`, PIX_IN),
    ...pixIn(REFUNDED, `pix_late ${PAID_BACK}`, PIX_IN),
    ...pixIn(REFUNDED, `pix_received held hold_rejected ${PAID_BACK}`, PIX_IN),
    ...pixIn('paid, swap failed -> refund', `pix_received cleared swap_failed ${PAID_BACK}`, PIX_IN),
    ...pixIn('completed, MED opened, rejected', `${CREDITED} dispute_opened dispute_rejected`),
    ...pixIn('completed, MED opened, accepted', `${CREDITED} dispute_opened dispute_accepted`),
    ...pixIn(
      'completed and already withdrawn, MED accepted',
      `${CREDITED} SPEND dispute_opened dispute_accepted`,
    ),
    ...pixIn(
      'overpaid PIX, excess returned, rest converted',
      'pix_over excess_returned cleared swap_settled',
    ),
    ...pixIn('onramp_instant success', `${CREDITED} delivery_broadcast delivery_confirmed`, [
      'onramp to address',
    ]),
    ...pixIn(
      'onramp_instant delivery failed -> Partial Success',
      `${CREDITED} broadcast_free delivery_failed`,
      ['onramp to address'],
    ),
    ['offramp success', 'offramp', `${PAYING} payout_settled`],
    ['offramp cancelled/expired', 'offramp', 'created cancelled'],
    ['offramp cancelled/expired', 'offramp', 'created cleared step_up_required cancelled'],
    ['offramp cancelled/expired', 'offramp', 'created cleared review_required step_up_denied'],
    ['offramp cancelled/expired', 'offramp without payee', 'created accepted identity_given cancelled'],
    ['offramp PIX rejected', 'offramp', `${PAYING} payout_rejected`],
    ['offramp PIX returned after success', 'offramp', `${PAYING} payout_settled payout_returned`],
    ['offramp_instant success', 'offramp from address', `${DEPOSITED} cleared swap_settled payout_settled`],
    [
      'offramp_instant wrong/late amount, refunded on-chain',
      'offramp from address',
      `${LATE_DEPOSIT} refund_ordered return_confirmed`,
    ],
    [
      'offramp_instant wrong/late amount, refunded on-chain',
      'offramp from address',
      `${DEPOSITED} held hold_rejected return_confirmed`,
    ],
    ['offramp_instant wrong/late amount, merchant keeps it', 'offramp from address', `${LATE_DEPOSIT} kept`],
    [
      'offramp_instant wrong/late amount, merchant keeps it',
      'offramp from address',
      `${DEPOSITED} held released`,
    ],
    [
      'offramp_instant PIX rejected, refunded on-chain',
      'offramp from address',
      `${DEPOSITED} cleared swap_settled payout_rejected refund_ordered return_confirmed`,
    ],
    [
      'offramp_instant deposit dropped by a reorg',
      'offramp from address',
      `${TO_ADDRESS} deposit_seen deposit_dropped`,
    ],
    ['withdrawal (crypto) success', 'withdrawal', 'created cleared delivery_broadcast delivery_confirmed'],
    [BEFORE_BROADCAST, 'withdrawal', 'created cleared delivery_failed'],
    [BEFORE_BROADCAST, 'withdrawal', 'created cancelled'],
    [BEFORE_BROADCAST, 'withdrawal to approve', 'created rejected'],
    ['withdrawal reverted on-chain', 'withdrawal', 'created cleared broadcast_free delivery_failed'],
    [
      'withdrawal held by compliance then resumed',
      'withdrawal',
      'created held released broadcast_free delivery_confirmed',
    ],
    ['withdrawal (BRL/PIX) success', 'withdrawal of BRL', 'created cleared payout_settled'],
    ['withdrawal (BRL/PIX) returned', 'withdrawal of BRL', 'created cleared payout_settled payout_returned'],
  ];

  const published = (name: string): Journal => {
    if (name === 'SPEND') return SPEND;
    const code = name.split(' ')[0] as string;
    const sides = POSTINGS[name]?.map(([role, currencyCode, side, amount]) => {
      const currency = currencyOf(currencyCode) as Currency;
      return (side === 'Dr' ? debit : credit)(role, currency, toMinor(amount, currency.decimals));
    });
    return journal(SAME[code] ?? code, ...(sides ?? []));
  };
  const said = ({ name, postings }: Journal) => {
    const sides = postings.map(
      ({ role, currency, deltaMinor }) =>
        `${role} ${currency.code} ${fromMinor(deltaMinor, currency.decimals)}`,
    );
    return `${name}: ${sides.sort().join(', ')}`;
  };

  test('each except the deposit without a session has its path through a machine', () => {
    const left = Object.keys(SCENARIOS).filter((name) => !ROUTES.some(([scenario]) => scenario === name));
    expect(left).toEqual(['unmatched deposit assigned by an operator']);
  });

  test.each(ROUTES)('C-30: %s (%s: %s)', (scenario, sample, way) => {
    const steps = SCENARIOS[scenario] as string[];
    const means = { FUND: { USDT_TRX: '150' }, FUNDB: { BRL: '1500' } }[steps[0] as string];
    const expected = (means ? steps.slice(1) : steps).map(published);
    const start = begin(SAMPLES[sample], means ?? {});
    const end = drive(start, way);
    expect(end.journals.map(said)).toEqual(expected.filter((each) => each !== SPEND).map(said));
    expect(statusSection(end.book)).toEqual(statusSection(posted(start.book, expected) as Book));
  });

  test('a dispute holds the available amount; the missing amount is owed to the house when it is accepted', () => {
    const run = at('onramp', `${TO_CHARGE.onramp} ${CREDITED} SPEND dispute_opened`, { USDT_TRX: '60' });
    expect(statusSection(run.book, 'M.')).toEqual(['M.blocked USDT_TRX 60']);
    const accepted = drive(run, 'dispute_accepted');
    expect(accepted.journals.slice(-2).map(said)).toEqual([
      'L8: A.pix BRL 330, E.fx BRL -322.5, E.fx USDT_TRX 60, M.blocked USDT_TRX -60, R.fee BRL -7.5',
      'L8b: A.pix BRL 220, A.recv USDT_TRX -40, E.fx BRL -215, E.fx USDT_TRX 40, R.fee BRL -5',
    ]);
  });

  test('a dispute is accepted up to 80 days after the end, and no later', () => {
    const run = at('onramp', `${TO_CHARGE.onramp} ${CREDITED}`, {});
    const at80Days = millisOf(run.row.updatedAt) + 80 * 86_400_000;
    expect(advance(run, trigger('dispute_opened'), at80Days)).toBeDefined();
    expect(advance(run, trigger('dispute_opened'), at80Days + 1)).toBeUndefined();
  });

  test('a deposit that is priced again is converted from the balance, and reversed in the same way', () => {
    const way = `${LATE_DEPOSIT} requoted swap_settled payout_rejected`;
    const run = at('offramp from address', way, {});
    expect(run.journals.map(({ name }) => name).slice(3)).toEqual(['L35', 'L20', 'L21', 'L24', 'L45']);
    expect(statusSection(run.book)).toEqual([
      'A.custody USDT_TRX -100.000137',
      'M.blocked USDT_TRX 100.000137',
    ]);
  });
});

describe('triggers that do not fit are refused', () => {
  test('C-34, C-35: a final step is left only by a refund, a dispute, or the outcome of a failed return', () => {
    const final = everywhere().filter(({ row }) => row.component !== '' && stepOf(row).ending === 'final');
    const published = REGISTRY.templates.flatMap(({ name, steps }) =>
      steps
        .filter(({ ending }) => ending === 'final')
        .map(({ component, state }) => `${name} ${component}/${state}`),
    );
    expect(new Set(final.map(nameOf))).toEqual(new Set(published));
    const left = final.flatMap((run) =>
      acceptedAt(run)
        .filter(({ given, nowMs }) => moves(run, given, nowMs))
        .map(({ given: { on } }) => `${stepNameOf(run.row)} ${on}`),
    );
    expect([...new Set(left)].sort()).toEqual([
      'dispute/REJECTED dispute_opened',
      'dispute/REJECTED payment_refunded',
      'partial_success/DONE dispute_opened',
      'partial_success/DONE payment_refunded',
      'refund/ERROR refund_paid_by_hand',
      'refund/ERROR refund_retried',
    ]);
  });

  test('every open step can be left; those that are final unless a later event arrives, only by that', () => {
    const leaving = new Map<string, Set<string>>();
    for (const run of everywhere()) {
      const { ending } = stepOf(run.row);
      if (run.row.component === '' || ending === 'final') continue;
      // Money that goes back beside the step, and MED cases, leave it as it is.
      const taken = acceptedAt(run).filter(
        ({ given, nowMs }) =>
          !/^(?:refund_(settled|failed|retried|paid_by_hand)|med_\w+)$/.test(given.on) ||
          moves(run, given, nowMs),
      );
      if (ending === 'open') expect(taken.length, nameOf(run)).toBeGreaterThan(0);
      else
        leaving.set(
          nameOf(run),
          new Set([...(leaving.get(nameOf(run)) ?? []), ...taken.map(({ given }) => given.on)]),
        );
    }
    expect(
      Object.fromEntries([...leaving].map(([name, taken]) => [name, [...taken].sort().join(' ')])),
    ).toEqual({
      'crossramp_checkout valida_id_v2/DENIED': 'charge_created frozen refund_requested',
      'crossramp_checkout depositpix_v2/EXPIRED': 'pix_received',
      'crossramp_checkout success/DONE': 'dispute_opened payment_refunded',
      'onramp valida_id/DENIED': 'charge_created frozen refund_requested',
      'onramp depositpix/EXPIRED': 'pix_received',
      'onramp success/DONE': 'dispute_opened payment_refunded',
      'onramp_instant valida_id/DENIED': 'charge_created frozen refund_requested',
      'onramp_instant depositpix/EXPIRED': 'pix_received',
      'onramp_instant success/DONE': 'dispute_opened payment_refunded',
      'offramp success/DONE': 'payout_returned',
      'offramp_instant crypto_deposit/EXPIRED': 'deposit_confirmed deposit_dropped deposit_seen',
      'offramp_instant success/DONE': 'deposit_dropped',
      'withdraw_dash_same_curr success_withdrawl_dash/DONE': 'payout_returned',
    });
    expect(
      REGISTRY.templates.flatMap(({ name, steps }) =>
        steps
          .filter(({ ending }) => ending === LATE_EVENT)
          .map(({ component, state }) => `${name} ${component}/${state}`),
      ),
    ).toHaveLength(leaving.size);
  });

  test('C-70: imported history accepts no trigger, at any step', () => {
    // Most places differ in nothing else than what imported history does not have.
    const imported = new Map(
      everywhere().map((run) => {
        const { accountId, id, ...facts } = { ...run.row, process: null };
        return [JSON.stringify(facts), { ...run, row: { ...facts, accountId, id } }];
      }),
    );
    const taken = [...imported.values()].filter((run) => TRIGGERS.some((each) => isEverTaken(run, each)));
    expect(taken.map(nameOf)).toEqual([]);
  });

  test('the input row stays unchanged, whether the trigger is accepted or not', () => {
    const run = atCharge('onramp');
    const before = structuredClone(run.row);
    expect(isTaken(run, trigger('swap_settled'), DURING_MS)).toBe(false);
    expect(isTaken(run, trigger('expired'), AFTER_MS - 1)).toBe(false);
    expect(isTaken(run, trigger('pix_received'), DURING_MS)).toBe(true);
    expect(run.row).toEqual(before);
  });

  test.each([
    ['withdrawal', 'created cleared delivery_broadcast delivery_confirmed', 'payout_returned'],
    ['offramp from address', `${TO_ADDRESS} seen_under`, 'cancelled'],
    ['offramp from address', `${TO_ADDRESS} deposit_seen`, 'cancelled'],
    ['onramp', `${TO_CHARGE.onramp} pix_received`, 'cancelled'],
    ['onramp', `${TO_CHARGE.onramp} pix_received step_up_required`, 'cancelled'],
    ['onramp', 'created step_up_required step_up_denied', 'refund_requested'],
    ['offramp', 'created cleared identity_passed', 'cancelled'],
    ['withdrawal', 'created cleared', 'cancelled'],
  ] as const)('%s after %s: no %s', (sample, way, on) => {
    expect(isEverTaken(at(sample, way), trigger(on))).toBe(false);
  });

  test('C-33: an accepted payment is not accepted again, at any later step', () => {
    const paid = everywhere().filter(({ row }) => row.process?.paid !== undefined);
    expect(new Set(paid.map(nameOf)).size).toBeGreaterThan(50);
    const again = paid.filter((run) => acceptedAt(run).some(({ given }) => given.on === 'pix_received'));
    expect(again.map(nameOf)).toEqual([]);
    expect(
      advance(drive(atCharge('onramp'), 'pix_received'), trigger('pix_received'), DURING_MS),
    ).toBeUndefined();
  });

  test('C-33: an accepted deposit is not accepted again', () => {
    const detected = at('offramp from address', `${TO_ADDRESS} deposit_seen`);
    expect(isEverTaken(detected, trigger('deposit_seen'))).toBe(false);
    const confirmed = drive(detected, 'deposit_confirmed');
    for (const on of ['deposit_seen', 'deposit_confirmed'] as const)
      expect(isEverTaken(confirmed, trigger(on))).toBe(false);
    const dropped = drive(confirmed, 'deposit_dropped');
    for (const on of ['deposit_seen', 'deposit_confirmed', 'deposit_dropped'] as const)
      expect(isEverTaken(dropped, trigger(on))).toBe(false);
  });

  test('C-34: a deposit that was dropped after it was final is neither converted nor sent back', () => {
    const way = 'deposit_dropped cleared';
    const lost = at('offramp from address', `${TO_ADDRESS} deposit_seen deposit_confirmed ${way}`);
    expect(stepNameOf(lost.row)).toBe('compliance/UNCOMPLIANT');
    expect(isEverTaken(lost, trigger('hold_rejected'))).toBe(false);
    expect(statusSection(drive(lost, 'released').book, 'A.')).toEqual(['A.recv USDT_TRX -100.000137']);
  });

  const HELD_AT = [
    ['crypto_deposit/UNDERPAID', `${TO_ADDRESS} seen_under deposit_confirmed`, 'refund_ordered'],
    ['crypto_deposit/OVERPAID', `${TO_ADDRESS} seen_over deposit_confirmed`, 'refund_ordered'],
    ['crypto_deposit/LATE', LATE_DEPOSIT, 'refund_ordered'],
    ['swap_transfer/ERROR', `${DEPOSITED} cleared swap_failed`, 'refund_ordered'],
    ['pix_out/REJECTED', `${DEPOSITED} cleared swap_settled payout_rejected`, 'refund_ordered'],
    ['compliance/UNCOMPLIANT', `${DEPOSITED} held`, 'hold_rejected'],
  ] as const;

  test.each(
    HELD_AT,
  )('C-34: a deposit held at %s is held there again when its return fails, and can be decided again', (step, way, order) => {
    const held = at('offramp from address', way);
    const again = drive(held, `${order} return_failed`);
    expect([stepNameOf(again.row), again.row.errorEn]).toEqual([step, held.row.errorEn]);
    expect([again.book, again.journals]).toEqual([held.book, held.journals]);
    const taken = (run: Run) => TRIGGERS.filter((each) => isEverTaken(run, each)).map(({ on }) => on);
    expect(taken(again)).toEqual(taken(held));
    const ordered = drive(again, order);
    expect(ordered.steps.at(-1)?.effects.map(({ name }) => name)).toEqual(['send_back']);
    const back = drive(ordered, 'return_confirmed');
    expect(back.journals.filter(({ name }) => name === 'L34')).toHaveLength(1);
    expect(statusSection(back.book, 'M.blocked')).toEqual([]);
    expect(isEverTaken(back, trigger('return_failed'))).toBe(false);
  });

  test('C-34: a deposit whose return was ordered before its step was stored is held for the operator when it fails', () => {
    const { row, ...run } = at('offramp from address', `${LATE_DEPOSIT} refund_ordered`);
    const { heldAt: _, ...process } = row.process as Process;
    const again = drive({ ...run, row: { ...row, process } }, 'return_failed');
    expect(stepNameOf(again.row)).toBe('compliance/UNCOMPLIANT');
    expect(statusSection(drive(again, 'released').book, 'M.')).toEqual(
      statusSection(drive(at('offramp from address', LATE_DEPOSIT), 'kept').book, 'M.'),
    );
  });

  test('C-34: a deposit that was dropped on its way back is not sent again when its return fails', () => {
    const again = at('offramp from address', `${LATE_DEPOSIT} refund_ordered deposit_dropped return_failed`);
    expect(stepNameOf(again.row)).toBe('crypto_deposit/LATE');
    expect(isEverTaken(again, trigger('refund_ordered'))).toBe(false);
    expect(isEverTaken(again, trigger('kept'))).toBe(true);
  });
});

describe('error messages (C-31)', () => {
  const PAID_BACK = 'refund_requested refund_settled';
  const SENT_BACK = 'refund_ordered return_confirmed';
  const ERRORS: readonly (readonly [step: string, sample: SampleName, way: string, back: string])[] = [
    ...PIX_IN.flatMap((sample) => {
      const version = sample === 'checkout' ? '_v2' : '';
      return (
        [
          [`depositpix${version}/UNDERPAID`, 'pix_under'],
          [`depositpix${version}/LATE`, 'pix_late'],
          [`depositpix${version}/DIVERGENT`, 'pix_of_stranger'],
          [`valida_id${version}/DENIED`, 'pix_received step_up_required step_up_denied'],
          [`swap_transfer${version}/ERROR`, 'pix_received cleared swap_failed'],
        ] as const
      ).map(([step, way]) => [step, sample, `${TO_CHARGE[sample]} ${way}`, PAID_BACK] as const);
    }),
    ...(
      [
        ['crypto_deposit/UNDERPAID', `${TO_ADDRESS} seen_under deposit_confirmed`],
        ['crypto_deposit/OVERPAID', `${TO_ADDRESS} seen_over deposit_confirmed`],
        ['crypto_deposit/LATE', LATE_DEPOSIT],
        ['swap_transfer/ERROR', `${DEPOSITED} cleared swap_failed`],
        ['pix_out/REJECTED', `${DEPOSITED} cleared swap_settled payout_rejected`],
      ] as const
    ).map(([step, way]) => [step, 'offramp from address', way, SENT_BACK] as const),
  ];

  test.each(
    ERRORS,
  )('that of %s stays through the refund, in both languages (%s)', (step, sample, way, back) => {
    const failed = at(sample, way);
    const { en, pt } = stepOf(failed.row).errorMessage;
    const refunding = drive(failed, back.split(' ')[0] as string);
    const refunded = drive(failed, back);
    expect(stepsOf([failed, refunding, refunded])).toEqual([step, 'refund/INITIAL', 'refund/DONE']);
    expect(en).not.toBe('');
    for (const { row } of [failed, refunding, refunded]) expect([row.errorEn, row.errorPt]).toEqual([en, pt]);
  });

  test('a refund that fails has its own', () => {
    const { row } = drive(atCharge('onramp'), 'pix_under refund_requested refund_failed');
    expect(row.errorEn).toMatch(/^The PIX return could not be completed/);
  });

  test('Success has none, even after an earlier error', () => {
    const { row } = at('offramp from address', `${LATE_DEPOSIT} requoted swap_settled payout_settled`);
    expect([stepNameOf(row), row.errorEn, row.errorPt]).toEqual(['success/DONE', '', '']);
    const wrong = everywhere().filter(
      ({ row: { errorEn, errorPt, ...rest } }) =>
        stepOf(rest as ProcessRow).status.en === 'Success' && errorEn + errorPt !== '',
    );
    expect(wrong.map(nameOf)).toEqual([]);
  });
});

describe('lateness (C-32)', () => {
  const heard = (run: Run, changes: Partial<Figures>, nowMs = AFTER_MS) =>
    stepsOf(advance(run, trigger('pix_received', changes), nowMs));
  const expired = (run: Run) => drive(run, 'expired', AFTER_MS);

  test('is evaluated by the time at which it settled, not at which it was reported', () => {
    const gone = expired(atCharge('checkout'));
    expect(stepNameOf(gone.row)).toBe('depositpix_v2/EXPIRED');
    expect(heard(gone, { settledAt: iso(END_MS) }, AFTER_MS + 3_600_000)).toEqual(['depositpix_v2/PAID']);
    expect(heard(atCharge('checkout'), LATE, DURING_MS)?.at(-1)).toBe('depositpix_v2/LATE');
    expect(heard(atCharge('checkout'), LATE, DURING_MS - 60_000)).toBeUndefined();
  });

  test.each([
    ['over', { paid: '570.00' }, 'OVERPAID'],
    ['under', { paid: '540.00' }, 'UNDERPAID'],
    ['by somebody else', { payerTaxId: STRANGER }, 'DIVERGENT'],
    ['by whom the rail does not tell', { payerTaxId: null }, 'PAID'],
    ['by a mask that contradicts the customer', { payerTaxId: '***444777**' }, 'DIVERGENT'],
    ['by a mask that fits the customer', { payerTaxId: '***982247**' }, 'PAID'],
  ])('paid %s in time, heard of after the end: the same as if heard of at once', (_what, changes, state) => {
    expect(heard(expired(atCharge('onramp')), changes)).toEqual([`depositpix/${state}`]);
    expect(heard(atCharge('onramp'), changes, DURING_MS)).toEqual([`depositpix/${state}`]);
  });

  test('a grace of exactly 60 s is in time, a millisecond more is late', () => {
    for (const run of [atCharge('onramp'), expired(atCharge('onramp'))]) {
      expect(heard(run, { settledAt: iso(END_MS + 60_000) })).toEqual(['depositpix/PAID']);
      expect(heard(run, { settledAt: iso(END_MS + 60_001) })?.at(-1)).toBe('depositpix/LATE');
    }
    expect(isTaken(atCharge('onramp'), trigger('expired'), END_MS + 59_999)).toBe(false);
    expect(isTaken(atCharge('onramp'), trigger('expired'), END_MS + 60_000)).toBe(true);
  });

  test('late while the charge is still open it is expired and late in one plan, and posted once', () => {
    const after = advance(atCharge('onramp'), trigger('pix_received', LATE), AFTER_MS);
    expect(stepsOf(after)).toEqual(['depositpix/EXPIRED', 'depositpix/LATE']);
    expect(after?.map(({ journals }) => journals.map(({ name }) => name))).toEqual([[], ['L1']]);
  });

  test('a session that was ended before its time is late from then on', () => {
    const forced = drive(atCharge('onramp'), 'expired_early', DURING_MS);
    expect(heard(forced, { settledAt: iso(DURING_MS) })).toEqual(['depositpix/PAID']);
    expect(heard(forced, { settledAt: iso(DURING_MS + 1) })).toEqual(['depositpix/LATE']);
  });

  test('holds for deposits: seen within the grace in time, a millisecond later held', () => {
    const seen = (run: Run, seenMs: number) =>
      stepsOf(advance(run, trigger('deposit_seen', { seenAt: iso(seenMs) }), AFTER_MS));
    const waiting = at('offramp from address', TO_ADDRESS);
    expect(seen(waiting, END_MS + 60_000)).toEqual(['crypto_deposit/DETECTED']);
    expect(seen(expired(waiting), END_MS + 60_000)).toEqual(['crypto_deposit/DETECTED']);
    expect(seen(waiting, END_MS + 60_001)).toEqual(['crypto_deposit/EXPIRED', 'crypto_deposit/EXPIRED']);
    expect(stepNameOf(at('offramp from address', LATE_DEPOSIT).row)).toBe('crypto_deposit/LATE');
    const forced = drive(waiting, 'expired_early', DURING_MS);
    expect(seen(forced, DURING_MS)).toEqual(['crypto_deposit/DETECTED']);
    expect(seen(forced, DURING_MS + 1)).toEqual(['crypto_deposit/EXPIRED']);
    expect(isTaken(waiting, trigger('expired'), END_MS + 59_999)).toBe(false);
    expect(isTaken(waiting, trigger('expired'), END_MS + 60_000)).toBe(true);
  });
});

describe('effects', () => {
  const ordered = ({ steps }: Run) =>
    steps.flatMap(({ effects }) => effects.map(({ name }) => name)).join(' ');
  const PAID_IN = 'check_identity create_charge expire_payable screen swap';

  // An accepted quote ends with its session: the first `expire` is that of the lock.
  test.each([
    ['checkout', `${TO_CHARGE.checkout} pix_received cleared swap_settled`, `expire expire ${PAID_IN}`],
    ['onramp', `${TO_CHARGE.onramp} pix_received cleared swap_settled`, `expire ${PAID_IN}`],
    [
      'onramp to address',
      `${TO_CHARGE.onramp} pix_received cleared swap_settled`,
      `expire ${PAID_IN} send_funds`,
    ],
    ['offramp', 'created cleared identity_passed swap_settled', 'expire screen check_payee swap send_funds'],
    [
      'offramp from address',
      `${DEPOSITED} cleared swap_settled`,
      'expire check_payee allocate_deposit expire_payable screen swap send_funds',
    ],
    ['withdrawal', 'created cleared delivery_broadcast delivery_confirmed', 'screen send_funds'],
  ] as const)('of %s on the way to success are ordered once each, in order', (sample, way, effects) => {
    expect(ordered(at(sample, way))).toBe(effects);
  });

  test.each([
    ['onramp', 'created step_up_required step_up_approved'],
    ['checkout', 'created accepted step_up_required step_up_approved'],
    ['offramp from address', 'created step_up_required step_up_approved'],
  ] as const)('C-22: an approved step-up is decided: %s after %s refuses a denial', (sample, way) => {
    expect(isEverTaken(at(sample, way), { on: 'step_up_denied' })).toBe(false);
  });

  test.each([
    ['onramp', `${TO_CHARGE.onramp} cancelled`, 'cancel_charge'],
    ['onramp', 'created identity_passed cancelled charge_created', 'cancel_charge'],
    ['onramp', 'created step_up_required step_up_approved cancelled charge_created', 'cancel_charge'],
    ['onramp', `${TO_CHARGE.onramp} pix_over`, 'order_returns screen'],
    ['onramp', `${TO_CHARGE.onramp} pix_under`, 'return_payment'],
    ['onramp', `${TO_CHARGE.onramp} pix_late`, 'return_payment'],
    ['onramp', `${TO_CHARGE.onramp} pix_of_stranger`, 'return_payment'],
    ['onramp', `${TO_CHARGE.onramp} pix_received held hold_rejected`, 'return_payment'],
    ['onramp', `${TO_CHARGE.onramp} pix_received cleared swap_failed`, 'return_payment'],
    ['onramp', `${TO_CHARGE.onramp} pix_received step_up_required step_up_denied`, 'return_payment'],
    ['onramp', `${TO_CHARGE.onramp} pix_received step_up_required step_up_approved`, 'swap'],
    ['checkout', 'created accepted step_up_required step_up_approved', 'create_charge'],
    ['checkout', 'created accepted step_up_required step_up_denied', ''],
    ['offramp from address', `${TO_ADDRESS} deposit_seen deposit_dropped`, 'expire_payable'],
    ['withdrawal', 'created held released', 'send_funds'],
    ['withdrawal to approve', 'created approved', 'screen'],
  ] as const)('%s after %s: %s', (sample, way, effects) => {
    const { steps } = at(sample, way);
    expect(
      steps
        .at(-1)
        ?.effects.map(({ name }) => name)
        .join(' '),
    ).toBe(effects);
  });

  test.each([
    ['onramp', 'created', 'expire', END_MS],
    ['onramp', TO_CHARGE.onramp, 'expire_payable', END_MS + 60_000],
    ['offramp from address', TO_ADDRESS, 'expire_payable', END_MS + 60_000],
    ['onramp', 'created step_up_required', 'deny_step_up', DURING_MS + 24 * 3_600_000],
    ['withdrawal to approve', 'created', 'reject_approval', DURING_MS + 72 * 3_600_000],
    ['offramp', 'created', 'screen', DURING_MS],
  ] as const)('%s after %s: %s is due at its time', (sample, way, name, dueMs) => {
    const effects = at(sample, way).steps.flatMap((step) => step.effects);
    expect(effects.find((each) => each.name === name)?.dueMs).toBe(dueMs);
  });

  test.each([
    'onramp',
    'onramp to address',
    'checkout',
    'open checkout',
  ] as const)('the charge of %s has its txid from the creation on: no later step writes its index', (sample) => {
    const made = at(sample, 'created').row;
    expect(made.process?.txid).toBe(txidOf(made.end2end));
  });

  test('a deposit is returned to the given address, or to its sender', () => {
    const given = at('offramp from address', `${LATE_DEPOSIT} refund_ordered`).row;
    const rejected = at('offramp from address', `${DEPOSITED} held hold_rejected`).row;
    expect(given.process?.refundAddress).toBe(REFUND_ADDRESS);
    expect(rejected.process?.refundAddress).toBe(rejected.depositFrom);
    expect(rejected.depositFrom).not.toBe(REFUND_ADDRESS);
  });
});

describe('sequence and time', () => {
  test('every move is one further and later, even if the clock is set back', () => {
    const way = `${TO_CHARGE.onramp} pix_received cleared swap_settled dispute_opened`.split(' ');
    let run = begin(SAMPLES.onramp);
    for (const [index, word] of way.entries()) run = drive(run, word, DURING_MS - index * 10_000);
    const moves = run.steps.filter(({ isMove }) => isMove);
    expect(moves.map(({ row }) => row.process?.sequence)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    const times = moves.map(({ row }) => millisOf(row.updatedAt));
    expect(times).toEqual([...new Set(times)].sort((one, other) => one - other));
  });

  test('the time is that of the clock if it is ahead, else a millisecond later', () => {
    const first = drive(begin(SAMPLES.withdrawal, MEANS), 'created', DURING_MS);
    const second = drive(first, 'held', DURING_MS - 5_000);
    expect([first, second].map(({ row }) => row.updatedAt)).toEqual(
      [DURING_MS, DURING_MS + 1].map((ms) => instantOf(new Date(ms))),
    );
  });

  test('a stay counts as an event only where its transition names one, and posts nothing but returns and losses beside the step', () => {
    // Ways that begin in the same way have the same steps there.
    const stays = new Map(
      everywhere().flatMap(({ steps }) =>
        steps.flatMap((step, index) => (step.isMove ? [] : [[step, steps[index - 1]] as const])),
      ),
    );
    expect(stays.size).toBeGreaterThan(0);
    for (const [step, before] of stays) {
      const { component, state, process } = step.row;
      expect(step.journals.filter(({ name }) => !['L9', 'L55', 'L62'].includes(name))).toEqual([]);
      expect([component, state, process?.sequence]).toEqual([
        before?.row.component,
        before?.row.state,
        (before?.row.process?.sequence ?? 0) + (step.event ? 1 : 0),
      ]);
    }
  });
});

describe('paths that the machines close', () => {
  test('C-22: without a second approver nothing leaves, whatever screening finds meanwhile', () => {
    const reached = reachedBy(explored([begin(SAMPLES['withdrawal to approve'], MEANS)], 'approved'));
    expect([...reached]).not.toContain('send_withdrawl_dash/SENDING');
  });

  test('C-22: a withdrawal that waits for approval is not screened before it', () => {
    const { steps } = at('withdrawal to approve', 'created');
    expect(steps.flatMap(({ effects }) => effects.map(({ name }) => name))).toEqual(['reject_approval']);
  });

  test('C-30: a charge that is created after the payment does not open the payment again', () => {
    const paid = drive(atCharge('onramp'), 'pix_received step_up_required');
    expect(isEverTaken(paid, trigger('charge_created'))).toBe(false);
  });

  test.each([
    ['checkout', 'created accepted', 'charge_created'],
    ['onramp', 'created', 'charge_created'],
    ['offramp from address', 'created', 'deposit_ready'],
  ] as const)('%s: before a step-up is approved there is nothing to pay', (sample, way, ready) => {
    for (const pending of ['step_up_required', 'review_required'])
      expect(isEverTaken(at(sample, `${way} ${pending}`), trigger(ready))).toBe(false);
  });

  test('a rejected hold cannot be released while the payment is on its way back', () => {
    const rejected = drive(atCharge('onramp'), 'pix_received held hold_rejected');
    expect(isEverTaken(rejected, trigger('released'))).toBe(false);
  });

  test.each([
    ['withdrawal', 'payout_settled'],
    ['withdrawal', 'payout_rejected'],
    ['withdrawal of BRL', 'delivery_broadcast'],
    ['withdrawal of BRL', 'delivery_failed'],
  ] as const)('C-30: %s is not told of by the other rail: %s', (sample, on) => {
    expect(isEverTaken(at(sample, 'created cleared'), trigger(on))).toBe(false);
  });

  test.each([
    ['seen_under', 'UNDERPAID'],
    ['seen_over', 'OVERPAID'],
  ])('C-32: a deposit of another amount in time, confirmed after the end (%s), is %s and not LATE', (seen, state) => {
    const waiting = at('offramp from address', `${TO_ADDRESS} ${seen}`);
    const run = drive(drive(waiting, 'expired', AFTER_MS), 'deposit_confirmed', AFTER_MS);
    expect(stepNameOf(run.row)).toBe(`crypto_deposit/${state}`);
  });

  test('C-33: a second deposit of another amount does not displace the first', () => {
    const first = at('offramp from address', `${TO_ADDRESS} seen_under`);
    const dust = trigger('deposit_seen', { deposited: '0.000001', depositTxHash: 'd3'.repeat(32) });
    const second = advance(first, dust, DURING_MS)?.at(-1) ?? first;
    expect(isEverTaken(second, trigger('deposit_confirmed'))).toBe(true);
  });

  test.each([
    [`${LATE_DEPOSIT} kept`, 'partial_success/DONE'],
    [`${LATE_DEPOSIT} requoted`, 'swap_transfer/INITIAL'],
  ])('C-31: an error is kept through a refund only: not %s', (way, step) => {
    const { row } = at('offramp from address', way);
    expect([stepNameOf(row), row.errorEn]).toEqual([step, '']);
  });

  test('a repeated identity is no move: the step does not change', () => {
    const given = at('anonymous onramp', 'created accepted identity_given');
    const again = drive(given, 'identity_given');
    expect(again.row.process?.sequence).toBe(given.row.process?.sequence);
  });

  test.each([
    'checkout',
    'offramp without payee',
  ] as const)('C-21: a quote is not accepted after the end of the session (%s)', (sample) => {
    expect(isTaken(at(sample, 'created'), trigger('accepted'), END_MS + 1)).toBe(false);
  });

  test.each([
    ['checkout', 'created accepted'],
    ['offramp', 'created cleared'],
  ] as const)('%s: a review that nobody decides ends, too', (sample, way) => {
    const { steps } = at(sample, `${way} review_required`);
    expect(steps.at(-1)?.effects.map(({ name }) => name)).toEqual(['deny_step_up']);
  });
});

/** The catalogue of scenarios, and the function that plays one. */
import { assert } from '../../base/errors/assert.ts';
import { invalidParameters } from '../../base/errors/errors.ts';
import { BRL, currencyOfLedger } from '../../base/money/currency.ts';
import { amountProblem } from '../../resolvers/checks/check-creation.ts';
import { checkScenario } from '../../resolvers/checks/check-scenario.ts';
import { RAIL_EVENT_JOB } from '../../resolvers/engine/run-jobs.ts';
import { kindOf } from '../../resolvers/inbound/rail-events.ts';
import type { Advance } from '../../resolvers/services/advance.ts';
import type { RailEvent, Receive } from '../../resolvers/services/rail-event.ts';
import {
  type PossibleScenarios,
  SCENARIO_DOCS,
  type Scenario,
  type ScenarioName,
  type ScenarioOptions,
} from '../../resolvers/services/sandbox.ts';
import type { Tx } from '../../store/connection/database.ts';
import { addJobs } from '../../store/engine/jobs.ts';
import { readProcesses } from '../../store/engine/processes.ts';
import { arm, removeJobs, replaceJobs } from '../../store/rails/sandbox.ts';
import { accepts } from '../../templates/accepts.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import { plan as planSteps } from '../../templates/machine.ts';
import type { Registry } from '../../templates/registry.ts';
import type { Trigger } from '../../templates/triggers.ts';
import { DEPOSIT_SCENARIOS } from './deposit-scenarios.ts';
import { type RailParts, railEventJob } from './orders.ts';
import type { Outside } from './outside.ts';
import { PAY_SCENARIOS } from './pay-scenarios.ts';
import { ISPB } from './pix.ts';
import { isAhead, PLANS, type Plan, type PlanName } from './plans.ts';
import { DISPUTE_SCENARIOS, fail, PIX_RETURN } from './reports.ts';
import { type Playable, type Stage, stepConflict } from './stage.ts';

/** Dependencies of scenarios. */
export interface TheatreParts extends RailParts {
  readonly registry: Registry;
  readonly advance: () => Advance;
  readonly receive: Receive;
  /** Undefined if PIX is played by this process. */
  readonly outside?: Outside | undefined;
}

const PLAYED: readonly Playable[] = [
  ...PAY_SCENARIOS,
  simple('step-up-approve', { on: 'step_up_approved' }),
  simple('step-up-deny', { on: 'step_up_denied' }),
  simple('release', { on: 'released' }),
  simple('hold-reject', { on: 'hold_rejected' }),
  PIX_RETURN,
  ...DEPOSIT_SCENARIOS,
  ...DISPUTE_SCENARIOS,
  simple('expire', { on: 'expired', isForced: true }),
];
const PLANNED: readonly { readonly name: ScenarioName; readonly plan: Plan }[] = (
  Object.entries(PLANS) as [PlanName, Plan][]
).map(([name, plan]) => ({ name, plan }));

/** All scenarios; planned ones take effect at a later step. */
export const SCENARIOS: readonly Scenario[] = [...PLAYED, ...PLANNED].map(({ name }) => ({
  name,
  doc: SCENARIO_DOCS[name],
}));

/** @returns the scenarios that are possible at a transaction's present step. */
export function possibleScenarios(registry: Registry, row: ProcessRow): PossibleScenarios {
  const template = registry.of(row.template);
  const fits = (each: Playable) => (each.comesTo?.(row) ?? true) && (each.isAbout?.(row) ?? true);
  return {
    now: PLAYED.filter((each) => accepts(template, row, each.on) && fits(each)).map(({ name }) => name),
    later: PLANNED.filter(({ plan }) => isAhead(registry, row, plan)).map(({ name }) => name),
  };
}

/**
 * Plays a scenario on a transaction in its stored state.
 * @returns the transaction afterwards.
 * @throws {GatewayError} `INVALID_PARAMETER` naming `scenario` or `amount`; `STEP_CONFLICT` for a scenario that is
 *   impossible at the present step, or can no longer take effect.
 */
export async function play(
  parts: TheatreParts,
  process: ProcessRow,
  name: string,
  { amount, isFresh = false, beforehand }: ScenarioOptions,
): Promise<ProcessRow> {
  const report = PLAYED.find((each) => each.name === name);
  const planned = PLANNED.find((each) => each.name === name);
  if (!report && !planned) checkScenario(name, amount);
  const row = isFresh ? process : await readAgain(parts.database, process);
  const violation = amount === undefined ? undefined : amountViolation(report?.amountOf, row, amount);
  if (violation) throw invalidParameters([{ parameter: 'amount', message: violation }]);
  const stage = await stageOf(parts, name, row, amount);
  if (planned) {
    if (!isAhead(parts.registry, row, planned.plan)) throw stage.refusal(row);
    await beforehand?.();
    return playPlan(parts, stage, planned.name, planned.plan);
  }
  assert(report, 'a scenario is reported or planned');
  const isPossible = report.comesTo?.(row) ?? accepts(parts.registry.of(row.template), row, report.on);
  if (!isPossible || report.isAbout?.(row) === false) throw stage.refusal(row);
  await beforehand?.();
  return report.play(stage);
}

function simple(name: ScenarioName, trigger: Trigger): Playable {
  return { name, on: trigger.on, play: ({ advance: apply }) => apply({ trigger }) };
}

async function playPlan(
  { database, registry }: TheatreParts,
  stage: Stage,
  name: string,
  plan: Plan,
): Promise<ProcessRow> {
  const { row } = stage;
  if (plan.atOnce && accepts(registry.of(row.template), row, plan.until)) return fail(stage, plan.atOnce);
  await arm(database, row.accountId, row.id, name);
  return row;
}

async function stageOf(
  { database, clock, registry, advance, receive, outside }: TheatreParts,
  name: string,
  row: ProcessRow,
  amount: string | undefined,
): Promise<Stage> {
  const target = { accountId: row.accountId, transactionId: row.id };
  const nowMs = await clock.nowMs();
  /**
   * @returns whether an event fits the present step. Real rails do not check this, but the caller of a scenario should
   *   get an error.
   */
  const fits = (event: RailEvent) => {
    const trigger = kindOf(event).trigger?.(event);
    const situation = { nowMs, stepUpMs: 0, available: () => 0n, ispb: ISPB };
    return trigger && planSteps(registry.of(row.template), row, trigger, situation) !== undefined;
  };
  /** @returns undefined for an event played at the provider, whose result is in the database. */
  const reportOnce = async (event: RailEvent) =>
    (await outside?.report(event)) ? undefined : receive(event);
  const report = async (event: RailEvent, insteadOf: readonly Partial<RailEvent>[] = []) => {
    if (insteadOf.length === 0) return reportOnce(event);
    await replaceJobs(database, target, RAIL_EVENT_JOB, { from: insteadOf, to: event });
    const receipt = await reportOnce(event);
    // A failure is ignored: jobs that remain would only repeat the report, which has no effect.
    await removeJobs(database, target, RAIL_EVENT_JOB, event).catch(() => {});
    // A duplicate means that a worker reported the event first, because its later time had come; the result is in the
    // database.
    return receipt?.outcome === 'duplicate' ? undefined : receipt;
  };
  const refusal = (at: ProcessRow) => {
    const { now, later } = possibleScenarios(registry, at);
    return stepConflict(name, at, [...now, ...later]);
  };
  return {
    row,
    nowMs,
    amount,
    refusal,
    advance: async (step) => {
      const { code, row: after } = await advance()({ target, ...step });
      if (code !== 'ADVANCED') throw refusal(after);
      return after;
    },
    receive: async (event, insteadOf) => (await report(event, insteadOf))?.row ?? readAgain(database, row),
    report: async (event, insteadOf) => {
      if (!fits(event)) throw refusal(row);
      const receipt = await report(event, insteadOf);
      const after = receipt ? receipt.row : await readAgain(database, row);
      const isStep = receipt
        ? receipt.outcome === 'step'
        : after?.process?.sequence !== row.process?.sequence;
      if (!isStep || !after) throw refusal(after ?? row);
      return after;
    },
    receiveLater: (event, atMs) => addJobs(database, [railEventJob(target, event, atMs)], null),
  };
}

async function readAgain(database: Tx, { accountId, id }: ProcessRow): Promise<ProcessRow> {
  const [row] = await readProcesses(database, [{ accountId, transactionId: id }]);
  assert(row, 'a transaction stays');
  return row;
}

/** @returns the violation of the amount, a text that continues after the parameter's name. */
function amountViolation(
  amountOf: Playable['amountOf'],
  { sourceCurrency }: ProcessRow,
  amount: string,
): string | undefined {
  if (!amountOf) return 'is not accepted by this scenario';
  const currency = amountOf === 'payment' || !sourceCurrency ? BRL : currencyOfLedger(sourceCurrency);
  return amountProblem(amount, currency);
}

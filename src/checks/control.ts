/** The control server, for tests and a sandbox: decides about applicants and screened subjects, and sets faults. */
import { FAULT_TARGETS, FAULTS, type FaultName, type FaultPlan, type FaultRule } from './faults.ts';
import { type Body, Refused, type Route, route } from './http.ts';
import { decisionOf } from './identity.ts';
import { type ChecksParts, textOf } from './parts.ts';
import { screeningDecisionOf } from './screening.ts';
import type { Planned } from './timeline.ts';

const MS_MAX = 3_600_000;

/** @returns the routes of the control server. */
export function controlRoutes({ applicants, subjects, faults, callbacks }: ChecksParts): readonly Route[] {
  return [
    route('GET', '/applicants', () => ({
      status: 200,
      body: {
        applicants: applicants.all.map(({ links, ...facts }) => ({ ...facts, links: links.size })),
        repeated: applicants.repeated,
      },
    })),
    route('POST', '/applicants/:id/decide', ({ named: [id = ''], body }) => {
      const applicant = applicants.known(id);
      applicants.decide(applicant, decisionOf(body.decision), textsOf(body.reasons));
      return { status: 200, body: { id: applicant.id, decision: applicant.decision } };
    }),
    route('PUT', '/plans/:taxId', ({ named: [taxId = ''], body }) => {
      applicants.plan(
        taxId,
        listOf(body.decisions).map((each) => plannedOf(each, decisionOf)),
      );
      return { status: 200, body: {} };
    }),
    route('GET', '/screenings', () => ({ status: 200, body: { screenings: subjects.queries } })),
    route('PUT', '/subjects/:value', ({ named: [value = ''], body }) => {
      subjects.plan(
        value,
        listOf(body.decisions).map((each) => plannedOf(each, screeningDecisionOf)),
      );
      return { status: 200, body: {} };
    }),
    route('POST', '/subjects/:value/decide', ({ named: [value = ''], body }) => {
      subjects.decide(value, screeningDecisionOf(body.decision), textsOf(body.reasons));
      return { status: 200, body: {} };
    }),
    route('GET', '/faults', () => ({
      status: 200,
      body: { ...faults.plan, counts: faults.counts(), callbacks: callbacks.counts() },
    })),
    route('PUT', '/faults', ({ body }) => {
      faults.set(faultPlanOf(body));
      return { status: 200, body: faults.plan };
    }),
  ];
}

function plannedOf<Decision extends string>(
  { decision, afterMs, reasons }: Body,
  read: (value: unknown) => Decision,
): Planned<Decision> {
  return {
    decision: read(decision),
    afterMs: integerOf(afterMs ?? 0, 'afterMs', MS_MAX),
    reasons: textsOf(reasons),
  };
}

function faultPlanOf({ seed, rules }: Body): FaultPlan {
  return {
    seed: integerOf(seed ?? 1, 'seed', Number.MAX_SAFE_INTEGER),
    rules: listOf(rules).map(ruleOf),
  };
}

function ruleOf({ on, fault, rate, ms }: Body): FaultRule {
  const target = [...FAULT_TARGETS, 'any' as const].find((each) => each === on);
  if (!target) throw new Refused(400, `on: expected any, ${FAULT_TARGETS.join(', ')}`);
  if (!Object.hasOwn(FAULTS, textOf(fault)))
    throw new Refused(400, `fault: expected ${Object.keys(FAULTS).join(', ')}`);
  if (typeof rate !== 'number' || !(rate >= 0 && rate <= 1))
    throw new Refused(400, 'rate: expected a number from 0 to 1');
  return { on: target, fault: fault as FaultName, rate, ms: integerOf(ms ?? 0, 'ms', MS_MAX) };
}

function integerOf(value: unknown, name: string, max: number): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= max) return value;
  throw new Refused(400, `${name}: expected an integer from 0 to ${max}`);
}

function listOf(value: unknown): readonly Body[] {
  const isList = Array.isArray(value) && value.every((each) => typeof each === 'object' && each !== null);
  if (!isList) throw new Refused(400, 'expected a list of objects');
  return value;
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

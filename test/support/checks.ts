/** The fake provider of checks for tests: it listens on this machine, and ends with the test. */
import type { Decision, PlannedDecision } from '../../src/checks/applicants.ts';
import { type ChecksOptions, type RunningChecks, startChecks } from '../../src/checks/checks.ts';
import type { FaultPlan } from '../../src/checks/faults.ts';
import type {
  PlannedScreening,
  Screened,
  ScreeningDecision,
  ScreeningQuery,
} from '../../src/checks/subjects.ts';

/** An applicant as the control server shows it. */
export interface ShownApplicant {
  readonly id: string;
  readonly externalId: string;
  readonly taxId: string;
  readonly name: string;
  readonly level: string;
  readonly kind: string;
  readonly decision: Decision;
  readonly decisions: number;
  readonly received: readonly string[];
}

/** A provider, and what its control server does. */
export interface TestChecks extends RunningChecks {
  readonly plan: (taxId: string, decisions: readonly PlannedDecision[]) => Promise<void>;
  readonly faults: (plan: FaultPlan) => Promise<void>;
  readonly decide: (externalId: string, decision: Decision, reasons?: readonly string[]) => Promise<void>;
  readonly applicants: () => Promise<readonly ShownApplicant[]>;
  /** Plans the decisions of the screener about a name, a tax id or a wallet. */
  readonly plant: (value: string, decisions: readonly PlannedScreening[]) => Promise<void>;
  readonly decideScreening: (value: string, decision: ScreeningDecision) => Promise<void>;
  readonly screenings: () => Promise<readonly (ScreeningQuery & Screened)[]>;
  /** Faults that happened, and outcomes of the callbacks. */
  readonly counts: () => Promise<Readonly<Record<'counts' | 'callbacks', Readonly<Record<string, number>>>>>;
}

/** Starts a provider at any free ports. */
export async function startTestChecks(options: Partial<ChecksOptions> = {}): Promise<TestChecks> {
  const checks = await startChecks({ port: 0, controlPort: 0, callbackUrl: null, ...options });
  const ask = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${checks.controlUrl}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return response.json();
  };
  return {
    ...checks,
    plan: async (taxId, decisions) => void (await ask('PUT', `/plans/${taxId}`, { decisions })),
    faults: async (plan) => void (await ask('PUT', '/faults', plan)),
    decide: async (externalId, decision, reasons = []) =>
      void (await ask('POST', `/applicants/${externalId}/decide`, { decision, reasons })),
    applicants: async () =>
      ((await ask('GET', '/applicants')) as { applicants: readonly ShownApplicant[] }).applicants,
    plant: async (value, decisions) =>
      void (await ask('PUT', `/subjects/${encodeURIComponent(value)}`, { decisions })),
    decideScreening: async (value, decision) =>
      void (await ask('POST', `/subjects/${encodeURIComponent(value)}/decide`, { decision })),
    screenings: async () =>
      ((await ask('GET', '/screenings')) as { screenings: readonly (ScreeningQuery & Screened)[] })
        .screenings,
    counts: async () => (await ask('GET', '/faults')) as never,
  };
}

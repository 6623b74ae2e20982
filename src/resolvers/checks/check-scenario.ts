/** Checks a caller's input for a scenario of the sandbox, before its transaction is looked up. */

import { Violations } from '../../base/errors/violations.ts';
import { SCENARIO_NAMES, type ScenarioName } from '../services/sandbox.ts';
import { amountProblem } from './check-creation.ts';

/** @throws {GatewayError} `INVALID_PARAMETER` naming `scenario` and `amount`, whichever of them cannot be one. */
export function checkScenario(scenario: string, amount: string | undefined): void {
  const violations = new Violations();
  if (!SCENARIO_NAMES.includes(scenario as ScenarioName))
    violations.add({ parameter: 'scenario', message: `must be one of ${SCENARIO_NAMES.join(', ')}` });
  const problem = amount === undefined ? undefined : amountProblem(amount, undefined);
  if (problem) violations.add({ parameter: 'amount', message: problem });
  violations.refuse();
}

/** The sandbox for callers: scenarios, its clock, and play money. Refused for live accounts. */
import type { ActionName } from '../../base/access/actions.ts';
import { GatewayError, invalidParameters } from '../../base/errors/errors.ts';
import { stepNameOf } from '../../base/ids/step-name.ts';
import { accountObject } from '../../store/engine/audit.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import { audited, auditedIn } from '../checks/audited.ts';
import { checkScenario } from '../checks/check-scenario.ts';
import { type Attempt, UNKEYED } from '../checks/once.ts';
import { type Context, requirePermission } from '../services/context.ts';
import type { Sandbox } from '../services/sandbox.ts';
import { findOwnProcess } from '../transactions/read-transaction.ts';
import { checkFunding, type Funding, postFunding } from './fund-account.ts';
import { noteScenario } from './note-scenario.ts';

/** A scenario to be played; each as the caller wrote it. */
export interface ScenarioInput {
  readonly scenario: string;
  readonly end2end: string;
  readonly amount?: string | undefined;
}

const DURATION = /^(\d{1,6})(ms|s|m|h|d)$/;
const DURATION_MAX_MS = 3_650 * 86_400_000;
const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/**
 * Plays a scenario of the catalogue on one of the caller's transactions. It acts in database transactions of its own,
 * partly later, and partly in another process: the audit log has the request before that, and the result after it
 * (decision 0022). A key is bound with the request: a repeated one plays nothing, whatever became of the first.
 *
 * @throws {GatewayError} `FORBIDDEN` for a live account, `NOT_FOUND`, `INVALID_PARAMETER`, `STEP_CONFLICT`.
 */
export async function playScenario(
  context: Context,
  input: ScenarioInput,
  attempt: Attempt = UNKEYED,
): Promise<ProcessRow> {
  const sandbox = requireSandbox(context, 'sandbox.trigger');
  checkScenario(input.scenario, input.amount);
  const { scenario, amount } = input;
  const row = await findOwnProcess(context, input.end2end);
  if (attempt.made !== null) return row;
  const before = { step: stepNameOf(row) };
  const object = { kind: 'transaction', id: row.end2end } as const;
  const factsOf = (came: object = {}) => ({ before, after: { scenario, amount, ...came } });
  let isRequested = false;
  const write = (came: object) => noteScenario(context, object, factsOf(came), { isRequest: !isRequested });
  const beforehand = async () => {
    if (attempt === UNKEYED) await write({});
    else
      await audited(context, async (tx, writeDown) => {
        writeDown('sandbox.trigger', object, factsOf());
        await attempt.bind(tx, row.end2end);
      });
    isRequested = true;
  };
  try {
    const after = await sandbox.play(row, scenario, { amount, isFresh: true, beforehand });
    await write({ step: stepNameOf(after) });
    return after;
  } catch (error) {
    if (isRequested && error instanceof GatewayError) await write({ refused: error.code });
    throw error;
  }
}

/** Sets the clock ahead by a duration such as `30m`. @returns the time of the clock after that. @throws as `playScenario`. */
export async function advanceClock(
  context: Context,
  by: string,
  { bind }: Pick<Attempt, 'bind'> = UNKEYED,
): Promise<Date> {
  const sandbox = requireSandbox(context, 'sandbox.advance_clock');
  const object = { kind: 'sandbox_clock', id: 'sandbox' } as const;
  const nowMs = await sandbox.advanceClock(parseDuration(by, 'advance'), async (tx, thenMs) => {
    const now = new Date(thenMs).toISOString();
    await auditedIn(tx, context, async (_tx, writeDown) =>
      writeDown('sandbox.advance_clock', object, { after: { by, now } }),
    );
    await bind(tx, now);
  });
  return new Date(nowMs);
}

/** Credits an amount to the caller's account: an adjustment without a transaction. @throws as `playScenario`. */
export async function fundSandbox(
  context: Context,
  input: { readonly currency: string; readonly amount: string },
  attempt: Attempt = UNKEYED,
): Promise<Funding> {
  requireSandbox(context, 'sandbox.fund');
  const { accountId } = context.caller;
  if (attempt.made !== null) return { ...checkFunding(input).shown, journalId: attempt.made };
  const funding = await audited(context, async (tx, writeDown, nowMs) => {
    const credited = await postFunding(tx, accountId, input, nowMs);
    writeDown('sandbox.fund', accountObject(accountId), { after: credited });
    await attempt.bind(tx, credited.journalId);
    return credited;
  });
  context.notifier.notify([accountId]);
  return funding;
}

/** @returns milliseconds of `250ms`, `90s`, `30m`, `2h`, `1d`. @throws {GatewayError} `INVALID_PARAMETER`. */
export function parseDuration(text: string, parameter: string): number {
  const parts = DURATION.exec(text);
  const ms = parts ? Number(parts[1]) * UNITS[parts[2] as keyof typeof UNITS] : -1;
  if (ms < 0 || ms > DURATION_MAX_MS)
    throw invalidParameters([
      { parameter, message: 'must be a duration such as 90s, 30m, 2h or 1d, of at most ten years' },
    ]);
  return ms;
}

function requireSandbox(context: Context, action: ActionName): Sandbox {
  if (!context.sandbox) throw new GatewayError('FORBIDDEN', 'the sandbox requires a test key');
  requirePermission(context, action);
  return context.sandbox;
}

/**
 * The sandbox: rails without an outside world. Orders, plans and reports are in the database, so all processes of a
 * gateway share one sandbox, and a restart loses nothing.
 */
import { invalidParameters } from '../../base/errors/errors.ts';
import type { Advance } from '../../resolvers/services/advance.ts';
import type { Clock } from '../../resolvers/services/clock.ts';
import type { Notifier } from '../../resolvers/services/notifier.ts';
import type { Receive } from '../../resolvers/services/rail-event.ts';
import type { PixRail, Rails } from '../../resolvers/services/rails.ts';
import type { Sandbox } from '../../resolvers/services/sandbox.ts';
import type { Database } from '../../store/connection/database.ts';
import { advanceAheadMs, readDueTransactions } from '../../store/rails/sandbox.ts';
import type { Registry } from '../../templates/registry.ts';
import { sandboxChain } from './chain.ts';
import { sandboxClock } from './clock.ts';
import { sandboxIdentity, sandboxLiquidity, sandboxScreening } from './decisions.ts';
import { orderQueue, type RailParts } from './orders.ts';
import { type Outside, pspOutside } from './outside.ts';
import { sandboxPix } from './pix.ts';
import { plannedPix } from './planned-pix.ts';
import { begin } from './plans.ts';
import { sandboxRates } from './rates.ts';
import { play, possibleScenarios, SCENARIOS } from './scenarios.ts';

/** Dependencies of a sandbox. */
export interface SandboxParts {
  readonly database: Database;
  readonly registry: Registry;
  /** Notified of transactions with due work after the clock was moved forward. */
  readonly notifier: Notifier;
  /** Whether charges are paid and deposits made automatically, for demonstrations. */
  readonly isAuto: boolean;
  /** Number of this process's worker, which processes its own jobs first. */
  readonly worker: number | null;
  /** The engine, as a function because it is created after the sandbox's clock. */
  readonly advance: () => Advance;
  readonly receive: Receive;
  /** URL of the provider's control API, if PIX goes over the wire. */
  readonly pspControl?: string | undefined;
}

/** @returns the rails, the clock of the sandbox, and the functions that play the outside world. */
export function createSandbox(parts: SandboxParts): {
  readonly rails: Rails;
  readonly clock: Clock;
  readonly sandbox: Sandbox;
  /** Makes orders of a PIX rail over the wire fail as scenarios have planned. */
  readonly planned: (pix: PixRail) => PixRail;
} {
  const { database, isAuto, worker, pspControl } = parts;
  const clock = sandboxClock(database);
  const outside = pspControl === undefined ? undefined : pspOutside(pspControl, clock);
  const railParts: RailParts = { database, clock, submit: orderQueue(database, worker) };
  const rails: Rails = {
    pix: sandboxPix(railParts, isAuto),
    chain: sandboxChain(railParts, isAuto),
    rates: sandboxRates(clock),
    identity: sandboxIdentity(railParts),
    screening: sandboxScreening(railParts),
    liquidity: sandboxLiquidity(railParts),
  };
  const sandbox: Sandbox = {
    scenarios: SCENARIOS,
    possible: (row) => possibleScenarios(parts.registry, row),
    play: (row, scenario, options) => play({ ...parts, ...railParts, outside }, row, scenario, options),
    begin: (create) => begin(parts.registry, create),
    advanceClock: (byMs, atomic) => advanceClock(parts, outside, byMs, atomic),
  };
  const planned = (pix: PixRail) => (outside ? plannedPix(railParts, pix, outside) : pix);
  return { rails, clock, sandbox, planned };
}

async function advanceClock(
  { database, notifier }: SandboxParts,
  outside: Outside | undefined,
  byMs: number,
  atomic: Parameters<Sandbox['advanceClock']>[1],
): Promise<number> {
  const nowMs = await database.withTx(async (tx) => {
    const aheadMs = await advanceAheadMs(tx, byMs).catch((error: Error) => {
      if (!(error instanceof RangeError)) throw error;
      throw invalidParameters([{ parameter: 'advance', message: error.message }]);
    });
    const then = database.nowMs() + aheadMs;
    await atomic?.(tx, then);
    return then;
  });
  await outside?.follow();
  notifier.notifyMoved(await readDueTransactions(database, nowMs));
  return nowMs;
}

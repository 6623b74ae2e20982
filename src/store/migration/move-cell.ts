/**
 * Moves a cell to another server while it works (docs/decisions/0085-moving-a-cell.md). The records of the two schemas about
 * the cell are the only memory of a move, so the same call continues after a crash at any point: it reads the state and
 * completes the move.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  beginCopy,
  type CopyState,
  checkServers,
  copyState,
  differences,
  endPublication,
  endSubscription,
  hasCaughtUp,
  logEnd,
  openTarget,
  prepareTarget,
} from './cell-copy.ts';
import { awaitWriters, lowerFence, raiseFence, retire } from './cell-fence.ts';
import { type CellLocation, CellServer, MoveError } from './cell-server.ts';
import { migrate } from './migrate.ts';

/** Steps of a move, in their order. `copying` is reported repeatedly. */
export type MoveStep =
  | 'checked'
  | 'prepared'
  | 'copying'
  | 'copied'
  | 'fenced'
  | 'caught up'
  | 'compared'
  | 'switched'
  | 'finished';

/** A move. */
export interface Move {
  readonly code: string;
  readonly source: CellLocation;
  readonly target: CellLocation;
  /** URL of the source as the target reaches it. */
  readonly reachedAt: string;
  readonly onStep: (step: MoveStep, copy?: CopyState) => void;
}

/** Outcome of a move. */
export interface Moved {
  readonly code: string;
  /** Epoch of the cell in the target. */
  readonly epoch: bigint;
  /** Time without writes; null if an earlier run had already switched the move. Unit: ms. */
  readonly heldMs: number | null;
}

/** Both sides of a move. */
interface Sides {
  readonly source: CellServer;
  readonly target: CellServer;
}

const POLL_MS = 100;
/** The target may lag this much when the fence is raised; the remaining log is copied while writers wait. Unit: bytes. */
const BEHIND_MAX = 1_048_576;
/** Time for that rest; then the source serves again. Unit: ms. */
const CATCH_UP_MS = 60_000;
/** Lock in both schemas under which one move of a cell runs at a time. */
const MOVE_LOCK = 'select pg_try_advisory_lock(hashtext($1))';
/** Wait for it: the servers do the last statement of a killed command to its end. Unit: ms. */
const MOVE_LOCK_MS = 15_000;

/**
 * @returns once the cell works in the target and the source is retired.
 * @throws {MoveError} when it cannot be moved; the source serves then. @throws the driver's error when a server is lost
 * during the switch:
 *   run it again.
 */
export function moveCell(move: Move): Promise<Moved> {
  return onBoth(move, async (sides) => {
    const { source, target } = sides;
    if (await isSwitched(sides)) return finish(sides, move, null);
    await checkServers(source, target);
    const { state } = await ownCell(source, move.code, target.name);
    move.onStep('checked');
    // A fence without a copy is left from a move that was being given up.
    const isCopied = state === 'fenced' && (await copyState(source, target)) !== undefined;
    try {
      if (!isCopied) await copy(sides, move);
      await awaitWriters(source);
      const fencedAt = performance.now();
      await raiseFence(source, target.name);
      move.onStep('fenced');
      await settle(sides, move);
      await openTarget(source, target);
      const heldMs = isCopied ? null : Math.round(performance.now() - fencedAt);
      move.onStep('switched');
      return await finish(sides, move, heldMs);
    } catch (error) {
      await reactivateSource(sides, error);
      throw error;
    }
  });
}

/** Ends a move that has not switched: the source serves on. @throws {MoveError} when the cell works in the target already. */
export function abortMove(move: Omit<Move, 'onStep' | 'reachedAt'>): Promise<void> {
  return onBoth(move, async (sides) => {
    if (await isSwitched(sides))
      throw new MoveError('the cell works in the target already: move it back instead');
    await ownCell(sides.source, move.code, sides.target.name);
    await undo(sides);
  });
}

async function copy(
  { source, target }: Sides,
  { reachedAt, target: { url, schema }, onStep, code }: Move,
): Promise<void> {
  // An interrupted earlier move cannot be continued: the source may have changed in ways that are not replicated.
  await undo({ source, target });
  const cell = await source.cell();
  if (!cell || cell.code !== code) throw new MoveError(`the source is not cell ${code}`);
  await migrate(url, schema);
  await prepareTarget(target, cell, source.name);
  onStep('prepared');
  await beginCopy(source, target, reachedAt);
  for (;;) {
    const state = await copyState(source, target);
    if (!state) throw new MoveError('the subscription of the target is missing');
    onStep('copying', state);
    if (state.copied === state.tables && state.behind <= BEHIND_MAX) break;
    await sleep(POLL_MS);
  }
  onStep('copied');
}

/** Waits for the remaining log, and compares both sides, to which nothing writes. */
async function settle({ source, target }: Sides, { onStep }: Move): Promise<void> {
  const end = await logEnd(source);
  const untilMs = performance.now() + CATCH_UP_MS;
  while (!(await hasCaughtUp(source, target, end))) {
    if (performance.now() > untilMs) throw new MoveError('the target does not catch up with the source');
    await sleep(POLL_MS);
  }
  onStep('caught up');
  const found = await differences(source, target);
  if (found.length > 0) throw new MoveError(`the copy differs: ${found.join('; ')}`);
  onStep('compared');
}

async function finish(
  { source, target }: Sides,
  { code, onStep }: Move,
  heldMs: number | null,
): Promise<Moved> {
  await endPublication(source, () => sleep(POLL_MS));
  await retire(source);
  onStep('finished');
  const cell = await target.cell();
  return { code, epoch: cell?.epoch ?? 0n, heldMs };
}

/**
 * Makes the source serve again after a failure, unless the cell may already work in the target: then only the target can
 * decide.
 */
async function reactivateSource(sides: Sides, error: unknown): Promise<void> {
  if (!(await isSwitched(sides).catch(() => true))) await undo(sides).catch(() => {});
  else if (error instanceof Error)
    error.message += ' (the switch is not known to have failed: run the command again)';
}

async function undo({ source, target }: Sides): Promise<void> {
  // First the target: an unfinished copy would continue to fill it.
  await endSubscription(target);
  await lowerFence(source);
  await endPublication(source, () => sleep(POLL_MS));
}

/** @returns whether the cell works in the target: its epoch is past that of the source. */
async function isSwitched({ source, target }: Sides): Promise<boolean> {
  const [from, to] = [await source.cell(), await target.cell()];
  return to?.state === 'serving' && from?.code === to.code && to.epoch > (from?.epoch ?? 0n);
}

/** @throws {MoveError} unless the source is this cell, and works or is being moved to this target. */
async function ownCell(source: CellServer, code: string, target: string) {
  const cell = await source.cell();
  if (!cell || cell.code !== code)
    throw new MoveError(`${source.name} is ${cell ? `cell ${cell.code || 'first'}` : 'no cell'}`);
  if (cell.state === 'moved') throw new MoveError(`the cell was moved to ${cell.other}`);
  if (cell.state === 'arriving') throw new MoveError(`the cell is being moved here from ${cell.other}`);
  if (cell.state === 'fenced' && cell.other !== target)
    throw new MoveError(`the cell is being moved to ${cell.other}: finish or abort that move`);
  return cell;
}

async function onBoth<Result>(
  { source, target }: Pick<Move, 'source' | 'target'>,
  work: (sides: Sides) => Promise<Result>,
): Promise<Result> {
  const from = await CellServer.connect(source);
  try {
    await lockMove(from);
    const to = await CellServer.connect(target);
    try {
      await lockMove(to);
      return await work({ source: from, target: to });
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

/** Keeps other moves of the cell away until the connection ends. @throws {MoveError} when one is under way. */
async function lockMove(server: CellServer): Promise<void> {
  const untilMs = performance.now() + MOVE_LOCK_MS;
  // By the name in the settings: the target may not have the schema yet.
  const key = `crossramp cell move ${server.location.schema}`;
  while (!(await server.value<boolean>(MOVE_LOCK, [key]))) {
    if (performance.now() > untilMs) throw new MoveError('another command is moving this cell');
    await sleep(POLL_MS);
  }
}

/**
 * Moves a cell to another server while it works (docs/decisions/0085-moving-a-cell.md). The records of the two schemas
 * about the cell are the only memory of a move, so the same call continues after a crash: it reads the state and
 * completes the move.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  beginCopy,
  type CopyState,
  checkServers,
  copyState,
  endPublication,
  endSubscription,
  hasCaughtUp,
  linkName,
  logEnd,
  openTarget,
  prepareTarget,
} from './cell-copy.ts';
import { awaitWriters, type FenceOptions, lowerFence, raiseFence, retire } from './cell-fence.ts';
import { type CellLocation, CellServer, MoveError } from './cell-server.ts';
import { CellComparison } from './compare-cells.ts';
import type { Sides } from './compare-rows.ts';
import { migrate } from './migrate.ts';

/** Steps of a move, in their order. `copying` and `comparing` are reported repeatedly. */
export type MoveStep =
  | 'checked'
  | 'verified'
  | 'prepared'
  | 'copying'
  | 'copied'
  | 'comparing'
  | 'prechecked'
  | 'fenced'
  | 'caught up'
  | 'compared'
  | 'switched'
  | 'finished';

/** Progress of a step that is reported repeatedly. */
export type MoveProgress = CopyState | { readonly rows: number };

/** Verification of the books of both sides; defects as text. */
export interface MovedBooks {
  /** Verifies a side as a whole, while the cell works or is copied. */
  readonly verify: (side: 'source' | 'target') => Promise<readonly string[]>;
  /** Verifies what came to the target since the last verification there, or everything if there was none. */
  readonly verifyRest: () => Promise<readonly string[]>;
}

/** A move. */
export interface Move {
  readonly code: string;
  readonly source: CellLocation;
  readonly target: CellLocation;
  /** URL of the source, as reachable from the target. */
  readonly reachedAt: string;
  readonly books: MovedBooks;
  readonly onStep: (step: MoveStep, progress?: MoveProgress) => void;
  /** Called with each session of a stopped gateway that was ended. */
  readonly onEnded: FenceOptions['onEnded'];
}

/** Outcome of a move. */
export interface Moved {
  readonly code: string;
  /** Epoch of the cell in the target. */
  readonly epoch: bigint;
  /** Time without writes; null if an earlier run had already switched the move. Unit: ms. */
  readonly heldMs: number | null;
}

const POLL_MS = 100;
/**
 * Maximum lag of the target when the fence is raised; the rest of the log is copied while writers wait. Unit: bytes.
 */
const BEHIND_MAX = 1_048_576;
/** Time limit for that rest; after it the source serves again. Unit: ms. */
const CATCH_UP_MS = 60_000;
/** The same while the source serves. Unit: ms. */
const FOLLOW_MS = 600_000;
/** Lock in both schemas under which one move of a cell runs at a time. */
const MOVE_LOCK = 'select pg_try_advisory_lock(hashtext($1))';
/** Wait for that lock: the servers complete the last statement of a killed command. Unit: ms. */
const MOVE_LOCK_MS = 15_000;

/**
 * @returns a promise that resolves when the cell works in the target and the source is retired.
 * @throws {MoveError} when it cannot be moved; then the source serves. @throws the driver's error when a server is lost
 * during the switch; then run it again.
 */
export function moveCell(move: Move): Promise<Moved> {
  return onBoth(move, async (sides) => {
    const { source, target } = sides;
    if (await isSwitched(sides)) return finish(sides, move, null);
    await checkServers(source, target);
    const { state } = await ownCell(source, move.code, target.name);
    move.onStep('checked');
    // A fence without a copy remains from a move that was being given up.
    const isCopied = state === 'fenced' && (await copyState(source, target)) !== undefined;
    const comparison = newComparison(sides);
    try {
      if (!isCopied) await copyAndCheck(sides, move, comparison);
      await awaitWriters(source, move);
      if (!isCopied) await checkAgain(move, comparison);
      const fencedAt = performance.now();
      await raiseFence(source, target.name, move);
      move.onStep('fenced');
      await settle(sides, move, comparison);
      await openTarget(source, target);
      const heldMs = isCopied ? null : Math.round(performance.now() - fencedAt);
      move.onStep('switched');
      return await finish(sides, move, heldMs);
    } catch (error) {
      await reactivateSource(sides, move, error);
      throw error;
    }
  });
}

/** Ends a move that has not switched: the source serves on. @throws {MoveError} when the cell works in the target already. */
export function abortMove(move: Omit<Move, 'books' | 'onStep' | 'reachedAt'>): Promise<void> {
  return onBoth(move, async (sides) => {
    if (await isSwitched(sides))
      throw new MoveError('the cell works in the target already: move it back instead');
    await ownCell(sides.source, move.code, sides.target.name);
    await undo(sides, move);
  });
}

async function copy({ source, target }: Sides, move: Move): Promise<void> {
  const { reachedAt, target: to, onStep, code } = move;
  // An interrupted earlier move cannot be continued: the source may have changed in ways that are not replicated.
  await undo({ source, target }, move);
  const cell = await source.cell();
  if (!cell || cell.code !== code) throw new MoveError(`the source is not cell ${code}`);
  await migrate(to.url, to.schema);
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

/** Copies the cell, and checks both sides while the source serves. @throws {MoveError} when one has a defect, or they differ. */
async function copyAndCheck(sides: Sides, move: Move, comparison: CellComparison): Promise<void> {
  const { books, onStep } = move;
  refuseDefects('the source', await books.verify('source'));
  onStep('verified');
  await copy(sides, move);
  refuseDefects('the copy', await books.verify('target'));
  await comparison.ahead((rows) => onStep('comparing', { rows }));
  await checkAgain(move, comparison);
  onStep('prechecked');
}

/** Checks what has come since the last check. @throws {MoveError} as above. */
async function checkAgain({ books }: Move, comparison: CellComparison): Promise<void> {
  await comparison.follow();
  refuseDefects('the copy', await books.verifyRest());
}

/** Waits for the remaining log, and checks the rest of both sides, to which nothing writes. */
async function settle(sides: Sides, { books, onStep }: Move, comparison: CellComparison): Promise<void> {
  const end = await logEnd(sides.source);
  await untilCaughtUp(sides, end, CATCH_UP_MS);
  onStep('caught up');
  await comparison.settle(end);
  refuseDefects('the copy', await books.verifyRest());
  onStep('compared');
}

function newComparison(sides: Sides): CellComparison {
  return new CellComparison(sides, {
    publication: linkName(sides.source),
    end: () => logEnd(sides.source),
    reached: (position) => untilCaughtUp(sides, position, FOLLOW_MS),
  });
}

/** Waits until the target has the log up to a position. @throws {MoveError} when it does not get there in time. */
async function untilCaughtUp({ source, target }: Sides, position: string, limitMs: number): Promise<void> {
  const untilMs = performance.now() + limitMs;
  while (!(await hasCaughtUp(source, target, position))) {
    if (performance.now() > untilMs) throw new MoveError('the target does not catch up with the source');
    await sleep(POLL_MS);
  }
}

function refuseDefects(side: string, defects: readonly string[]): void {
  const [first] = defects;
  if (first !== undefined)
    throw new MoveError(`the books of ${side} have defects: ${defects.length}, the first: ${first}`);
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

/** Makes the source serve again after a failure, unless the cell may already work in the target, which then decides. */
async function reactivateSource(sides: Sides, fence: FenceOptions, error: unknown): Promise<void> {
  if (!(await isSwitched(sides).catch(() => true))) await undo(sides, fence).catch(() => {});
  else if (error instanceof Error)
    error.message += ' (the switch is not known to have failed: run the command again)';
}

async function undo({ source, target }: Sides, { onEnded }: FenceOptions): Promise<void> {
  // The target comes first, because an unfinished copy would continue to fill it.
  await endSubscription(target);
  await lowerFence(source, { onEnded });
  await endPublication(source, () => sleep(POLL_MS));
}

/** @returns whether the cell works in the target: its epoch is higher than that of the source. */
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

/** Excludes other moves of the cell until the connection ends. @throws {MoveError} when another move is under way. */
async function lockMove(server: CellServer): Promise<void> {
  const untilMs = performance.now() + MOVE_LOCK_MS;
  // The cell is found by its name in the settings, because the target may not have the schema yet.
  const key = `crossramp cell move ${server.location.schema}`;
  while (!(await server.value<boolean>(MOVE_LOCK, [key]))) {
    if (performance.now() > untilMs) throw new MoveError('another command is moving this cell');
    await sleep(POLL_MS);
  }
}

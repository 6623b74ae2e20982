/** `crossramp cell move`. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { CELL_FORM, cellName, FIRST_CELL_NAME } from '../base/ids/cell.ts';
import { writingUrl } from '../compose/open-store.ts';
import { ConfigError } from '../config.ts';
import type { CopyState } from '../store/migration/cell-copy.ts';
import { abortMove, type Move, type Moved, type MoveStep, moveCell } from '../store/migration/move-cell.ts';
import { describeHolder } from '../store/migration/table-holders.ts';
import { openMovedBooks } from './cell-books.ts';
import { codeOf, locationOf } from './cell-location.ts';
import { answer, jsonOption, progressWriter } from './output.ts';
import { cellSettings } from './with-store.ts';

interface MoveOptions {
  readonly toFile: string;
  readonly toSchema?: string;
  readonly reachedAtFile?: string;
  readonly abort?: boolean;
  readonly json?: boolean;
}

/** Adds `cell move`. */
export function addMove(cell: Command): void {
  cell
    .command('move')
    .description(
      'Moves a cell to another server while it works; writes wait for its last moments. Run the same command again after a failure at any point.',
    )
    .argument('<code>', `${CELL_FORM}, or ${FIRST_CELL_NAME}`, codeOf)
    .requiredOption(
      '--to-file <file>',
      'file with the URL of the target database for its owner, which holds a password',
    )
    .option('--to-schema <name>', 'schema there; by default that of the source')
    .option(
      '--reached-at-file <file>',
      'file with the URL by which the target reaches the source, where it differs',
    )
    .option('--abort', 'give up a move that has not switched: the source serves on')
    .addOption(jsonOption())
    .action(async (code: string, options: MoveOptions) => {
      const source = await locationOf(cellSettings(code));
      const target = {
        url: await writingUrl(urlIn(options.toFile)),
        schema: options.toSchema ?? source.schema,
      };
      if (options.abort) {
        await abortMove({ code, source, target, onEnded: onEnded(options) });
        return answer(
          options,
          { cell: cellName(code), aborted: true },
          `cell ${cellName(code)} stays where it is`,
        );
      }
      const moved = await followMove(options, { code, source, target });
      answer(options, { ...moved, code: cellName(code), epoch: String(moved.epoch) }, movedText(moved));
    });
}

async function followMove(
  options: MoveOptions,
  move: Omit<Move, 'books' | 'onStep' | 'onEnded' | 'reachedAt'>,
): Promise<Moved> {
  // A writer for each, so that the first report of a step is never skipped.
  const verifying = progressWriter<{ step: 'verifying'; lines: number }>(
    options,
    ({ step, lines }) => `${step}: ${lines} ledger lines`,
  );
  const copying = progressWriter<{ step: MoveStep } & CopyState>(
    options,
    ({ step, copied, tables, behind }) => `${step}: ${copied} of ${tables} tables, ${behind} bytes behind`,
  );
  const comparing = progressWriter<{ step: MoveStep; rows: number }>(
    options,
    ({ step, rows }) => `${step}: ${rows} rows`,
  );
  const reachedAt = options.reachedAtFile ? urlIn(options.reachedAtFile) : move.source.url;
  const books = openMovedBooks(move, (lines) => verifying.report({ step: 'verifying', lines }));
  try {
    return await moveCell({
      ...move,
      reachedAt,
      books,
      onEnded: onEnded(options),
      onStep: (step, done) => {
        if (done === undefined)
          process.stderr.write(options.json ? `${JSON.stringify({ progress: { step } })}\n` : `${step}\n`);
        else if ('rows' in done) comparing.report({ step, ...done });
        else copying.report({ step, ...done });
      },
    });
  } finally {
    for (const each of [verifying, copying, comparing]) each.end();
    await books.close();
  }
}

/** @returns a function that reports each ended session on standard error. */
function onEnded({ json }: Pick<MoveOptions, 'json'>): Move['onEnded'] {
  return (holder) => {
    const { pid, age } = holder;
    const line = json
      ? JSON.stringify({ progress: { step: 'ended a stopped session', pid, age } })
      : `ended a stopped session: ${describeHolder(holder)}`;
    process.stderr.write(`${line}\n`);
  };
}

function movedText({ code, epoch, heldMs }: Moved): string {
  const held = heldMs === null ? '' : `; writes waited for ${heldMs} ms`;
  return `cell ${cellName(code)} works in its new place since epoch ${epoch}${held}; name that database in the settings of its gateways`;
}

function urlIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new ConfigError(`cannot read ${file} (${(error as NodeJS.ErrnoException).code})`);
  }
}

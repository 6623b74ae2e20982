/** Output of commands: text for people, or one JSON value with `--json`. */

import { type Command, Option } from 'commander';
import { typedCurrency } from '../base/money/currency.ts';
import { EXIT } from '../server/process/command-line.ts';

/** The option `--json`, which every command has. */
export const jsonOption = (text = 'answer with one JSON value') => new Option('--json', text);

/** The option of commands that show payers. */
export const revealOption = () =>
  new Option('--reveal', 'show full tax ids of payers; by default most of their digits are stars');

/** Help text of `--events`. */
export const EVENTS_HELP =
  'only these event names, separated by commas; * stands for any part, as in onramp.*.paid, and at the end for all that follows, as in onramp.*';

/** The option `--account` of commands that only read; default: the sandbox account. */
export const readAccountOption = () =>
  new Option('--account <id>', 'id of the account, or "sandbox"').default('sandbox');

/** Adds the options of commands over all accounts of a mode: `--account` only names the mode. */
export function withMode(command: Command): Command {
  const account = new Option(
    '--account <id>',
    'chooses sandbox or live by one of its accounts, an id or "sandbox"; works on all accounts of that mode',
  ).default('sandbox');
  return command.addOption(account).addOption(platformOption().conflicts('account'));
}

/** The option `--live` alone. */
export const platformOption = () => new Option('--live', 'work on live accounts (default: sandbox accounts)');

/** Help text of `--live` next to an `--account` that may be the platform. */
export const LIVE_HOLDER = 'with --account platform: the platform of live accounts';

/** Adds the options of an amount that is booked once under a key. */
export function withAmount(command: Command): Command {
  return command
    .requiredOption(
      '--currency <code>',
      'raw code, display name, or an asset that exists on one network only',
      typedCurrency,
    )
    .requiredOption('--amount <decimal>', 'above zero, with no more decimals than the currency has')
    .option('--idempotency-key <key>', 'the same command with the same key books once; kept for 24 hours');
}

/** Writes the answer to standard output. */
export function answer(options: { json?: boolean }, value: unknown, text: string): void {
  answerText(options, () => JSON.stringify(value), text);
}

/** Writes JSON text to standard output, so that numbers keep all digits. */
export function answerText(options: { json?: boolean }, json: () => string, text: string): void {
  process.stdout.write(`${options.json ? json() : text}\n`);
}

/** The reader has closed the output, as `| head` does. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed';
}

/** Error codes of writes to a closed pipe: the first, then later ones. */
const CLOSED = ['EPIPE', 'ERR_STREAM_DESTROYED'];

/**
 * Writes a part of a long or endless output, and waits until it is written.
 * @throws {OutputClosed} when the reader has closed the output, so that the command ends its work in order.
 */
export function writePart(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => {
      if (!error) resolve();
      else reject(CLOSED.includes((error as NodeJS.ErrnoException).code ?? '') ? new OutputClosed() : error);
    });
  });
}

/**
 * After this call a failed write of the output no longer ends the process: a command may be in the middle of a commit,
 * or have a database to close. A command whose answer was lost, as on a full disk, fails at its end; a reader that
 * closed the output needs no answer.
 */
export function outliveLostOutput(): void {
  process.stderr.on('error', () => {});
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (CLOSED.includes(error.code ?? '')) return;
    process.exitCode = EXIT.failed;
    process.stderr.write(`crossramp: the answer could not be written: ${error.message}\n`);
  });
}

/** Waits until everything that was written to standard output is read, or can no longer be read. */
export function flushOutput(): Promise<void> {
  return new Promise((resolve) => process.stdout.write('', () => resolve()));
}

/**
 * @param rows - the first is the heading.
 * @param right - columns that are aligned to the right, counted from 0.
 * @returns the rows in columns, two spaces apart.
 */
export function table(rows: readonly (readonly string[])[], right: readonly number[] = []): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => (row[at] ?? '').length)));
  const cell = (text: string, at: number) =>
    right.includes(at) ? text.padStart(widths[at] ?? 0) : text.padEnd(widths[at] ?? 0);
  return rows.map((row) => row.map(cell).join('  ').trimEnd()).join('\n');
}

/** Shows the progress of a command on standard error. */
export interface ProgressWriter<Progress> {
  readonly report: (progress: Progress) => void;
  /** Removes the last line from a terminal. */
  readonly end: () => void;
}

/** Minimum time between two lines of progress. Unit: ms. */
const PROGRESS_EVERY_MS = 250;

/**
 * @returns a writer of one changing line, if standard error is a terminal; of JSON lines `{"progress": …}` with
 * `--json`; otherwise of nothing. Skips lines that follow the previous line too soon.
 */
export function progressWriter<Progress>(
  options: { json?: boolean },
  textOf: (progress: Progress) => string,
): ProgressWriter<Progress> {
  const { stderr } = process;
  const write = options.json
    ? (progress: Progress) => stderr.write(`${JSON.stringify({ progress })}\n`)
    : (progress: Progress) => stderr.write(`\r\u001b[K${textOf(progress)}`);
  const isShown = options.json || stderr.isTTY;
  let lastMs = Number.NEGATIVE_INFINITY;
  return {
    report: (progress) => {
      if (!isShown || performance.now() - lastMs < PROGRESS_EVERY_MS) return;
      lastMs = performance.now();
      write(progress);
    },
    end: () => {
      if (stderr.isTTY && !options.json && lastMs > 0) stderr.write('\r\u001b[K');
    },
  };
}

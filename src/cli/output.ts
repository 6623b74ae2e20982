/** Output of commands: text for people, or one JSON value with `--json`. */
import { Option } from 'commander';
import { findAccount, platformAccount } from '../store/account/accounts.ts';
import { StoreError } from '../store/check-server.ts';
import type { Database } from '../store/database.ts';

/** The option that every command has. */
export const jsonOption = (text = 'answer with one JSON value') => new Option('--json', text);

/** The option of commands that show who paid. */
export const revealOption = () =>
  new Option('--reveal', 'show full tax ids of payers; by default most of their digits are stars');

/** Help text of `--events`. */
export const EVENTS_HELP =
  'only these event names, separated by commas; * stands for any part, as in onramp.*.paid, and at the end for all that follows, as in onramp.*';

/** The option `--account` of commands that only read; default: the sandbox account. */
export const readAccountOption = () =>
  new Option('--account <id>', 'id of the account, or "sandbox"').default('sandbox');

/** The option `--account` of commands over all accounts of a mode: it only names the mode. */
export const modeAccountOption = () =>
  new Option(
    '--account <id>',
    'chooses sandbox or live by one of its accounts, an id or "sandbox"; works on all accounts of that mode',
  ).default('sandbox');

/** The option beside it that names the mode by itself. */
export const liveOption = () =>
  new Option('--live', 'work on live accounts (default: sandbox accounts)').conflicts('account');

/** Writes the answer to standard output. */
export function answer(options: { json?: boolean }, value: unknown, text: string): void {
  answerText(options, () => JSON.stringify(value), text);
}

/** The same with JSON text, so that numbers keep all digits. */
export function answerText(options: { json?: boolean }, json: () => string, text: string): void {
  process.stdout.write(`${options.json ? json() : text}\n`);
}

/** Nobody reads the output any more, as after `| head`. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed';
}

/** What a stream says of a write to nobody: the first one, and those that follow. */
const CLOSED = ['EPIPE', 'ERR_STREAM_DESTROYED'];

/**
 * Writes a part of an output that is long or has no end, and waits until it is written.
 *
 * @throws {OutputClosed} when nobody reads it, so that the command ends what it does in order.
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
 * From now on the process does not end where it stands when nobody reads what it says: a command may be in the middle of a
 * commit, or have a database to close.
 */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
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
  readonly tell: (progress: Progress) => void;
  /** Removes the last line from a terminal. */
  readonly end: () => void;
}

/** Minimum time between two lines of progress. Unit: ms. */
const PROGRESS_EVERY_MS = 250;

/**
 * @returns a writer of one line that changes, where standard error is a terminal; of JSON lines `{"progress": …}` with
 *   `--json`; else of nothing. It leaves out what comes too soon after the line before.
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
  let lastMs = 0;
  return {
    tell: (progress) => {
      if (!isShown || Date.now() - lastMs < PROGRESS_EVERY_MS) return;
      lastMs = Date.now();
      write(progress);
    },
    end: () => {
      if (stderr.isTTY && !options.json && lastMs > 0) stderr.write('\r\u001b[K');
    },
  };
}

/**
 * @param named - an account's id, or `sandbox`.
 * @throws {StoreError} when there is no such account.
 */
export async function accountNamed(database: Database, named: string): Promise<bigint> {
  const id = await findAccount(database, named);
  if (id === undefined) throw new StoreError(`there is no account ${named}`);
  return id;
}

/** @returns the account with this id or handle; `platform` is the one that the operator's keys belong to, one for each mode. */
export function accountOrPlatform(
  database: Database,
  { account, live }: { readonly account: string; readonly live?: boolean },
): Promise<bigint> {
  if (account === 'platform') return platformAccount(database, live ? 'live' : 'sandbox');
  return accountNamed(database, account);
}

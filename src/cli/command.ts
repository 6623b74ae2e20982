/**
 * Builds commands: the options, the account that they name, the use case that runs as the operator, and the output of
 * its result: as text or, with `--json`, as one JSON value.
 */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Context } from '../resolvers/services/context.ts';
import { answer, jsonOption, table } from './output.ts';
import { type AccountOptions, asOperator } from './with-store.ts';

/** Opens the resource that a command works on, and runs the work there. */
type Opening<Source> = <Found>(
  options: AccountOptions,
  work: (source: Source) => Promise<Found>,
) => Promise<Found>;

/** A use case with the way its result is printed. `names`: arguments of the command. */
export interface Use<Options, Result, Source = Context> {
  /** Default: as the operator, on the account of `--account` or on the platform of the mode. */
  readonly on?: Opening<Source>;
  readonly run: (source: Source, options: Options, ...names: string[]) => Promise<Result>;
  /** Default: the unchanged result. */
  readonly json?: (result: Result, options: Options, ...names: string[]) => unknown;
  readonly text: (result: Result, options: Options, ...names: string[]) => string;
}

/** Gives a command its last option, `--json`, and its use case. */
export function uses<Options, Result, Source = Context>(
  command: Command,
  { on = asOperator as unknown as Opening<Source>, run, json, text }: Use<Options, Result, Source>,
): void {
  // Commander gives the arguments, then the options and the command.
  command.addOption(jsonOption()).action(async (...args: unknown[]) => {
    const options = args.at(-2) as Options & AccountOptions & { readonly json?: boolean };
    const names = args.slice(0, -2) as string[];
    const result = await on(options, (source) => run(source, options, ...names));
    answer(options, json ? json(result, options, ...names) : result, text(result, options, ...names));
  });
}

/** Columns of a table by their headings: a member of the row that `--json` prints, or its text. */
export type Columns<Shown> = Readonly<Record<string, (keyof Shown & string) | ((shown: Shown) => string)>>;

/** A list with its printed form. */
export interface Listing<Options, Row, Shown, Source = Context> {
  readonly on?: Opening<Source>;
  readonly run: (source: Source, options: Options, ...names: string[]) => Promise<readonly Row[]>;
  /** @returns a row as `--json` prints it. */
  readonly row: (row: Row, options: Options) => Shown;
  readonly columns: Columns<Shown>;
  /** Headings of columns that are aligned to the right. */
  readonly right?: readonly string[];
  /** Text of an empty list. */
  readonly none: string;
}

/** Gives a command its last option, `--json`, and the list that it prints. */
export function lists<Options, Row, Shown, Source = Context>(
  command: Command,
  { on, run, row, columns, right, none }: Listing<Options, Row, Shown, Source>,
): void {
  uses<Options, readonly Shown[], Source>(command, {
    ...(on && { on }),
    run: async (source, options, ...names) =>
      (await run(source, options, ...names)).map((each) => row(each, options)),
    text: (shown) => (shown.length === 0 ? none : columnsText(shown, columns, right)),
  });
}

/** @returns rows as a table with a heading; null and false are empty cells, true is "yes". */
export function columnsText<Shown>(
  rows: readonly Shown[],
  columns: Columns<Shown>,
  right: readonly string[] = [],
): string {
  const headings = Object.keys(columns);
  const cells = Object.values(columns).map((column) => (row: Shown) => {
    const value = typeof column === 'function' ? column(row) : row[column];
    return value === true ? 'yes' : String(value || value === 0 ? value : '');
  });
  const lines = rows.map((row) => cells.map((cell) => cell(row)));
  return table(
    [headings, ...lines],
    right.map((heading) => headings.indexOf(heading)),
  );
}

/**
 * The option `--limit`.
 *
 * @param what - plural name of the counted things.
 */
export function limitOption(what: string, max: number, byDefault: number): Option {
  const parse = (text: string) => {
    const limit = Number(text);
    if (Number.isInteger(limit) && limit >= 1 && limit <= max) return limit;
    throw new InvalidArgumentError(`Expected a whole number from 1 to ${max}.`);
  };
  return new Option('--limit <number>', `number of ${what} to show, 1 to ${max}`)
    .argParser(parse)
    .default(byDefault);
}

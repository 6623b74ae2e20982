/** What a program has measured, in one form for all: goals, then tables. It is printed as Markdown, and kept for RESULTS.md. */
import { writeFileSync } from 'node:fs';
import { table } from './table.ts';

/** A goal and what became of it. */
export interface Goal {
  /** Number of the issue that set it; 0 for one that this folder set itself. */
  readonly issue: number;
  readonly what: string;
  readonly goal: string;
  readonly measured: string;
  readonly isMet: boolean;
  /** Whether something is counted, which a short run tells as well as a long one. */
  readonly isCount?: boolean;
}

/** A table: the first two columns are text, the others numbers. */
export interface Section {
  readonly title: string;
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** What has to be known to read it. */
  readonly note?: string;
}

/** What a program has measured. */
export interface Report {
  readonly goals: readonly Goal[];
  readonly sections: readonly Section[];
}

const GOAL_HEADINGS = ['What', 'Goal', 'Measured', 'Met'];

/** @returns a goal that is met by a value of at most, or of at least, so much. */
export function goal(
  issue: number,
  what: string,
  bound: { readonly most: number } | { readonly least: number },
  value: number,
  show: (value: number) => string = String,
): Goal {
  const isMost = 'most' in bound;
  const limit = isMost ? bound.most : bound.least;
  return {
    issue,
    what,
    goal: `${isMost ? '≤' : '≥'} ${limit.toLocaleString('en-US')}`,
    measured: show(value),
    isMet: isMost ? value <= limit : value >= limit,
  };
}

/** @returns the goals as a table. */
export function goalsTable(goals: readonly Goal[]): string {
  const rows = goals.map(({ what, goal: wanted, measured, isMet }) => [
    what,
    wanted,
    measured,
    isMet ? 'yes' : '**no**',
  ]);
  return table(GOAL_HEADINGS, rows);
}

/** @returns a section as Markdown, under a heading of this level. */
export function sectionText({ title, headings, rows, note }: Section, level: number): string {
  const parts = [`${'#'.repeat(level)} ${title}`, ...(note ? [note] : []), table(headings, rows)];
  return parts.join('\n\n');
}

/**
 * Prints a report, or keeps it where `BENCH_REPORT` says, for the program that prints all.
 *
 * @param isChecked - whether a missed goal ends the program with status 1.
 */
export function publish(report: Report, isChecked: boolean): void {
  const { BENCH_REPORT } = process.env;
  if (BENCH_REPORT) writeFileSync(BENCH_REPORT, JSON.stringify(report));
  else {
    if (report.goals.length > 0) console.log(`\n${goalsTable(report.goals)}`);
    for (const section of report.sections) console.log(`\n${sectionText(section, 4)}`);
  }
  if (isChecked && report.goals.some(({ isMet }) => !isMet)) process.exitCode = 1;
}

/** Brasília days, for limits (C-21) and the close of the books, by the time zone database with its past summer times. */

/** Created when it is first needed, because it reads the time zone database: 30 ms of CPU. */
let calendar: Intl.DateTimeFormat | undefined;
const HOUR_MS = 3_600_000;

/** @returns the day in Brasília time, `YYYY-MM-DD`, of a time in milliseconds since 1970. */
export function brasiliaDay(ms: number): string {
  calendar ??= new Intl.DateTimeFormat('en-CA', {
    timeZone: 'America/Sao_Paulo',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return calendar.format(ms);
}

/**
 * @returns the start of a day in Brasília time, milliseconds since 1970. Brasília was two to five hours behind UTC in
 * the past, and is three now.
 */
export function brasiliaMidnight(day: string): number {
  const midnightUtc = Date.parse(`${day}T00:00:00Z`);
  const hours = [2, 3, 4, 5].find((each) => {
    const ms = midnightUtc + each * HOUR_MS;
    return brasiliaDay(ms) === day && brasiliaDay(ms - 1) !== day;
  });
  return midnightUtc + (hours ?? 3) * HOUR_MS;
}

/** @returns the day that is the given number of days later. */
export function dayAfter(day: string, days = 1): string {
  const then = new Date(`${day}T00:00:00Z`);
  then.setUTCDate(then.getUTCDate() + days);
  return then.toISOString().slice(0, 10);
}

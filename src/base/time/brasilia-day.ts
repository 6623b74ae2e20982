/** Days in Brasília, on which limits are counted (C-21) and books are closed: those of the time zone database, which knows of past summer times. */

/** Made when it is first needed, because it reads the time zone database: 30 ms of CPU. */
let calendar: Intl.DateTimeFormat | undefined;
const HOUR_MS = 3_600_000;

/** @returns the day in Brasília, `YYYY-MM-DD`, in which this moment lies; milliseconds since 1970. */
export function brasiliaDay(ms: number): string {
  calendar ??= new Intl.DateTimeFormat('en-CA', {
    timeZone: 'America/Sao_Paulo',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return calendar.format(ms);
}

/** @returns the moment at which a day in Brasília begins; milliseconds since 1970. Its clocks were two to five hours behind UTC, and are three. */
export function brasiliaMidnight(day: string): number {
  const midnightUtc = Date.parse(`${day}T00:00:00Z`);
  const hours = [2, 3, 4, 5].find((each) => {
    const ms = midnightUtc + each * HOUR_MS;
    return brasiliaDay(ms) === day && brasiliaDay(ms - 1) !== day;
  });
  return midnightUtc + (hours ?? 3) * HOUR_MS;
}

/** @returns the day after it, or so many days after it. */
export function dayAfter(day: string, days = 1): string {
  const then = new Date(`${day}T00:00:00Z`);
  then.setUTCDate(then.getUTCDate() + days);
  return then.toISOString().slice(0, 10);
}

/** Days in Brasília, on which limits are counted (C-21): those of the time zone database, which knows of past summer times. */

const CALENDAR = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'America/Sao_Paulo',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});

/** @returns the day in Brasília, `YYYY-MM-DD`, in which this moment lies; milliseconds since 1970. */
export function brasiliaDay(ms: number): string {
  return CALENDAR.format(ms);
}

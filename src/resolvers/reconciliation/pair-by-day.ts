/**
 * Pairs nameless entries with lines of the ledger, by amount and day: the same day first, then the day before or after. An
 * entry gives up a line of its own day only if both then find a match: otherwise a line missing on one day could match one
 * missing many days later.
 */
import { dayAfter } from '../../base/time/brasilia-day.ts';

/** Money on a day. */
export interface OfDay {
  /** Amount, direction and currency. */
  readonly money: string;
  /** `YYYY-MM-DD`. */
  readonly day: string;
}

/**
 * @param entries - oldest first; so are the lines.
 * @returns the line of each entry that has one; no line twice.
 */
export function pairByDay<Entry extends OfDay, Line extends OfDay>(
  entries: readonly Entry[],
  lines: readonly Line[],
): ReadonlyMap<Entry, Line> {
  const free = Map.groupBy(lines, (line) => amountAndDay(line));
  const at = (entry: Entry, days: number) => free.get(amountAndDay(entry, days)) ?? [];
  const pairs = new Map<Entry, Line>();
  const pair = (entry: Entry, line: Line | undefined): boolean => {
    if (line) pairs.set(entry, line);
    return line !== undefined;
  };
  // A bank that has the evening's payments a day later leaves the last lines of a day to the next.
  const others = entries.filter((entry) => !pair(entry, at(entry, 0).shift()));
  const atHome = Map.groupBy(pairs.keys(), (entry) => amountAndDay(entry));
  const alone = others.filter((entry) => !pair(entry, at(entry, -1).pop() ?? at(entry, 1).shift()));
  for (const entry of alone) {
    const step = [-1, 1].find(
      (days) => at(entry, 2 * days).length > 0 && atHome.get(amountAndDay(entry, days))?.length,
    );
    const giver = step && atHome.get(amountAndDay(entry, step))?.pop();
    if (!giver) continue;
    pair(entry, pairs.get(giver));
    pair(giver, at(entry, 2 * step).shift());
  }
  return pairs;
}

/**
 * Pairs money with manual bookings about it: the first of the same amount, on its day or up to some days later.
 *
 * @param entries - oldest first; so are the lines.
 * @returns the line of each entry that has one; no line twice.
 */
export function pairWithin<Entry extends OfDay, Line extends OfDay>(
  entries: readonly Entry[],
  lines: readonly Line[],
  days: number,
): ReadonlyMap<Entry, Line> {
  const free = Map.groupBy(lines, ({ money }) => money);
  const pairs = new Map<Entry, Line>();
  for (const entry of entries) {
    const left = free.get(entry.money) ?? [];
    // Lines before this entry precede all later entries.
    while (left[0] && left[0].day < entry.day) left.shift();
    const [line] = left;
    if (!line || line.day > dayAfter(entry.day, days)) continue;
    pairs.set(entry, line);
    left.shift();
  }
  return pairs;
}

function amountAndDay({ money, day }: OfDay, days = 0): string {
  return `${money} ${dayAfter(day, days)}`;
}

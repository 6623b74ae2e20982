/** Numbers and tables as they are printed: Markdown, so that they can stand in README.md as they are. */

/** @returns the middle value; of an even number of values the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = 0, high = 0] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}

/** @returns a whole number with thousands apart. */
export function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** @returns a ratio to three digits. */
export function ratio(value: number): string {
  return value >= 100 ? count(value) : value.toPrecision(3);
}

/** @returns a Markdown table; the first two columns are text, the others numbers. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = headings.map((_heading, index) => (index < 2 ? '---' : '---:'));
  return [line(headings), line(rule), ...rows.map(line)].join('\n');
}

/** Pieces of Markdown of which the references are made. */

/** @returns a name or value as code. */
export function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``;
}

/** @returns a text that may stand in a table. */
export function cell(text: string | null | undefined): string {
  return (text ?? '').replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ');
}

/** @returns a table, or nothing where it would have no rows. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line), ''].join('\n');
}

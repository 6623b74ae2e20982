/** `/errors/<CODE>`: target of a problem's `type`, from docs/errors.md. */
import { readFileSync } from 'node:fs';

/** @returns the explanation of each code, as Markdown text. */
export function errorPages(): ReadonlyMap<string, string> {
  const document = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
  const sections = document.split(/^## /m).slice(1);
  return new Map(sections.map((section) => [section.slice(0, section.indexOf('\n')).trim(), `# ${section}`]));
}

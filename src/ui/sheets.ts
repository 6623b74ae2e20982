/** The style sheets, joined by user: payment pages include theirs in the page, the console links a file. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A style sheet of `styles/`. `needs` is the last member. */
export type SheetName = 'base' | 'parts' | 'pay' | 'lists' | 'desk' | 'docs' | 'needs';

/** @returns style sheets as one text, without comments and unneeded spaces. */
export function sheet(...names: readonly SheetName[]): string {
  return names
    .map((name) => readFileSync(new URL(`styles/${name}.css`, import.meta.url), 'utf8'))
    .join('')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
    .replace(/: /g, ':')
    .replace(/;\}/g, '}')
    .trim();
}

/** @returns a file name that changes with its content, so that it can be cached for ever. */
export function digestOf(content: string): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 12);
}

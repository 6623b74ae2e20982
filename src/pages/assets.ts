/** What pages are made of besides HTML: one style, and one script, which the browser is given as it was written. */
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { PAY_PATH } from '../resolvers/payer/pay-links.ts';
import { digestOf } from '../ui/sheets.ts';

/** The style of every page. */
export const STYLE = read('style.css').replace(/\/\*[\s\S]*?\*\/|\n\s*/g, '');
/** The script of the pages: TypeScript without its types is JavaScript. */
export const ISLAND = stripTypeScriptTypes(read('island/island.ts'));
/** Its path, which changes with its content, so that it can be kept for ever. */
export const ISLAND_PATH = `${PAY_PATH}/island-${digestOf(ISLAND)}.js`;

function read(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}

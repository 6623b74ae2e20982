/** Assets of pages other than HTML: one style sheet, and one script, which the browser gets unbundled. */
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { PAY_PATH } from '../base/pages/pay-links.ts';
import { digestOf, sheet } from '../ui/sheets.ts';

/** The style of every page. */
export const STYLE = sheet('base', 'parts', 'pay', 'needs');
/** The script of the pages: TypeScript without its types is JavaScript. */
export const ISLAND = stripTypeScriptTypes(
  readFileSync(new URL('island/island.ts', import.meta.url), 'utf8'),
);
/** Path of the script, which changes with its content so that it can be cached for ever. */
export const ISLAND_PATH = `${PAY_PATH}/island-${digestOf(ISLAND)}.js`;

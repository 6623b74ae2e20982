/** What the pages of the console are made of besides HTML: one style sheet and one script, each under a name that changes with it. */
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { CONSOLE_PATH } from '../base/console-url.ts';
import { digestOf, sheet } from '../ui/sheets.ts';

/** A file that browsers keep for ever. */
export interface Asset {
  readonly path: string;
  readonly type: string;
  readonly body: string;
}

/** The style of every page. */
export const STYLE = asset(
  'css',
  'text/css; charset=utf-8',
  sheet('base', 'parts', 'lists', 'desk', 'needs') + read('console.css').replace(/\s+/g, ' '),
);
/** The script of every page, in two parts: TypeScript without its types is JavaScript. */
export const ISLAND = asset(
  'js',
  'text/javascript; charset=utf-8',
  stripTypeScriptTypes(read('island/island.ts') + read('island/live.ts')),
);
/** Both. */
export const ASSETS: readonly Asset[] = [STYLE, ISLAND];

function asset(ending: string, type: string, body: string): Asset {
  return { path: `${CONSOLE_PATH}/assets/console-${digestOf(body)}.${ending}`, type, body };
}

function read(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}

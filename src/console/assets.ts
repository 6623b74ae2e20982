/** Assets of the console other than HTML: one style sheet and one script, each under a name that changes with its content. */
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { CONSOLE_PATH } from '../base/pages/console-url.ts';
import { digestOf, sheet } from '../ui/sheets.ts';

/** A file that browsers cache for ever. */
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
/** The script of every page: TypeScript without its types is JavaScript. */
export const ISLAND = asset(
  'js',
  'text/javascript; charset=utf-8',
  stripTypeScriptTypes(['page-data', 'over', 'live', 'island'].map(partOf).join('\n')),
);
/** Both. */
export const ASSETS: readonly Asset[] = [STYLE, ISLAND];

function asset(ending: string, type: string, body: string): Asset {
  return { path: `${CONSOLE_PATH}/assets/console-${digestOf(body)}.${ending}`, type, body };
}

/** A file of the script without its imports and exports: the files are joined, in the order of their dependencies. */
function partOf(name: string): string {
  return read(`island/${name}.ts`)
    .replace(/^import [^;]*;\n/gm, '')
    .replace(/^export /gm, '');
}

function read(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}

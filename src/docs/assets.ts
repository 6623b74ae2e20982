/** The style of the documents, and its path, which changes with its content. */
import { digestOf, sheet } from '../ui/sheets.ts';
import { DOCS_PATH } from './doc-page.ts';

/** The style of the whole site. */
export const DOCS_STYLE = sheet('base', 'parts', 'lists', 'docs', 'needs');
/** Its path. */
export const DOCS_STYLE_PATH = `${DOCS_PATH}/style-${digestOf(DOCS_STYLE)}.css`;

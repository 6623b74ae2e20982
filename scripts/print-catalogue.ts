/** Writes docs/catalogue.md, the committed catalogue of events and steps. */
import { writeFileSync } from 'node:fs';
import { catalogueText } from './catalogue.ts';

writeFileSync(new URL('../docs/catalogue.md', import.meta.url), catalogueText());

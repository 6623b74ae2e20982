/** Names of events, found by words of the name or of its headline. */
import { known } from '../../base/errors/assert.ts';
import type { Label } from '../../base/text/label.ts';
import type { Template } from '../../templates/define.ts';
import { eventNamesOf } from '../../templates/event-names.ts';
import { eventHeadlineOf } from '../../templates/headlines.ts';
import type { Registry } from '../../templates/registry.ts';

/** A name of events. */
export interface EventNameRow {
  readonly name: string;
  /** Name of its template. */
  readonly template: string;
  readonly headline: Label;
}

/** @returns the names that have every word of the text, in the order of the templates and their steps. */
export function findEventNames(
  { templates }: Registry,
  { text, template }: { readonly text: string; readonly template?: string | undefined },
): readonly EventNameRow[] {
  const words = plain(text).split(/\s+/).filter(Boolean);
  return templates
    .filter(({ name }) => template === undefined || name === template)
    .flatMap(namesOf)
    .filter(({ name, headline: { en, pt } }) => {
      const all = plain(`${name} ${en} ${pt}`);
      return words.every((word) => all.includes(word));
    });
}

function namesOf(template: Template): readonly EventNameRow[] {
  return eventNamesOf(template).map((name, at) => {
    // The events beside the steps come after them; each has a headline of its own.
    const step = known(template.steps[at] ?? template.steps[0], 'a step');
    return { name, template: template.name, headline: eventHeadlineOf(name, step) };
  });
}

/** In lower case without accents. */
function plain(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{Diacritic}/gu, '')
    .toLowerCase();
}

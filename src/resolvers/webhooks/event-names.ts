/** Names of events, found by words of the name or of its headline. */
import { NOTIFICATION_KINDS } from '../../base/access/notification-kinds.ts';
import { known } from '../../base/errors/assert.ts';
import type { Label } from '../../base/text/label.ts';
import { NOTIFICATION_HEADLINES, nameOfNotification } from '../../events/notification-names.ts';
import type { Template } from '../../templates/define.ts';
import { eventNamesOf } from '../../templates/event-names.ts';
import { eventHeadlineOf } from '../../templates/headlines.ts';
import type { Registry } from '../../templates/registry.ts';

/** An event name. */
export interface EventNameRow {
  readonly name: string;
  /** Name of its template; null for a notification of the account. */
  readonly template: string | null;
  readonly headline: Label;
}

const NOTIFICATIONS: readonly EventNameRow[] = NOTIFICATION_KINDS.map((kind) => ({
  name: nameOfNotification(kind),
  template: null,
  headline: NOTIFICATION_HEADLINES[kind],
}));

/** @returns the names that have every word of the text, in the order of the templates and their steps. */
export function findEventNames(
  { templates }: Registry,
  { text, template }: { readonly text: string; readonly template?: string | undefined },
): readonly EventNameRow[] {
  const words = plain(text).split(/\s+/).filter(Boolean);
  const ofTemplates = templates
    .filter(({ name }) => template === undefined || name === template)
    .flatMap(namesOf);
  return [...ofTemplates, ...(template === undefined ? NOTIFICATIONS : [])].filter(
    ({ name, headline: { en, pt } }) => {
      const all = plain(`${name} ${en} ${pt}`);
      return words.every((word) => all.includes(word));
    },
  );
}

function namesOf(template: Template): readonly EventNameRow[] {
  return eventNamesOf(template).map((name, at) => {
    // The events beside the steps follow them; each has a headline of its own.
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

/** Checks names of events as callers write them: some event must be able to have each of them. */
import { nearestName } from '../../base/text/nearest-name.ts';
import { isNamedBy, wholePattern } from '../../events/event-name.ts';
import type { Template } from '../../templates/define.ts';
import { eventNamesOf } from '../../templates/event-names.ts';
import type { CreationChecks } from './check-creation.ts';

/** Values under the name by which their caller knows them. */
export interface NamedList {
  readonly name: string;
  readonly values: readonly string[];
}

/** A list of names of events. */
export const EVENT_NAMES_MAX = 50;
const EVENT_NAME = /^[a-z0-9_*]{1,80}(\.[a-z0-9_*]{1,80}){2}$/;

/**
 * @param templates - those whose events can come.
 * @param others - further names that can come.
 * @returns names of events in the form of matching: three parts, `*` for any part or any characters of one;
 *   `onramp.*.*` for `onramp.*`. A name without any event is noted, with the nearest existing one.
 */
export function checkEventNames(
  input: NamedList | undefined,
  templates: readonly Template[],
  checks: CreationChecks,
  others: readonly string[] = [],
): readonly string[] | undefined {
  if (!input) return undefined;
  const { name: parameter } = input;
  // Of a list that is too long no name is looked at.
  const values = input.values.slice(0, EVENT_NAMES_MAX).map(wholePattern);
  if (input.values.length > EVENT_NAMES_MAX || !values.every((value) => EVENT_NAME.test(value)))
    return checks.add({
      parameter,
      message: `must have at most ${EVENT_NAMES_MAX} names in lower case, such as onramp.depositpix.paid or onramp.*`,
    });
  const events = templates.flatMap(eventNamesOf);
  const names = [...events, ...others];
  const named = (value: string) => (hasOpenStart(value) ? events : names);
  const idle = values.find((value) => !named(value).some((name) => isNamedBy(value, name)));
  if (idle === undefined) return values;
  const nearest = nearestName(idle, patternsLike(idle, names));
  const hint = nearest ? `; did you mean ${nearest}?` : '; docs/catalogue.md lists them';
  return checks.add({ parameter, message: `no event has the name ${idle}${hint}` });
}

/** Whether `*` is in the first part: such a pattern names events of transactions only. */
function hasOpenStart(value: string): boolean {
  return value.slice(0, value.indexOf('.')).includes('*');
}

/** Patterns that name events, with the open parts where this one has them. */
function patternsLike(pattern: string, names: readonly string[]): readonly string[] {
  const open = pattern.split('.').map((part) => (part.includes('*') ? part : undefined));
  const patterns = names.map((name) =>
    name
      .split('.')
      .map((part, index) => open[index] ?? part)
      .join('.'),
  );
  return [...new Set(patterns)].filter((each) => names.some((name) => isNamedBy(each, name)));
}

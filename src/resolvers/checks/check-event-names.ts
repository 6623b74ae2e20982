/** Checks names of events as callers write them: some event must be able to have each of them. */
import { nearestName } from '../../base/text/nearest-name.ts';
import { quoted } from '../../base/text/quoted.ts';
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
/** Maximum length of a refused name that the refusal repeats. */
const SHOWN_MAX = 80;

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
  if (input.values.length > EVENT_NAMES_MAX)
    return checks.add({ parameter, message: `must have at most ${EVENT_NAMES_MAX} names` });
  const malformed = input.values.find((value) => !EVENT_NAME.test(wholePattern(value)));
  if (malformed !== undefined)
    return checks.add({
      parameter,
      message: `${shown(malformed)} is not a name: write three parts in lower case, such as onramp.depositpix.paid, or onramp.*`,
    });
  const values = input.values.map(wholePattern);
  const events = templates.flatMap(eventNamesOf);
  const names = [...events, ...others];
  const named = (value: string) => (hasOpenStart(value) ? events : names);
  const idle = values.find((value) => !named(value).some((name) => isNamedBy(value, name)));
  if (idle === undefined) return values;
  const nearest = notificationLike(idle, others) ?? nearestName(idle, patternsLike(idle, names));
  const hint = nearest ? `; did you mean ${nearest}?` : '; docs/catalogue.md lists them';
  const [only, ...more] = templates;
  const source = only && more.length === 0 ? `no event of ${only.name}` : 'no event';
  return checks.add({ parameter, message: `${source} has the name ${idle}${hint}` });
}

/** @returns a refused name as its refusal repeats it. */
function shown(name: string): string {
  return quoted(name.length > SHOWN_MAX ? `${name.slice(0, SHOWN_MAX)}…` : name);
}

/** @returns the pattern that names notifications as this one would if its first part were not open. */
function notificationLike(pattern: string, others: readonly string[]): string | undefined {
  const like = (name: string) => [name.split('.')[0], ...pattern.split('.').slice(1)].join('.');
  return others.filter((name) => isNamedBy(pattern, name)).map(like)[0];
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

/**
 * Header fields and query members that a bank requires in each call, such as an account number or an application key.
 */
import { randomUUID } from 'node:crypto';
import type { Settings } from '../../base/process/settings.ts';

/** Values by name; the placeholders `{uuid}` and `{clientId}` are filled in for each call. */
export type FixedMembers = Readonly<Record<string, string>>;

/** Header fields that the rail sets itself. */
const OWN_HEADERS = ['authorization', 'content-type', 'content-length', 'accept', 'host', 'connection'];
const VALUE = /^[!-~](?:[ -~]{0,398}[!-~])?$/;
const VALUE_FORM = 'a text of printable ASCII';
const HEADER_NAME = /^[A-Za-z0-9_-]{1,80}$/;
const QUERY_NAME = /^[A-Za-z0-9._-]{1,80}$/;

/**
 * @param defaults - members of the profile, which the settings extend or override. `hasToken`: calls set
 *   `authorization`.
 * @throws {SettingsError}
 */
export function readHeaders(
  input: Settings,
  defaults: FixedMembers,
  { hasToken } = { hasToken: true },
): FixedMembers {
  const own = hasToken ? OWN_HEADERS : OWN_HEADERS.filter((name) => name !== 'authorization');
  return readMembers(input, 'headers', { form: HEADER_NAME, own }, defaults);
}

/** @param name - name of the setting. @throws {SettingsError} */
export function readQuery(input: Settings, name: string, defaults: FixedMembers = {}): FixedMembers {
  return readMembers(input, name, { form: QUERY_NAME, own: OWN_HEADERS }, defaults);
}

/** @returns the members with their placeholders filled in. */
export function filledIn(members: FixedMembers, clientId: string): FixedMembers {
  const filled = Object.entries(members).map(([name, value]) => [
    name,
    value.replaceAll('{uuid}', () => randomUUID()).replaceAll('{clientId}', () => clientId),
  ]);
  return Object.fromEntries(filled);
}

function readMembers(
  input: Settings,
  name: string,
  { form, own }: { readonly form: RegExp; readonly own: readonly string[] },
  defaults: FixedMembers,
): FixedMembers {
  if (!input.has(name)) return defaults;
  const part = input.part(name);
  const members = part.names().map((each) => {
    if (!form.test(each) || own.includes(each.toLowerCase()))
      input.refuse(name, `names other than ${each}, which the gateway sets itself`);
    return [each, readValue(part, each)] as const;
  });
  return part.end(merged(defaults, members));
}

/** A secret value is read from a file. */
function readValue(part: Settings, name: string): string {
  if (typeof part.raw(name) !== 'object') return part.match(name, VALUE, VALUE_FORM);
  const inFile = part.part(name);
  const value = inFile.end(inFile.contents('valueFile'));
  return VALUE.test(value) ? value : inFile.refuse('valueFile', `a file with ${VALUE_FORM}`);
}

/** Merges by name without regard to case, as HTTP compares header names. */
function merged(defaults: FixedMembers, members: readonly (readonly [string, string])[]): FixedMembers {
  const input = members.map(([name]) => name.toLowerCase());
  const others = Object.entries(defaults).filter(([name]) => !input.includes(name.toLowerCase()));
  return Object.fromEntries([...others, ...members]);
}

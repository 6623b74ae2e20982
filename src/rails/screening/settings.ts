/** Settings of screening (docs/screening.md). */

import { isMore } from '../../base/money/money.ts';
import { Settings, SettingsError } from '../../base/process/settings.ts';
import { type JsonPath, PATH_FORM, parsePath } from './json-path.ts';
import { LIST_FORMS, type ListForm } from './list-entry.ts';
import type { Thresholds } from './match-lists.ts';

/** Settings of one screener. */
export type ScreenerSettings = ListSettings | HttpSettings | ChainalysisSettings;

/** Lists in a folder. */
export interface ListSettings {
  readonly kind: 'lists';
  readonly folder: string;
  readonly lists: readonly ListForm[];
  readonly maxAgeDays: number;
  readonly thresholds: Thresholds;
}

/** Members of the body that a provider is sent. */
export const SENT_MEMBERS = [
  'reference',
  'role',
  'name',
  'taxId',
  'address',
  'birthDate',
  'country',
] as const;
/** One of SENT_MEMBERS. */
export type SentMember = (typeof SENT_MEMBERS)[number];
/** Decisions of a provider in our words. */
export type ProviderDecision = 'cleared' | 'held' | 'frozen';

/** A provider that is asked over HTTP. */
export interface HttpSettings {
  readonly kind: 'http';
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, SentMember>>;
  readonly decisionPath: JsonPath;
  readonly referencePath: JsonPath | undefined;
  readonly reasonsPath: JsonPath | undefined;
  readonly decisions: ReadonlyMap<string, ProviderDecision>;
  readonly screens: readonly Screened[];
  readonly timeoutMs: number;
}

/** Subjects that a provider is asked about. */
export type Screened = 'people' | 'addresses';

/** The sanctions API of Chainalysis. */
export interface ChainalysisSettings {
  readonly kind: 'chainalysis-sanctions';
  readonly url: string;
  readonly apiKey: string;
  readonly timeoutMs: number;
}

const KINDS = ['lists', 'http', 'chainalysis-sanctions'] as const;
const NAME = /^[a-z][a-z0-9-]{0,30}$/;
const HEADER = /^[A-Za-z][A-Za-z0-9-]{0,60}$/;
const CHAINALYSIS_URL = 'https://public.chainalysis.com';
const DECISIONS: readonly ProviderDecision[] = ['cleared', 'held', 'frozen'];
const TIMEOUT = { min: 1, max: 60, fallback: 10 } as const;

/**
 * @param json - one screener, or a list of screeners, of which the strictest answer counts.
 * @throws {SettingsError} naming the member and the accepted form.
 */
export function readScreeningSettings(json: unknown, path: string): readonly ScreenerSettings[] {
  if (!Array.isArray(json)) return [readScreener(new Settings(json, path))];
  if (json.length === 0)
    throw new SettingsError(`${path}: expected "off", a screener, or a list of screeners`);
  const read = json.map((each, index) => readScreener(new Settings(each, `${path}[${index}]`)));
  const names = read.map(nameOf);
  const double = names.find((name, index) => names.indexOf(name) !== index);
  if (double !== undefined) throw new SettingsError(`${path}: expected one screener named "${double}"`);
  return read;
}

function nameOf(settings: ScreenerSettings): string {
  return settings.kind === 'http' ? settings.name : settings.kind;
}

function readScreener(given: Settings): ScreenerSettings {
  switch (given.choice('kind', KINDS)) {
    case 'lists':
      return readLists(given);
    case 'http':
      return readHttp(given);
    case 'chainalysis-sanctions':
      return given.end({
        kind: 'chainalysis-sanctions',
        url: given.has('url') ? given.url('url') : CHAINALYSIS_URL,
        apiKey: given.contents('keyFile'),
        timeoutMs: given.seconds('timeoutSeconds', TIMEOUT),
      });
  }
}

function readLists(given: Settings): ListSettings {
  const lists = given.texts('lists');
  if (
    lists.length === 0 ||
    !lists.every((each): each is ListForm => LIST_FORMS.some((form) => form === each))
  )
    given.refuse('lists', `a list of ${LIST_FORMS.map((form) => JSON.stringify(form)).join(', ')}`);
  const review = scoreIn(given, 'review', '0.85');
  const strong = scoreIn(given, 'strong', '0.95');
  if (strong < review) given.refuse('strong', 'at least review');
  return given.end({
    kind: 'lists',
    folder: given.text('folder'),
    lists: [...new Set(lists)] as readonly ListForm[],
    maxAgeDays: given.integer('maxAgeDays', { min: 1, max: 90, fallback: 7 }),
    thresholds: { review, strong },
  });
}

/** A score of less than 0.7 would hold everybody. */
function scoreIn(given: Settings, name: string, fallback: string): number {
  const text = given.decimal(name, fallback);
  if (isMore('0.7', text) || isMore(text, '1')) given.refuse(name, 'a score from "0.7" to "1", as a text');
  return Number(text);
}

function readHttp(given: Settings): HttpSettings {
  const screens = given.has('screens') ? given.texts('screens') : ['people', 'addresses'];
  if (
    screens.length === 0 ||
    !screens.every((each): each is Screened => each === 'people' || each === 'addresses')
  )
    given.refuse('screens', 'a list of "people", "addresses"');
  return given.end({
    kind: 'http',
    name: given.match('name', NAME, 'a name of small letters, digits and -'),
    url: given.url('url'),
    headers: headersIn(given),
    body: bodyIn(given),
    decisionPath: pathIn(given, 'decision'),
    referencePath: given.has('reference') ? pathIn(given, 'reference') : undefined,
    reasonsPath: given.has('reasons') ? pathIn(given, 'reasons') : undefined,
    decisions: decisionsIn(given),
    screens: screens as readonly Screened[],
    timeoutMs: given.seconds('timeoutSeconds', TIMEOUT),
  });
}

/** Values of headers are in files, because most are secret; the member ends with `File`, as all names of files do. */
function headersIn(given: Settings): Readonly<Record<string, string>> {
  if (!given.has('headers')) return {};
  const headers = given.part('headers');
  const members = headers.names().map((member) => {
    const name = member.replace(/File$/, '');
    if (!member.endsWith('File') || !HEADER.test(name))
      throw new SettingsError(
        `${headers.at(member)}: expected the name of a header and "File", such as "AuthorizationFile"`,
      );
    return [name, headers.contents(member)] as const;
  });
  return headers.end(Object.fromEntries(members));
}

function bodyIn(given: Settings): Readonly<Record<string, SentMember>> {
  if (!given.has('body')) return Object.fromEntries(SENT_MEMBERS.map((member) => [member, member]));
  const body = given.part('body');
  return body.end(Object.fromEntries(body.names().map((name) => [name, body.choice(name, SENT_MEMBERS)])));
}

function decisionsIn(given: Settings): ReadonlyMap<string, ProviderDecision> {
  const words = given.part('decisions');
  const read = words.names().map((word) => [word, words.choice(word, DECISIONS)] as const);
  if (!read.some(([, decision]) => decision === 'cleared'))
    given.refuse('decisions', 'an object with the words of the provider, one of them "cleared"');
  return new Map(words.end(read));
}

function pathIn(given: Settings, name: string): JsonPath {
  return given.parse(name, PATH_FORM, parsePath);
}

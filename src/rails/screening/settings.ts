/** Settings of screening (docs/screening.md). */

import { isMore } from '../../base/money/money.ts';
import { readSignatureForm, type SignatureForm } from '../../base/process/callback-signature.ts';
import { Settings, SettingsError } from '../../base/process/settings.ts';
import { PATH_FORM, type PathStep, parsePath } from '../../base/text/json-path.ts';
import { LIST_FORMS, type ListForm } from './list-entry.ts';
import type { Thresholds } from './match-lists.ts';

/** Settings of one screener. */
export type ScreenerSettings = ListSettings | HttpSettings | ChainalysisSettings;

/** Settings of lists in a folder. */
export interface ListSettings {
  readonly kind: 'lists';
  readonly folder: string;
  readonly lists: readonly ListForm[];
  readonly maxAgeDays: number;
  readonly thresholds: Thresholds;
}

/** Facts of a subject that may be sent to a provider. */
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
/** Meanings of a provider's decisions. */
export type ProviderDecision = 'cleared' | 'held' | 'frozen' | 'pending';

/** Settings of a provider over HTTP. */
export interface HttpSettings {
  readonly kind: 'http';
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, SentMember>>;
  readonly decisionPath: readonly PathStep[];
  readonly referencePath: readonly PathStep[] | undefined;
  readonly reasonsPath: readonly PathStep[] | undefined;
  readonly decisions: ReadonlyMap<string, ProviderDecision>;
  readonly screens: readonly Screened[];
  readonly timeoutMs: number;
  /** Callbacks of the provider; undefined if it sends none. */
  readonly callback: CallbackForm | undefined;
}

/** Signature of callbacks, and the path of the reference in their body. */
export type CallbackForm = SignatureForm & { readonly reference: readonly PathStep[] };

/** Kinds of subjects that a provider screens. */
export type Screened = 'people' | 'addresses';

/** Settings of the sanctions API of Chainalysis. */
export interface ChainalysisSettings {
  readonly kind: 'chainalysis-sanctions';
  readonly url: string;
  readonly apiKey: string;
  readonly timeoutMs: number;
}

/** Kinds of screeners. */
export const SCREENER_KINDS = ['lists', 'http', 'chainalysis-sanctions'] as const;
const NAME = /^[a-z][a-z0-9-]{0,30}$/;
const HEADER = /^[A-Za-z][A-Za-z0-9-]{0,60}$/;
const CHAINALYSIS_URL = 'https://public.chainalysis.com';
const DECISIONS: readonly ProviderDecision[] = ['cleared', 'held', 'frozen', 'pending'];
const TIMEOUT = { min: 1, max: 60, fallback: 10 } as const;

/**
 * @param json - one screener, or a list of screeners; the strictest answer counts.
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

function readScreener(settings: Settings): ScreenerSettings {
  switch (settings.choice('kind', SCREENER_KINDS)) {
    case 'lists':
      return readLists(settings);
    case 'http':
      return readHttp(settings);
    case 'chainalysis-sanctions':
      return settings.end({
        kind: 'chainalysis-sanctions',
        url: settings.has('url') ? settings.url('url') : CHAINALYSIS_URL,
        apiKey: settings.contents('keyFile'),
        timeoutMs: settings.seconds('timeoutSeconds', TIMEOUT),
      });
  }
}

function readLists(settings: Settings): ListSettings {
  const lists = settings.texts('lists');
  if (
    lists.length === 0 ||
    !lists.every((each): each is ListForm => LIST_FORMS.some((form) => form === each))
  )
    settings.refuse('lists', `a list of ${LIST_FORMS.map((form) => JSON.stringify(form)).join(', ')}`);
  const review = scoreIn(settings, 'review', '0.85');
  const strong = scoreIn(settings, 'strong', '0.95');
  if (strong < review) settings.refuse('strong', 'at least review');
  return settings.end({
    kind: 'lists',
    folder: settings.text('folder'),
    lists: [...new Set(lists)] as readonly ListForm[],
    maxAgeDays: settings.integer('maxAgeDays', { min: 1, max: 90, fallback: 7 }),
    thresholds: { review, strong },
  });
}

/** Reads a score of at least 0.7; a lower one would hold almost every customer. */
function scoreIn(settings: Settings, name: string, fallback: string): number {
  const text = settings.decimal(name, fallback);
  if (isMore('0.7', text) || isMore(text, '1')) settings.refuse(name, 'a score from "0.7" to "1", as a text');
  return Number(text);
}

function readHttp(settings: Settings): HttpSettings {
  const screens = settings.has('screens') ? settings.texts('screens') : ['people', 'addresses'];
  if (
    screens.length === 0 ||
    !screens.every((each): each is Screened => each === 'people' || each === 'addresses')
  )
    settings.refuse('screens', 'a list of "people", "addresses"');
  return settings.end({
    kind: 'http',
    name: settings.match('name', NAME, 'a name of small letters, digits and -'),
    url: settings.url('url'),
    headers: headersIn(settings),
    body: bodyIn(settings),
    decisionPath: pathIn(settings, 'decision'),
    referencePath: settings.has('reference') ? pathIn(settings, 'reference') : undefined,
    reasonsPath: settings.has('reasons') ? pathIn(settings, 'reasons') : undefined,
    decisions: decisionsIn(settings),
    screens: screens as readonly Screened[],
    timeoutMs: settings.seconds('timeoutSeconds', TIMEOUT),
    callback: settings.has('callback') ? callbackIn(settings.part('callback')) : undefined,
  });
}

function callbackIn(settings: Settings): CallbackForm {
  return settings.end({
    ...readSignatureForm(settings),
    reference: pathIn(settings, 'reference'),
  });
}

/**
 * Header values are read from files, because most are secret; the member's name ends with `File`, as for all files.
 */
function headersIn(settings: Settings): Readonly<Record<string, string>> {
  if (!settings.has('headers')) return {};
  const headers = settings.part('headers');
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

function bodyIn(settings: Settings): Readonly<Record<string, SentMember>> {
  if (!settings.has('body')) return Object.fromEntries(SENT_MEMBERS.map((member) => [member, member]));
  const body = settings.part('body');
  return body.end(Object.fromEntries(body.names().map((name) => [name, body.choice(name, SENT_MEMBERS)])));
}

function decisionsIn(settings: Settings): ReadonlyMap<string, ProviderDecision> {
  const words = settings.part('decisions');
  const read = words.names().map((word) => [word, words.choice(word, DECISIONS)] as const);
  if (!read.some(([, decision]) => decision === 'cleared'))
    settings.refuse(
      'decisions',
      'an object that maps the decisions of the provider, at least one of them to "cleared"',
    );
  return new Map(words.end(read));
}

function pathIn(settings: Settings, name: string): readonly PathStep[] {
  return settings.parse(name, PATH_FORM, parsePath);
}

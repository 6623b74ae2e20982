/** Any provider with a JSON interface. Settings name its members, its vocabulary, and its signatures of callbacks. */
import {
  HEADER_NAME,
  readSignatureForm,
  type SignatureForm,
  signatureProblem,
} from '../../base/process/callback-signature.ts';
import { Settings, SettingsError } from '../../base/process/settings.ts';
import { type ExactJson, NumberToken, parseExactJson } from '../../base/text/exact-json.ts';
import { objectOf, PATH_FORM, type PathStep, parsePath, valueAt } from '../../base/text/json-path.ts';
import { storableJson } from '../../base/text/storable-json.ts';
import type { CaseDecision, CustomerCase } from '../../store/account/customer-cases.ts';
import type { CustomerLevel } from '../../store/account/customers.ts';
import { readTimes } from './common-settings.ts';
import { type IdentityProfile, ProviderFailure, type Reading } from './profile.ts';

/** Facts of a case for request bodies, by their names in the settings. */
const MEMBERS = {
  case: ({ externalId }: CustomerCase) => externalId,
  taxId: ({ taxId }: CustomerCase) => taxId,
  name: ({ name }: CustomerCase) => name ?? '',
  level: ({ level }: CustomerCase) => level as string,
  kind: ({ kind }: CustomerCase) => kind as string,
} as const;
type Member = keyof typeof MEMBERS;

const DECISIONS: readonly CaseDecision[] = ['pending', 'approved', 'denied', 'retry', 'review', 'expired'];
const LEVELS: readonly CustomerLevel[] = ['BASIC', 'VERIFIED'];
const REASONS_MAX = 20;
const WORDS_MAX = 120;

/** Settings of the kind `http`. */
export type HttpIdentitySettings = ReturnType<typeof readHttpSettings>;

/** Reads the settings. @throws {SettingsError} naming the member and the accepted form. */
export function readHttpSettings(json: unknown, path: string) {
  const settings = new Settings(json, path);
  settings.choice('kind', ['http'] as const);
  return settings.end({
    ...readTimes(settings),
    url: settings.url('url'),
    method: settings.choice('method', ['POST', 'PUT'] as const, 'POST'),
    headers: settings.has('headers') ? settings.parts('headers').map(readHeader) : [],
    body: readBody(settings),
    levels: readLevels(settings),
    paths: readPaths(settings.part('paths')),
    words: readWords(settings.part('words')),
    statusUrl: readTemplate(settings, 'statusUrl'),
    linkUrl: settings.has('linkUrl') ? readTemplate(settings, 'linkUrl') : undefined,
    callback: settings.has('callback') ? readCallback(settings.part('callback')) : undefined,
  });
}

function readHeader(settings: Settings): readonly [string, string] {
  const name = settings.match('name', HEADER_NAME, 'the name of a header');
  return settings.end([
    name,
    settings.has('valueFile') ? settings.contents('valueFile') : settings.text('value'),
  ]);
}

function readBody(settings: Settings): readonly (readonly [readonly string[], Member])[] {
  const body = settings.part('body');
  const names = Object.keys(MEMBERS) as Member[];
  return body.end(body.names().map((name) => [name.split('.'), body.choice(name, names)] as const));
}

function readLevels(settings: Settings): readonly CustomerLevel[] {
  const names = settings.has('levels') ? settings.texts('levels') : ['VERIFIED'];
  const levels = LEVELS.filter((each) => names.includes(each));
  if (levels.length === 0 || levels.length !== names.length)
    settings.refuse('levels', `a list of ${LEVELS.join(', ')}`);
  return levels;
}

function readPaths(settings: Settings) {
  const optional = (name: string) =>
    settings.has(name) ? settings.parse(name, PATH_FORM, parsePath) : undefined;
  return settings.end({
    reference: optional('reference'),
    link: optional('link'),
    decision: settings.parse('decision', PATH_FORM, parsePath),
    reasons: optional('reasons'),
    score: optional('score'),
  });
}

function readWords(settings: Settings): ReadonlyMap<string, CaseDecision> {
  const words = new Map<string, CaseDecision>();
  for (const decision of DECISIONS)
    for (const word of settings.has(decision) ? settings.texts(decision) : []) {
      if (words.has(word)) settings.refuse(decision, `words of its own (${word} appears twice)`);
      words.set(word, decision);
    }
  for (const needed of ['approved', 'denied'] as const)
    if (![...words.values()].includes(needed)) settings.refuse(needed, 'at least one word of the provider');
  return settings.end(words);
}

/** Reads a URL template: `{case}` stands for the gateway's id, `{reference}` for the provider's id. */
function readTemplate(settings: Settings, name: string): string {
  const url = settings.url(name);
  if (!url.includes('{case}') && !url.includes('%7Bcase%7D'))
    throw new SettingsError(`${settings.at(name)}: expected a URL with {case}, our id of the check`);
  return url;
}

function readCallback(settings: Settings): SignatureForm & { readonly case: readonly PathStep[] } {
  return settings.end({
    ...readSignatureForm(settings),
    case: settings.parse('case', PATH_FORM, parsePath),
  });
}

/** @returns the provider described by the settings. */
export function httpProfile(settings: HttpIdentitySettings): IdentityProfile {
  const { url, method, statusUrl, linkUrl, callback, paths } = settings;
  const headers = Object.fromEntries(settings.headers);
  const urlFor = (template: string, { externalId }: Pick<CustomerCase, 'externalId'>) =>
    template.replaceAll(/\{case\}|%7Bcase%7D/g, encodeURIComponent(externalId));
  return {
    kind: 'http',
    levels: settings.levels,
    start: (row) => ({ method, url, body: JSON.stringify(bodyOf(settings, row)) }),
    find: (row) => ({ method: 'GET', url: urlFor(statusUrl, row) }),
    ...(linkUrl !== undefined && { link: (row) => ({ method: 'POST', url: urlFor(linkUrl, row) }) }),
    read: (text) => readingOf(settings, parsed(text)),
    readLink: (text) => (paths.link ? textAt(parsed(text), paths.link) : undefined),
    headersFor: () => headers,
    ...(callback && {
      readCallback: (settings, body, nowMs) => {
        const problem = signatureProblem(callback, settings, body, nowMs);
        if (problem !== undefined) return problem;
        const externalId = textAt(parsed(body.toString('utf8')), callback.case);
        return externalId === undefined ? 'the callback names no case' : { externalId };
      },
    }),
  };
}

function bodyOf({ body }: HttpIdentitySettings, row: CustomerCase): object {
  return objectOf(body, (member) => MEMBERS[member](row));
}

function readingOf({ paths, words }: HttpIdentitySettings, json: ExactJson): Reading {
  const word = textAt(json, paths.decision);
  const decision = word === undefined ? undefined : words.get(word);
  // An unmapped word of the provider never counts as an approval.
  if (!decision)
    throw new ProviderFailure(
      `the provider decided ${JSON.stringify(word ?? null).slice(0, WORDS_MAX)}: no such word`,
    );
  const reasons = paths.reasons && valueAt(json, paths.reasons);
  return {
    decision,
    reference: (paths.reference && textAt(json, paths.reference)) ?? null,
    reasons: Array.isArray(reasons)
      ? reasons
          .filter((each) => typeof each === 'string')
          .slice(0, REASONS_MAX)
          .map((each) => each.slice(0, WORDS_MAX))
      : [],
    score: (paths.score && numberAt(json, paths.score)) ?? null,
    link: paths.link && textAt(json, paths.link),
  };
}

/** @returns the parsed JSON. @throws {ProviderFailure} */
export function parsed(text: string): ExactJson {
  try {
    return parseExactJson(storableJson(text));
  } catch {
    throw new ProviderFailure('the answer is not JSON');
  }
}

function textAt(json: ExactJson, path: readonly PathStep[]): string | undefined {
  const value = valueAt(json, path);
  if (value instanceof NumberToken) return value.text;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const SCORE = /^-?\d{1,20}(?:\.\d{1,20})?$/;

function numberAt(json: ExactJson, path: readonly PathStep[]): string | undefined {
  const text = textAt(json, path);
  return text !== undefined && SCORE.test(text) ? text : undefined;
}

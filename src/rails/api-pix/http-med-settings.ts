/**
 * Settings for MED cases at any provider with a JSON interface: URLs, paths of members, and the provider's vocabulary.
 */
import { type Settings, SettingsError } from '../../base/process/settings.ts';
import { PATH_FORM, parsePath } from '../../base/text/json-path.ts';
import type { MedDecision } from '../../store/rails/med-cases.ts';
import { readHeaders } from './fixed-members.ts';

/** Settings of the kind `http`. */
export type HttpMedSettings = ReturnType<typeof readHttpMed>;

/** Values that the body of an answer may contain: ids, analysis, text; file hashes or whole files. */
export const ANSWER_MEMBERS = ['case', 'answer', 'analysis', 'body', 'fileHashes', 'files'] as const;
/** One of ANSWER_MEMBERS. */
export type AnswerMember = (typeof ANSWER_MEMBERS)[number];

const STATES = { open: null, accepted: 'accepted', rejected: 'rejected', cancelled: 'cancelled' } as const;
const NEEDED = ['open', 'accepted', 'rejected'];

/** @throws {SettingsError} naming the member and the accepted form. */
export function readHttpMed(source: Settings) {
  source.choice('kind', ['http']);
  const words = source.part('words');
  const disputes = words.texts('dispute');
  const hasToken = source.flag('token', true);
  const settings = {
    /** Page of the cases that were opened or changed in a period. */
    listUrl: readTemplate(source, 'listUrl', ['from', 'to']),
    caseUrl: readTemplate(source, 'caseUrl', ['case']),
    firstPage: source.integer('firstPage', { min: 0, max: 1, fallback: 1 }),
    /** Whether calls send the token of API Pix; false for a service at another host. */
    hasToken,
    headers: readHeaders(source, {}, { hasToken }),
    /** Unit of an amount that the provider writes. */
    amounts: source.choice('amounts', ['brl', 'centavos'], 'brl'),
    paths: readPaths(source.part('paths'), disputes.length > 0),
    states: readStates(words),
    /**
     * Kinds of cases that block money; all other cases are reports of fraud. If empty, disputes are known only by the
     * returns in the statement.
     */
    disputes,
    answer: source.has('answer') ? readAnswer(source.part('answer')) : null,
    /** Path of the case id in a callback; null if the provider sends none. */
    callback: source.has('callback') ? source.parse('callback', PATH_FORM, parsePath) : null,
  };
  words.end(undefined);
  return source.end(settings);
}

function readPaths(source: Settings, hasKinds: boolean) {
  const path = (name: string, usual?: string) => source.parse(name, PATH_FORM, parsePath, usual);
  const optional = (name: string) => (source.has(name) ? path(name) : null);
  return source.end({
    cases: path('cases'),
    /** Number of pages; null if a list has only one. */
    pages: optional('pages'),
    /** Path of the case in the answer of `caseUrl`. */
    found: path('found', '$'),
    case: path('case'),
    endToEndId: path('endToEndId'),
    state: path('state'),
    openedAt: path('openedAt'),
    kind: hasKinds ? path('kind') : optional('kind'),
    amount: optional('amount'),
    reason: optional('reason'),
    dueAt: optional('dueAt'),
  });
}

function readStates(words: Settings): ReadonlyMap<string, MedDecision | null> {
  const states = new Map<string, MedDecision | null>();
  for (const [name, decision] of Object.entries(STATES)) {
    const own = words.texts(name);
    if (own.length === 0 && NEEDED.includes(name)) words.refuse(name, 'at least one word of the provider');
    for (const word of own) {
      if (states.has(word)) words.refuse(name, `words of its own (${word} appears twice)`);
      states.set(word, decision);
    }
  }
  return states;
}

function readAnswer(source: Settings) {
  const body = source.part('body');
  const words = source.part('words');
  const settings = {
    url: readTemplate(source, 'url', ['case']),
    method: source.choice('method', ['PUT', 'POST'], 'PUT'),
    /** URL to upload each file before the answer; null if the answer contains the files. */
    fileUrl: source.has('fileUrl') ? readTemplate(source, 'fileUrl', ['case', 'sha256']) : null,
    body: body.end(body.names().map((name) => [name.split('.'), body.choice(name, ANSWER_MEMBERS)] as const)),
    words: words.end({ contest: words.text('contest'), agree: words.text('agree') }),
  };
  const members = settings.body.map(([, member]) => member);
  for (const needed of ['analysis', 'body'] as const)
    if (!members.includes(needed)) source.refuse('body', `a member that is "${needed}"`);
  return source.end(settings);
}

/** @returns a URL that contains the placeholder `{name}` for each needed name. */
function readTemplate(source: Settings, name: string, needed: readonly string[]): string {
  const url = source.url(name);
  const missing = needed.find((each) => !url.includes(`{${each}}`));
  if (missing !== undefined) throw new SettingsError(`${source.at(name)}: expected a URL with {${missing}}`);
  return url;
}

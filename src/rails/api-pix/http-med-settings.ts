/** Settings of MED cases at any provider that lists and takes them as JSON: its URLs, its members, its words. */
import { type Settings, SettingsError } from '../../base/process/settings.ts';
import { PATH_FORM, parsePath } from '../../base/text/json-path.ts';
import type { MedDecision } from '../../store/rails/med-cases.ts';
import { readHeaders } from './fixed-members.ts';

/** Settings of the kind `http`. */
export type HttpMedSettings = ReturnType<typeof readHttpMed>;

/** Members of an answer that its body may have: ids, standpoint, text; files by their hashes, or whole. */
export const ANSWER_MEMBERS = ['case', 'answer', 'analysis', 'body', 'fileHashes', 'files'] as const;
/** Name of a member. */
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
    /** A page of the cases that were opened or changed in a period. */
    listUrl: readTemplate(source, 'listUrl', ['from', 'to']),
    caseUrl: readTemplate(source, 'caseUrl', ['case']),
    firstPage: source.integer('firstPage', { min: 0, max: 1, fallback: 1 }),
    /** Whether calls have the token of API Pix: not where another host takes them. */
    hasToken,
    headers: readHeaders(source, {}, { hasToken }),
    /** Unit of an amount that the provider writes. */
    amounts: source.choice('amounts', ['brl', 'centavos'], 'brl'),
    paths: readPaths(source.part('paths'), disputes.length > 0),
    states: readStates(words),
    /** Kinds of cases that block money; all others are reports. None: the statement reports what went back. */
    disputes,
    answer: source.has('answer') ? readAnswer(source.part('answer')) : null,
    /** Place of the id of a case in a callback; null where there are none. */
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
    /** Number of pages; null where the list is whole. */
    pages: optional('pages'),
    /** Of the case in the answer of `caseUrl`. */
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
    /** Takes each file before the answer; null where the answer has them. */
    fileUrl: source.has('fileUrl') ? readTemplate(source, 'fileUrl', ['case', 'sha256']) : null,
    body: body.end(body.names().map((name) => [name.split('.'), body.choice(name, ANSWER_MEMBERS)] as const)),
    words: words.end({ contest: words.text('contest'), agree: words.text('agree') }),
  };
  const members = settings.body.map(([, member]) => member);
  for (const needed of ['analysis', 'body'] as const)
    if (!members.includes(needed)) source.refuse('body', `a member that is "${needed}"`);
  return source.end(settings);
}

/** @returns a URL with `{name}` for each name. */
function readTemplate(source: Settings, name: string, needed: readonly string[]): string {
  const url = source.url(name);
  const missing = needed.find((each) => !url.includes(`{${each}}`));
  if (missing !== undefined) throw new SettingsError(`${source.at(name)}: expected a URL with {${missing}}`);
  return url;
}

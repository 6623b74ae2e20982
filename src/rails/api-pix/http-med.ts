/**
 * MED cases at any provider with a JSON interface. A callback only names a case; the provider's answer about the case
 * counts.
 */
import { type ExactJson, NumberToken, parseExactJson } from '../../base/text/exact-json.ts';
import { objectOf, type PathStep, valueAt } from '../../base/text/json-path.ts';
import { storableJson } from '../../base/text/storable-json.ts';
import { parseInstant } from '../../base/time/instant.ts';
import type { MedAnswerOrder } from '../../resolvers/services/rails.ts';
import { type ApiPix, found, read, type StatementPart } from './client.ts';
import { filledIn } from './fixed-members.ts';
import { type Call, jsonOf, PspProblem, PspUnavailable } from './http.ts';
import type { AnswerMember, HttpMedSettings } from './http-med-settings.ts';
import { caseEvents, entriesOf, type InfractionEntries } from './infractions.ts';
import type { ApiPixSettings } from './settings.ts';
import { WireError } from './wire.ts';

type Calling = Pick<ApiPix, 'exchange'>;
/** Settings that the calls need. */
export type MedSettings = Pick<ApiPixSettings, 'clientId'> & { readonly med: HttpMedSettings };

/** Status for a case that was answered before. */
const ANSWERED = 409;
const TEXT_MAX = 500;
/** Ids that would change the path of a URL; URL escaping does not prevent that. */
const DOTS = /^\.{1,2}$/;
const BRL = /^(?!0(?:\.0{1,2})?$)(0|[1-9]\d{0,9})(?:\.(\d{1,2}))?$/;
const CENTAVOS = /^[1-9]\d{0,11}$/;

/**
 * @returns a page of the cases that were opened or changed in a period, and the number of pages.
 * @throws {PspUnavailable} {PspProblem}
 */
export async function listCases(
  api: Calling,
  settings: MedSettings,
  { from, to, page }: StatementPart,
): Promise<InfractionEntries & { readonly pages: number }> {
  const { listUrl, firstPage, paths } = settings.med;
  const url = filled(listUrl, { from, to, page: String(page + firstPage) });
  const json = await send(api, settings, { method: 'GET', url });
  const cases = valueAt(json, paths.cases);
  if (!Array.isArray(cases)) throw new PspUnavailable('paths.cases does not lead to a list of cases');
  const pages = paths.pages === null ? 1 : Number(textAt(json, paths.pages) ?? Number.NaN);
  if (!Number.isSafeInteger(pages) || pages < 0)
    throw new PspUnavailable('paths.pages does not lead to the number of pages');
  return { ...entriesOf(cases, (each, path) => readCase(settings.med, each, path)), pages };
}

/**
 * @returns the events of a case in its present state; undefined for an unknown id.
 * @throws {PspUnavailable} {PspProblem}
 */
export function findCase(
  api: Calling,
  settings: MedSettings,
  id: string,
): Promise<InfractionEntries['read'] | undefined> {
  const { caseUrl, paths } = settings.med;
  return found(async () => {
    const json = await send(api, settings, { method: 'GET', url: filled(caseUrl, { case: id }) });
    const events = read(
      (each) => readCase(settings.med, each as ExactJson, 'the case'),
      valueAt(json, paths.found),
    );
    const [event] = events;
    const name = event && ('disputeId' in event ? event.disputeId : event.infractionId);
    if (name !== id) throw new PspUnavailable('the provider answered with another case');
    return events;
  });
}

/** @returns the id of the case in a callback. @throws {WireError} for a callback without an id. */
export function caseOfCallback({ callback }: HttpMedSettings, json: unknown): string {
  const found: unknown = callback && valueAt(json as ExactJson, callback);
  const id = Number.isSafeInteger(found) ? String(found) : found;
  if (typeof id === 'string' && id !== '' && id.length <= TEXT_MAX && !DOTS.test(id)) return id;
  throw new WireError('med.callback must lead to the id of a case');
}

/** Sends an answer, after its files if they have a URL. @throws {PspProblem} {PspUnavailable} */
export async function answerCase(api: Calling, settings: MedSettings, order: MedAnswerOrder): Promise<void> {
  const { answer } = settings.med;
  if (!answer) throw new PspProblem(404, '', 'the settings have no med.answer');
  const { key, reference, files, isRepeat } = order;
  if (answer.fileUrl !== null)
    for (const file of files.map(fileBody)) {
      const url = filled(answer.fileUrl, { case: reference, sha256: file.sha256 });
      await send(api, settings, { method: 'PUT', url, body: JSON.stringify(file) });
    }
  const url = filled(answer.url, { case: reference, answer: key });
  const isNamed =
    url !== filled(answer.url, { case: reference }) || answer.body.some(([, each]) => each === 'answer');
  try {
    const body = JSON.stringify(bodyOf(answer, order));
    await send(api, settings, { method: answer.method, url, body });
  } catch (error) {
    // A provider that does not receive the answer's id accepts one answer per case. After a repeated request, the
    // existing answer counts as this one.
    if (!(error instanceof PspProblem) || error.status !== ANSWERED || isNamed || !isRepeat) throw error;
  }
}

async function send(api: Calling, { clientId, med }: MedSettings, call: Call): Promise<ExactJson> {
  const json = call.body === undefined ? {} : { 'content-type': 'application/json' };
  const headers = { accept: 'application/json', ...json, ...filledIn(med.headers, clientId) };
  const answer = await api.exchange({ ...call, headers }, med.hasToken);
  jsonOf(answer);
  return answer.body === '' ? null : parseExactJson(storableJson(answer.body));
}

function readCase({ paths, states, disputes, amounts }: HttpMedSettings, json: ExactJson, path: string) {
  const text = (name: 'case' | 'endToEndId' | 'state' | 'openedAt'): string =>
    textAt(json, paths[name]) ?? refuse(`${path}: paths.${name} must lead to a text`);
  const optional = (name: 'kind' | 'reason' | 'amount' | 'dueAt') =>
    paths[name] === null ? undefined : textAt(json, paths[name]);
  const instant = (name: 'openedAt' | 'dueAt', value: string): string =>
    parseInstant(value)?.toISOString() ??
    refuse(`${path}: paths.${name} must lead to an instant of RFC 3339`);
  if (DOTS.test(text('case'))) refuse(`${path}: ${text('case')} is no id of a case`);
  const decision = states.get(text('state'));
  if (decision === undefined) refuse(`${path}: ${text('state')} is no word of words`);
  const [amount, dueAt, kind] = [optional('amount'), optional('dueAt'), optional('kind')];
  return caseEvents({
    isDispute: kind !== undefined && disputes.includes(kind),
    id: text('case'),
    endToEndId: text('endToEndId'),
    amount: amount === undefined ? null : brlOf(amounts, amount, path),
    reason: optional('reason') ?? null,
    openedAt: instant('openedAt', text('openedAt')),
    ...(dueAt !== undefined && { dueAt: instant('dueAt', dueAt) }),
    decision: decision ?? null,
  });
}

/** @returns decimal BRL with two decimals. */
function brlOf(unit: HttpMedSettings['amounts'], text: string, path: string): string {
  if (unit === 'centavos' && CENTAVOS.test(text)) {
    const digits = text.padStart(3, '0');
    return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
  }
  const [, whole, fraction = ''] = (unit === 'brl' && BRL.exec(text)) || [];
  return whole === undefined
    ? refuse(`${path}: paths.amount must lead to ${unit === 'brl' ? 'BRL such as 12.34' : 'whole centavos'}`)
    : `${whole}.${fraction.padEnd(2, '0')}`;
}

function bodyOf(
  { body, words }: NonNullable<HttpMedSettings['answer']>,
  { key, reference, analysis, body: text, files }: MedAnswerOrder,
): object {
  const members: Readonly<Record<AnswerMember, () => unknown>> = {
    case: () => reference,
    answer: () => key,
    analysis: () => words[analysis],
    body: () => text,
    fileHashes: () => files.map(({ hash }) => hash),
    files: () => files.map(fileBody),
  };
  return objectOf(body, (member) => members[member]());
}

function fileBody({ name, type, hash, content }: MedAnswerOrder['files'][number]) {
  return { name, type, sha256: hash, content: content.toString('base64') };
}

function filled(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : encodeURIComponent(value);
  });
}

function textAt(json: ExactJson, path: readonly PathStep[]): string | undefined {
  const value = valueAt(json, path);
  if (value instanceof NumberToken) return value.text;
  return typeof value === 'string' && value !== '' && value.length <= TEXT_MAX ? value : undefined;
}

function refuse(words: string): never {
  throw new WireError(words);
}

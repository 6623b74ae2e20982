/**
 * Screens by a provider over HTTP. The settings name the members of the body, paths into the answer, and the provider's
 * words for decisions.
 */
import { createHash } from 'node:crypto';
import { type PathStep, valueAt } from '../../base/text/json-path.ts';
import type { RailTools } from '../../resolvers/services/rail-part.ts';
import type { ScreeningMatch, ScreeningSubject } from '../../resolvers/services/rails.ts';
import { providerHealth } from './provider-health.ts';
import { queryProvider, Undecided, unavailable } from './query-provider.ts';
import type { Screener } from './screener.ts';
import type { HttpSettings, SentMember } from './settings.ts';

const TEXT_MAX = 200;
const REFERENCE_LENGTH = 32;

/** @returns the screener, which makes no query yet. */
export function httpScreener(settings: HttpSettings, tools: Pick<RailTools, 'database' | 'mode'>): Screener {
  const health = providerHealth(settings.name, tools);
  return {
    match: async (subjects) => {
      const queried = subjects.filter((subject) => isScreened(settings, subject));
      const found = await Promise.all(queried.map((subject) => health.note(() => query(settings, subject))));
      return found.flat();
    },
    names: async () => [{ name: settings.name, screens: (subject) => isScreened(settings, subject) }],
    checks: async () => [await health.check()],
  };
}

function isScreened({ screens }: HttpSettings, subject: ScreeningSubject): boolean {
  return screens.includes(subject.address === undefined ? 'people' : 'addresses');
}

async function query(settings: HttpSettings, subject: ScreeningSubject): Promise<readonly ScreeningMatch[]> {
  const { name, url, headers, timeoutMs, decisions } = settings;
  const reference = referenceOf(subject);
  const members: Readonly<Record<SentMember, string | undefined>> = {
    ...{ role: subject.role, name: subject.name, taxId: subject.taxId, address: subject.address },
    ...{ birthDate: subject.birthDate, country: subject.country },
    reference,
  };
  const body = Object.fromEntries(Object.entries(settings.body).map(([as, member]) => [as, members[member]]));
  const question = {
    provider: name,
    method: 'POST',
    url,
    headers,
    timeoutMs,
    body: JSON.stringify(body),
  } as const;
  const json = await queryProvider(question);
  const word = valueAt(json, settings.decisionPath);
  const decision = decisions.get(String(word));
  if (decision === undefined) throw unavailable(question, 'a decision that is not in the settings');
  if (decision === 'pending') throw new Undecided(name, reference);
  if (decision === 'cleared') return [];
  const entry = textAt(json, settings.referencePath) ?? reference;
  const entryName = textAt(json, settings.reasonsPath) ?? String(word).slice(0, TEXT_MAX);
  const strength = decision === 'frozen' ? 'exact' : 'review';
  return [{ subject, list: name, entry, entryName, score: '1', strength, answer: decision, version: '' }];
}

/** @returns the same reference for the same subject, so that the provider recognises a repeated query. */
function referenceOf({ name, taxId, address }: ScreeningSubject): string {
  const text = JSON.stringify([name ?? null, taxId ?? null, address ?? null]);
  return createHash('sha256').update(text).digest('hex').slice(0, REFERENCE_LENGTH);
}

function textAt(json: unknown, path: readonly PathStep[] | undefined): string | undefined {
  const value = path && valueAt(json, path);
  const text = Array.isArray(value) ? value.map(String).join(', ') : (value ?? '').toString();
  return text === '' ? undefined : text.slice(0, TEXT_MAX);
}

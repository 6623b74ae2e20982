/**
 * Screens addresses by the sanctions API of Chainalysis: `GET /api/v1/address/{address}` with `X-API-Key`. An answer
 * without identifications means that no sanctions list has the address.
 * @see https://public.chainalysis.com/docs/index.html
 */
import type { RailTools } from '../../resolvers/services/rail-part.ts';
import type { ScreeningMatch, ScreeningSubject } from '../../resolvers/services/rails.ts';
import { providerHealth } from './provider-health.ts';
import { type Question, queryProvider, unavailable } from './query-provider.ts';
import type { Screener } from './screener.ts';
import type { ChainalysisSettings } from './settings.ts';

const NAME = 'chainalysis-sanctions';
const TEXT_MAX = 200;

/** @returns the screener, which makes no query yet. People are not screened. */
export function chainalysisScreener(
  settings: ChainalysisSettings,
  tools: Pick<RailTools, 'database' | 'mode'>,
): Screener {
  const health = providerHealth(NAME, tools);
  return {
    match: async (subjects) => {
      const queried = subjects.flatMap((subject) =>
        subject.address === undefined
          ? []
          : [health.note(() => query(settings, subject, subject.address as string))],
      );
      return (await Promise.all(queried)).flat();
    },
    names: async () => [{ name: NAME, screens: ({ address }) => address !== undefined }],
    checks: async () => [await health.check()],
  };
}

async function query(
  { url, apiKey, timeoutMs }: ChainalysisSettings,
  subject: ScreeningSubject,
  address: string,
): Promise<readonly ScreeningMatch[]> {
  const question: Question = {
    provider: NAME,
    method: 'GET',
    url: `${url}/api/v1/address/${encodeURIComponent(address)}`,
    headers: { 'X-API-Key': apiKey },
    timeoutMs,
  };
  const answer = (await queryProvider(question)) as { readonly identifications?: unknown } | null;
  const found = answer?.identifications;
  if (!Array.isArray(found)) throw unavailable(question, 'an answer without identifications');
  return found.map((each: { readonly name?: unknown; readonly category?: unknown } | null) => ({
    subject,
    list: NAME,
    entry: address,
    entryName: String(each?.name ?? each?.category ?? 'sanctions').slice(0, TEXT_MAX),
    ...{ score: '1', strength: 'exact', answer: 'frozen', version: '' },
  }));
}

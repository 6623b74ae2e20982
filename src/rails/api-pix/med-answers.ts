/** Answers to MED cases, as `crossramp psp` takes them: each file under its hash, and the answer under its id, both as often as it takes; or as Efí does. */
import { type MedAnswerOrder, RailRefused } from '../../resolvers/services/rails.ts';
import type { ApiPix } from './client.ts';
import { answerEfi } from './efi-infractions.ts';
import { PspProblem, PspUnavailable } from './http.ts';
import type { ApiPixSettings } from './settings.ts';

const ANALYSES = { contest: 'REJEITAR', agree: 'ACEITAR' } as const;
/** Refusals that may be others a moment later: of the token, of too many calls. */
const LATER = [401, 403, 408, 425, 429];

/** @returns the function that answers; undefined where the provider has no list of disputes. */
export function medAnswers(
  api: Pick<ApiPix, 'send'>,
  { infractionsUrl, efiInfractionsUrl }: Pick<ApiPixSettings, 'infractionsUrl' | 'efiInfractionsUrl'>,
): ((answer: MedAnswerOrder) => Promise<void>) | undefined {
  if (efiInfractionsUrl !== null) return (answer) => answerEfi(api, efiInfractionsUrl, answer);
  if (infractionsUrl === null) return undefined;
  return async ({ key, reference, analysis, body, files }) => {
    const base = `${infractionsUrl}/${encodeURIComponent(reference)}`;
    try {
      for (const { name, type, hash, content } of files) {
        const file = { nome: name, tipo: type, conteudo: content.toString('base64') };
        await api.send('PUT', `${base}/anexos/${hash}`, file);
      }
      const anexos = files.map(({ hash }) => hash);
      const input = { analise: ANALYSES[analysis], justificativa: body, anexos };
      await api.send('PUT', `${base}/defesa/${encodeURIComponent(key)}`, input);
    } catch (error) {
      if (!(error instanceof PspProblem)) throw error;
      if (LATER.includes(error.status)) throw new PspUnavailable(error.message);
      throw new RailRefused(error.message);
    }
  };
}

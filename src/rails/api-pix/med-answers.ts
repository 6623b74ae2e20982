/** Answers to MED cases, as `crossramp psp` takes them: each file under its hash, and the answer under its id, both as often as it takes; as Efí does, or as the settings say. */
import { type MedAnswerOrder, RailRefused } from '../../resolvers/services/rails.ts';
import type { ApiPix } from './client.ts';
import { answerEfi } from './efi-infractions.ts';
import { PspProblem, PspUnavailable } from './http.ts';
import { answerCase } from './http-med.ts';
import type { ApiPixSettings } from './settings.ts';

const ANALYSES = { contest: 'REJEITAR', agree: 'ACEITAR' } as const;
/** Refusals that may be others a moment later: of the token, of too many calls. */
const LATER = [401, 403, 408, 425, 429];

type Answering = (answer: MedAnswerOrder) => Promise<void>;
type Calling = Pick<ApiPix, 'send' | 'exchange'>;
/** Settings of the ways to answer. */
type AnswerSettings = Pick<ApiPixSettings, 'infractionsUrl' | 'efiInfractionsUrl' | 'med' | 'clientId'>;

/** @returns the function that answers; undefined where the provider takes no answers. */
export function medAnswers(api: Calling, settings: AnswerSettings): Answering | undefined {
  const answer = answerRoute(api, settings);
  if (!answer) return undefined;
  return async (order) => {
    try {
      await answer(order);
    } catch (error) {
      if (!(error instanceof PspProblem)) throw error;
      if (LATER.includes(error.status)) throw new PspUnavailable(error.message);
      throw new RailRefused(error.message);
    }
  };
}

function answerRoute(api: Calling, settings: AnswerSettings): Answering | undefined {
  const { infractionsUrl, efiInfractionsUrl, med } = settings;
  if (efiInfractionsUrl !== null) return (order) => answerEfi(api, efiInfractionsUrl, order);
  if (med?.answer) return (order) => answerCase(api, { ...settings, med }, order);
  if (infractionsUrl !== null) return (order) => answerPsp(api, infractionsUrl, order);
  return undefined;
}

async function answerPsp(
  api: Calling,
  infractionsUrl: string,
  { key, reference, analysis, body, files }: MedAnswerOrder,
): Promise<void> {
  const base = `${infractionsUrl}/${encodeURIComponent(reference)}`;
  for (const { name, type, hash, content } of files) {
    const file = { nome: name, tipo: type, conteudo: content.toString('base64') };
    await api.send('PUT', `${base}/anexos/${hash}`, file);
  }
  const anexos = files.map(({ hash }) => hash);
  const input = { analise: ANALYSES[analysis], justificativa: body, anexos };
  await api.send('PUT', `${base}/defesa/${encodeURIComponent(key)}`, input);
}

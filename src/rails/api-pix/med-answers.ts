/**
 * Answers to MED cases by one of three interfaces. That of `crossramp psp` stores each file under its hash and the
 * answer under its id, so both can be repeated; the others are Efí's and the one described by the settings.
 */
import { type MedAnswerOrder, RailRefused } from '../../resolvers/services/rails.ts';
import type { ApiPix } from './client.ts';
import { answerEfi } from './efi-infractions.ts';
import { PspProblem, PspUnavailable } from './http.ts';
import { answerCase } from './http-med.ts';
import type { ApiPixSettings } from './settings.ts';

const ANALYSES = { contest: 'REJEITAR', agree: 'ACEITAR' } as const;
/** Temporary refusals, such as a rejected token or too many calls. */
const LATER = [401, 403, 408, 425, 429];

type Answering = (answer: MedAnswerOrder) => Promise<void>;
type Calling = Pick<ApiPix, 'send' | 'exchange'>;
/** Settings that choose the interface. */
type AnswerSettings = Pick<ApiPixSettings, 'infractionsUrl' | 'efiInfractionsUrl' | 'med' | 'clientId'>;

/** @returns a function that answers cases; undefined if the provider accepts no answers. */
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

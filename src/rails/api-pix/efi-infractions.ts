/**
 * Infractions (MED) in the interface of Efí (`GET /v2/gn/infracoes`, `POST …/{id}/defesa`). Infractions do not move
 * money: the statement's return by MED books the money of an accepted one. The member `valor` is not read, because Efí
 * does not document its unit.
 */
import { parseBrasiliaInstant } from '../../base/time/instant.ts';
import type { InfractionEvent } from '../../resolvers/services/rail-event.ts';
import type { MedAnswerOrder } from '../../resolvers/services/rails.ts';
import type { MedDecision } from '../../store/rails/med-cases.ts';
import type { ApiPix } from './client.ts';
import { PspProblem } from './http.ts';
import { WireError } from './wire.ts';

const DECISIONS: Readonly<Record<string, MedDecision | null>> = {
  ABERTA: null,
  EM_DEFESA: null,
  ACEITA: 'accepted',
  REJEITADA: 'rejected',
  CANCELADA_EFI: 'cancelled',
};
/** Values of the analysis; Efí's documentation shows only `aceito`. */
const ANALYSES = { contest: 'rejeitado', agree: 'aceito' } as const;
/** Status for an infraction that was answered before. */
const ANSWERED = 409;

/**
 * @returns the events of an entry: its opening, and its decision if there is one.
 * @throws {WireError} for an unreadable entry.
 */
export function readEfiInfraction(json: unknown, path: string): readonly InfractionEvent[] {
  const input = membersOf(json);
  const times = membersOf(input.dadosAnalise);
  const text = (members: Members, name: string): string => {
    const value = members[name];
    if (typeof value === 'string' && value !== '' && value.length <= 500) return value;
    throw new WireError(`${path}.${name} must be a text`);
  };
  const instant = (name: string): string => {
    const at = parseBrasiliaInstant(text(times, name));
    if (at) return at.toISOString();
    throw new WireError(`${path}.dadosAnalise.${name} must be an instant such as 2026-05-01T12:00:00Z`);
  };
  const decision = DECISIONS[text(input, 'status')];
  if (decision === undefined)
    throw new WireError(`${path}.status must be ${Object.keys(DECISIONS).join(', ')}`);
  const reasons = [input.razao, input.tipoSituacao].filter((each) => typeof each === 'string');
  const report: InfractionEvent = {
    kind: 'infraction',
    infractionId: text(input, 'idInfracao'),
    endToEndId: text(input, 'endToEndId'),
    amount: null,
    reason: reasons.join(': ') || null,
    reportedAt: instant('abertura'),
    dueAt: instant('prazoFinalizacao'),
  };
  return decision === null ? [report] : [report, { ...report, decision }];
}

/**
 * Answers an infraction. Efí accepts no files, so the text names them with their hashes.
 * @throws {PspProblem} {PspUnavailable}
 */
export async function answerEfi(
  api: Pick<ApiPix, 'send'>,
  infractionsUrl: string,
  { reference, analysis, body, files, isRepeat }: MedAnswerOrder,
): Promise<void> {
  const named = files.map(({ name, hash }) => `${name}: SHA-256 ${hash}`);
  const justificativa = [body, ...named].join('\n');
  try {
    const url = `${infractionsUrl}/${encodeURIComponent(reference)}/defesa`;
    await api.send('POST', url, { analise: ANALYSES[analysis], justificativa });
  } catch (error) {
    if (!(error instanceof PspProblem)) throw error;
    // Efí has no idempotency key: after a repeated request, the existing answer counts as this one.
    if (error.status !== ANSWERED || !isRepeat) throw error;
  }
}

type Members = Readonly<Record<string, unknown>>;

function membersOf(json: unknown): Members {
  return (typeof json === 'object' && json !== null ? json : {}) as Members;
}

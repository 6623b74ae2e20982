/**
 * Infractions (MED) as Efí lists and takes them (`GET /v2/gn/infracoes`, `POST …/{id}/defesa`). They are reports: the money of one that is
 * accepted is booked by the return by MED in the statement. Efí does not say in which unit `valor` is, so it is not read.
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
/** The documents of Efí show `aceito` alone. */
const ANALYSES = { contest: 'rejeitado', agree: 'aceito' } as const;
/** The infraction has an answer. */
const ANSWERED = 409;

/** @returns the report of an entry, and that of its decision. @throws {WireError} for an entry that cannot be read. */
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

/** Answers an infraction. Efí takes no files: the answer names them with their hashes. @throws {PspProblem} {PspUnavailable} */
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
    // Efí has no idempotency key: an answer that may have been sent before is the one that it has.
    if (error.status !== ANSWERED || !isRepeat) throw error;
  }
}

type Members = Readonly<Record<string, unknown>>;

function membersOf(json: unknown): Members {
  return (typeof json === 'object' && json !== null ? json : {}) as Members;
}

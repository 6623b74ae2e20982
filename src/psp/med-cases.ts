/**
 * Infractions in another form than API Pix uses, for tests of a rail whose settings describe the form: English words,
 * amounts in centavos, pages from 1.
 */
import { isoOf } from './clock.ts';
import { putDefence, putFile } from './defences.ts';
import { findInfraction, type InfractionRow, rowsOfInfractions } from './infractions.ts';
import { type Period, readPeriod } from './pages.ts';
import { type Body, type PspParts, textOf } from './parts.ts';
import { problem } from './problem.ts';

const PAGE_SIZE = 20;
const STATES: Readonly<Record<InfractionRow['status'], string>> = {
  ABERTA: 'RECEIVED',
  EM_DEFESA: 'CONTESTED',
  ACEITA: 'UPHELD',
  REJEITADA: 'DISMISSED',
  CANCELADA: 'WITHDRAWN',
};
const KINDS = { DISPUTA: 'REFUND_REQUEST', INFRACAO: 'FRAUD_REPORT' } as const;
const STANDPOINTS: Readonly<Record<string, string>> = { DISAGREE: 'REJEITAR', AGREE: 'ACEITAR' };

/** `GET /med/cases?since=&until=&page=`: cases that changed within a period. */
export function listMedCases(parts: PspParts, query: URLSearchParams): object {
  const [since, until] = [query.get('since') ?? '', query.get('until') ?? ''];
  const number = Number(query.get('page') ?? '1') - 1;
  if (!Number.isSafeInteger(number) || number < 0) throw problem(400, 'InvalidPage', 'page starts at 1.');
  const period: Period = readPeriod(new URLSearchParams({ inicio: since, fim: until }), 'InvalidPeriod');
  const { rows, pages } = rowsOfInfractions(parts, period, { number, size: PAGE_SIZE });
  return { data: { cases: rows.map(present) }, pageCount: pages };
}

/** `GET /med/cases/{id}`. */
export function getMedCase(parts: Pick<PspParts, 'store'>, id: string): object {
  const row = findInfraction(parts, id);
  if (!row) throw problem(404, 'CaseNotFound', 'There is no such case.');
  return { case: present(row) };
}

/** `PUT /med/cases/{id}/files/{sha256}`. */
export function putMedFile(parts: PspParts, named: readonly [string, string], body: Body): object {
  const { name, type, content } = body;
  return putFile(parts, named, { nome: name, tipo: type, conteudo: content });
}

/** `PUT /med/cases/{id}/answers/{answerId}`. */
export function putMedAnswer(parts: PspParts, named: readonly [string, string], body: Body): object {
  const { standpoint, text, files } = body;
  const analise = STANDPOINTS[textOf(standpoint) ?? ''];
  return putDefence(parts, named, { analise, justificativa: text, anexos: files });
}

function present({ id, endToEndId, kind, status, amount, reason, atMs, dueMs }: InfractionRow): object {
  return {
    id,
    transfer: { e2e: endToEndId, ...(amount !== null && { cents: Number(amount.replace('.', '')) }) },
    type: KINDS[kind],
    status: STATES[status],
    ...(reason !== null && { reason }),
    openedAt: isoOf(atMs),
    ...(dueMs !== null && { answerBy: isoOf(dueMs) }),
  };
}

/**
 * Disputes and reports of fraud (MED). API Pix lacks them, and each PSP reports them in its own form. The form here is
 * specific to `crossramp psp`: a callback to `{webhookUrl}/infracoes`, and a list.
 */
import { isoOf } from './clock.ts';
import { debitDispute } from './med-returns.ts';
import { type Page, type Period, pageOf } from './pages.ts';
import type { PspParts } from './parts.ts';
import { problem } from './problem.ts';
import { findPix, leftOf, reportPix } from './received.ts';

/** An infraction: a report, or a dispute that blocks money until it is decided. */
export interface InfractionRow {
  readonly id: string;
  readonly endToEndId: string;
  readonly kind: 'INFRACAO' | 'DISPUTA';
  readonly status: 'ABERTA' | 'EM_DEFESA' | 'ACEITA' | 'REJEITADA' | 'CANCELADA';
  readonly amount: string | null;
  readonly reason: string | null;
  readonly atMs: number;
  /** Time limit of an answer; null if the PSP does not report it. */
  readonly dueMs: number | null;
}

/** Time in which the receiving bank analyses an infraction. */
const ANALYSIS_MS = 7 * 86_400_000;
const COLUMNS =
  'id, end_to_end_id as "endToEndId", kind, status, amount, reason, at_ms as "atMs", due_ms as "dueMs"';

/** Opens an infraction, or changes its status. An accepted dispute is debited. @returns ids of the callbacks. */
export function setInfraction(parts: PspParts, row: InfractionRow): readonly number[] {
  parts.store.run(
    `insert into infraction (id, end_to_end_id, kind, status, amount, reason, at_ms, due_ms) values (?, ?, ?, ?, ?, ?, ?, ?)
     on conflict do update set status = excluded.status, at_ms = excluded.at_ms`,
    row.id,
    row.endToEndId,
    row.kind,
    row.status,
    row.amount,
    row.reason,
    row.atMs,
    row.dueMs,
  );
  const pix = findPix(parts, row.endToEndId);
  const hook = parts.store.one<{ url: string }>(
    'select url from webhook where key = ?',
    pix?.key ?? String(parts.holder.keys[0]),
  );
  const callbacks = hook ? parts.callbacks.add(`${hook.url}/infracoes`, { infracoes: [present(row)] }) : [];
  const isAccepted = row.kind === 'DISPUTA' && row.status === 'ACEITA';
  if (!pix || !isAccepted || !debitDispute(parts, opened(parts, row), leftOf(parts, pix))) return callbacks;
  return [...callbacks, ...reportPix(parts, pix)];
}

/** Completes a row from its opening, because a decision need not repeat the amount. */
function opened(parts: PspParts, row: InfractionRow): InfractionRow {
  return findInfraction(parts, row.id) ?? row;
}

/** @returns the infraction; undefined for an unknown id. */
export function findInfraction({ store }: Pick<PspParts, 'store'>, id: string): InfractionRow | undefined {
  return store.one<InfractionRow>(`select ${COLUMNS} from infraction where id = ?`, id);
}

/** `GET /v2/gn/infracoes/{id}`. */
export function getInfraction(parts: Pick<PspParts, 'store'>, id: string): object {
  const row = findInfraction(parts, id);
  if (!row) throw problem(404, 'InfracaoNaoEncontrada', 'Infração não encontrada.');
  return present(row);
}

/** `GET /v2/gn/infracoes`: infractions that changed within a period. */
export function listInfractions(parts: PspParts, period: Period, page: Page): object {
  const { rows, paginacao } = rowsOfInfractions(parts, period, page);
  return { parametros: { ...period.requested, paginacao }, infracoes: rows.map(present) };
}

/** @returns a page of the infractions that changed within a period. */
export function rowsOfInfractions(
  { store }: Pick<PspParts, 'store'>,
  { fromMs, untilMs }: Period,
  page: Page,
) {
  const values = [fromMs, untilMs];
  const source = { columns: COLUMNS, from: 'infraction', where: 'at_ms between ? and ?', values, page };
  return pageOf<InfractionRow>(store, source, ['at_ms', 'id']);
}

function present(row: InfractionRow): object {
  const { id, endToEndId, kind, status, amount, reason, atMs, dueMs } = row;
  return {
    idInfracao: id,
    endToEndId,
    tipo: kind,
    status,
    ...(amount !== null && { valor: amount }),
    ...(reason !== null && { motivo: reason }),
    horario: isoOf(atMs),
    ...(dueMs !== null && { prazo: isoOf(dueMs) }),
    // Efí has this member.
    razao: reason ?? 'Solicitação de devolução',
    dadosAnalise: { abertura: isoOf(atMs), prazoFinalizacao: isoOf(dueMs ?? atMs + ANALYSIS_MS) },
  };
}

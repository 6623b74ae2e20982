/**
 * Disputes and reports of fraud (MED). API Pix lacks them, and each PSP reports them in its own way; this is ours: a
 * callback to `{webhookUrl}/infracoes`, and a list.
 */
import { isoOf } from './clock.ts';
import { debitDispute } from './med-returns.ts';
import { type Page, type Period, pageOf } from './pages.ts';
import type { PspParts } from './parts.ts';
import { findPix, leftOf, tellPix } from './received.ts';

/** An infraction: a report, or a dispute that blocks money until it is decided. */
export interface InfractionRow {
  readonly id: string;
  readonly endToEndId: string;
  readonly kind: 'INFRACAO' | 'DISPUTA';
  readonly status: 'ABERTA' | 'ACEITA' | 'REJEITADA';
  readonly amount: string | null;
  readonly reason: string | null;
  readonly atMs: number;
}

const COLUMNS = 'id, end_to_end_id as "endToEndId", kind, status, amount, reason, at_ms as "atMs"';

/** Opens an infraction, or changes its status; a dispute that is accepted is debited. @returns ids of the callbacks. */
export function setInfraction(parts: PspParts, row: InfractionRow): readonly number[] {
  parts.store.run(
    `insert into infraction values (?, ?, ?, ?, ?, ?, ?)
     on conflict do update set status = excluded.status, at_ms = excluded.at_ms`,
    row.id,
    row.endToEndId,
    row.kind,
    row.status,
    row.amount,
    row.reason,
    row.atMs,
  );
  const pix = findPix(parts, row.endToEndId);
  const hook = parts.store.one<{ url: string }>(
    'select url from webhook where key = ?',
    pix?.key ?? String(parts.holder.keys[0]),
  );
  const told = hook ? parts.callbacks.add(`${hook.url}/infracoes`, { infracoes: [present(row)] }) : [];
  const isAccepted = row.kind === 'DISPUTA' && row.status === 'ACEITA';
  if (!pix || !isAccepted || !debitDispute(parts, opened(parts, row), leftOf(parts, pix))) return told;
  return [...told, ...tellPix(parts, pix)];
}

/** As it was opened: a decision about it need not repeat the amount. */
function opened({ store }: PspParts, row: InfractionRow): InfractionRow {
  return store.one<InfractionRow>(`select ${COLUMNS} from infraction where id = ?`, row.id) ?? row;
}

/** `GET /v2/gn/infracoes`: changes within a period. */
export function listInfractions(parts: PspParts, period: Period, page: Page): object {
  const values = [period.fromMs, period.untilMs];
  const source = { columns: COLUMNS, from: 'infraction', where: 'at_ms between ? and ?', values, page };
  const { rows, paginacao } = pageOf<InfractionRow>(parts.store, source, ['at_ms', 'id']);
  return { parametros: { ...period.asked, paginacao }, infracoes: rows.map(present) };
}

function present({ id, endToEndId, kind, status, amount, reason, atMs }: InfractionRow): object {
  return {
    idInfracao: id,
    endToEndId,
    tipo: kind,
    status,
    ...(amount !== null && { valor: amount }),
    ...(reason !== null && { motivo: reason }),
    horario: isoOf(atMs),
  };
}

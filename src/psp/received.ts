/** Received PIX (`/pix`), and their refunds (`/pix/{e2eid}/devolucao/{id}`). */
import { newReturnId } from '../base/pix/end-to-end-id.ts';
import { isoOf } from './clock.ts';
import { medAmounts, presentMedReturns } from './med-returns.ts';
import { type Page, type Period, pageOf } from './pages.ts';
import { type Body, Check, cents, isAmount, type PspParts, textOf } from './parts.ts';
import { consumePlan } from './plans.ts';
import { problem } from './problem.ts';

/** A stored PIX that was received. */
export interface PixRow {
  readonly endToEndId: string;
  readonly txid: string | null;
  readonly key: string;
  readonly amount: string;
  readonly settledMs: number;
  readonly payerTaxId: string | null;
  readonly payerName: string | null;
  readonly info: string | null;
}

/** A stored refund. */
export interface RefundRow {
  readonly endToEndId: string;
  readonly id: string;
  readonly returnId: string;
  readonly amount: string;
  readonly status: 'EM_PROCESSAMENTO' | 'DEVOLVIDO' | 'NAO_REALIZADO';
  readonly askedMs: number;
  readonly endedMs: number | null;
  readonly reason: string | null;
  readonly description: string | null;
  readonly isPlannedToFail: number;
}

const PIX_COLUMNS = `end_to_end_id as "endToEndId", txid, key, amount, settled_ms as "settledMs",
  payer_tax_id as "payerTaxId", payer_name as "payerName", info`;
const REFUND_COLUMNS = `end_to_end_id as "endToEndId", id, return_id as "returnId", amount, status, asked_ms as "askedMs",
  ended_ms as "endedMs", reason, description, is_planned_to_fail as "isPlannedToFail"`;
const REFUND_ID = /^[a-zA-Z0-9]{1,35}$/;
/** Reported reason of a refund that was planned to fail. */
const FAILED = 'Conta transacional do usuário pagador encerrada.';
const REFUNDABLE_MS = 90 * 86_400_000;
const CPF_LENGTH = 11;
const INVALID = 'PixDevolucaoInvalida';

/** @returns the PIX; undefined if it does not exist. */
export function findPix({ store }: Pick<PspParts, 'store'>, endToEndId: string): PixRow | undefined {
  return store.one<PixRow>(`select ${PIX_COLUMNS} from pix where end_to_end_id = ?`, endToEndId);
}

/** Stores a received PIX, and a callback if it paid a charge. @returns ids of the callbacks. */
export function receivePix(parts: PspParts, row: PixRow): readonly number[] {
  parts.store.run(
    'insert into pix values (?, ?, ?, ?, ?, ?, ?, ?)',
    row.endToEndId,
    row.txid,
    row.key,
    row.amount,
    row.settledMs,
    row.payerTaxId,
    row.payerName,
    row.info,
  );
  return reportPix(parts, row);
}

/** `GET /pix/{e2eid}`. */
export function getPix(parts: PspParts, endToEndId: string): object {
  return present(parts, found(parts, endToEndId));
}

/** `GET /pix`: PIX received in a period. */
export function listPix(parts: PspParts, period: Period, page: Page, filters: URLSearchParams): object {
  const txid = filters.get('txid');
  const isOfCharge = flag(filters, 'txIdPresente');
  const isRefunded = flag(filters, 'devolucaoPresente');
  const taxId = filters.get('cpf') ?? filters.get('cnpj');
  const where = `settled_ms between ? and ? and (? is null or txid = ?) and (? is null or (txid is not null) = ?)
    and (? is null or (exists (select 1 from refund r where r.end_to_end_id = pix.end_to_end_id)
      or exists (select 1 from med_return m where m.end_to_end_id = pix.end_to_end_id)) = ?)
    and (? is null or payer_tax_id = ?)`;
  const parameters = [txid, txid, isOfCharge, isOfCharge, isRefunded, isRefunded, taxId, taxId];
  const values = [period.fromMs, period.untilMs, ...parameters];
  const { rows, paginacao } = pageOf<PixRow>(
    parts.store,
    { columns: PIX_COLUMNS, from: 'pix', where, values, page },
    ['settled_ms', 'end_to_end_id'],
  );
  const filter = { ...(txid && { txid }), ...(filters.has('cpf') && { cpf: filters.get('cpf') }) };
  return {
    parametros: { ...period.requested, ...filter, paginacao },
    pix: rows.map((row) => present(parts, row)),
  };
}

/** @returns the PIX that paid a charge. */
export function pixOfCharge(parts: PspParts, txid: string): readonly object[] {
  return parts.store
    .all<PixRow>(`select ${PIX_COLUMNS} from pix where txid = ? order by settled_ms, end_to_end_id`, txid)
    .map((row) => present(parts, row));
}

/** `PUT /pix/{e2eid}/devolucao/{id}`: refunds a PIX or a part of it. */
export function putRefund(parts: PspParts, endToEndId: string, id: string, body: Body): object {
  new Check()
    .holds(REFUND_ID.test(id), 'id', 'O id da devolução não respeita o schema.')
    .holds(isAmount(body.valor), 'devolucao.valor', 'O campo devolucao.valor não respeita o schema.')
    .refuseAs(INVALID, 'A presente requisição de devolução não respeita o schema.');
  const { store, clock, holder } = parts;
  const valor = String(body.valor);
  return store.atOnce(() => {
    const pix = found(parts, endToEndId);
    const before = refundsOf(parts, endToEndId);
    const now = clock.now();
    if (before.some((refund) => refund.id === id))
      throw invalid('O id já foi utilizado por outra devolução do Pix.');
    if (cents([valor]) > leftOf(parts, pix)) throw invalid('As devoluções excederiam o valor do Pix.');
    if (now - pix.settledMs > REFUNDABLE_MS) throw invalid('A devolução viola a janela de tempo de 90 dias.');
    const plan = consumePlan(store, 'refund', { endToEndId, id, amount: valor });
    store.run(
      'insert into refund values (?, ?, ?, ?, ?, ?, ?, null, ?, ?, ?)',
      endToEndId,
      id,
      newReturnId({ ispb: holder.ispb, at: new Date(now) }),
      valor,
      'EM_PROCESSAMENTO',
      now,
      now + parts.settleMs,
      plan ? (plan.reason ?? FAILED) : null,
      textOf(body.descricao),
      plan ? 1 : 0,
    );
    return presentRefund(foundRefund(parts, endToEndId, id));
  });
}

/** @returns the part of a PIX that is neither refunded nor being refunded. Unit: cents. */
export function leftOf(
  parts: PspParts,
  { endToEndId, amount }: Pick<PixRow, 'endToEndId' | 'amount'>,
): bigint {
  const refunds = refundsOf(parts, endToEndId).filter(({ status }) => status !== 'NAO_REALIZADO');
  const gone = [...refunds.map((refund) => refund.amount), ...medAmounts(parts, endToEndId)];
  return cents([amount]) - cents(gone);
}

/** `GET /pix/{e2eid}/devolucao/{id}`. */
export function getRefund(parts: PspParts, endToEndId: string, id: string): object {
  return presentRefund(foundRefund(parts, endToEndId, id));
}

/** Ends a refund. @returns ids of the callbacks; empty if the refund had ended before. */
export function endRefund(
  parts: PspParts,
  refund: RefundRow,
  isDone: boolean,
  reason?: string,
): readonly number[] {
  const { endToEndId, id } = refund;
  const ended = parts.store.run(
    `update refund set status = ?, due_ms = null, ended_ms = ?, reason = ? where end_to_end_id = ? and id = ?
       and status = 'EM_PROCESSAMENTO'`,
    isDone ? 'DEVOLVIDO' : 'NAO_REALIZADO',
    parts.clock.now(),
    isDone ? null : (reason ?? refund.reason ?? FAILED),
    endToEndId,
    id,
  );
  return ended.changes > 0 ? reportPix(parts, found(parts, endToEndId)) : [];
}

/** Ends due refunds. */
export function settleRefunds(parts: PspParts): void {
  const due = parts.store.all<RefundRow>(
    `select ${REFUND_COLUMNS} from refund where due_ms <= ? order by due_ms limit 100`,
    parts.clock.now(),
  );
  for (const refund of due) parts.store.atOnce(() => endRefund(parts, refund, refund.isPlannedToFail === 0));
}

/** @returns the refund with this id, of any PIX. */
export function refundNamed({ store }: PspParts, id: string): RefundRow | undefined {
  return store.one<RefundRow>(`select ${REFUND_COLUMNS} from refund where id = ?`, id);
}

/**
 * Reports a PIX by callback if it paid a charge; by the standard, other PIX are found only by a query.
 * @returns ids of the callbacks.
 */
export function reportPix(parts: PspParts, row: PixRow): readonly number[] {
  if (row.txid === null) return [];
  const hook = parts.store.one<{ url: string }>('select url from webhook where key = ?', row.key);
  return hook ? parts.callbacks.add(`${hook.url}/pix`, { pix: [present(parts, row)] }) : [];
}

function present(parts: PspParts, row: PixRow): object {
  const refunds = refundsOf(parts, row.endToEndId).map(presentRefund);
  const devolucoes = [...refunds, ...presentMedReturns(parts, row.endToEndId)];
  return {
    endToEndId: row.endToEndId,
    ...(row.txid !== null && { txid: row.txid }),
    valor: row.amount,
    componentesValor: { original: { valor: row.amount } },
    chave: row.key,
    horario: isoOf(row.settledMs),
    ...(row.info !== null && { infoPagador: row.info }),
    ...(devolucoes.length > 0 && { devolucoes }),
    // The standard omits the payer; Efí reports the payer in this member.
    ...(row.payerTaxId !== null && { gnExtras: { pagador: person(row.payerTaxId, row.payerName) } }),
  };
}

/** @returns a person by CPF or CNPJ. */
export function person(taxId: string, nome: string | null): object {
  return { ...(nome !== null && { nome }), [taxId.length === CPF_LENGTH ? 'cpf' : 'cnpj']: taxId };
}

function presentRefund(row: RefundRow): object {
  return {
    id: row.id,
    rtrId: row.returnId,
    valor: row.amount,
    natureza: 'ORIGINAL',
    ...(row.description !== null && { descricao: row.description }),
    horario: {
      solicitacao: isoOf(row.askedMs),
      ...(row.status === 'DEVOLVIDO' && row.endedMs !== null && { liquidacao: isoOf(row.endedMs) }),
    },
    status: row.status,
    ...(row.status === 'NAO_REALIZADO' && { motivo: row.reason }),
  };
}

function refundsOf({ store }: PspParts, endToEndId: string): readonly RefundRow[] {
  return store.all<RefundRow>(
    `select ${REFUND_COLUMNS} from refund where end_to_end_id = ? order by asked_ms, id`,
    endToEndId,
  );
}

/** @throws {Refused} if the PIX does not exist. */
function found(parts: PspParts, endToEndId: string): PixRow {
  const pix = findPix(parts, endToEndId);
  if (!pix) throw problem(404, 'PixNaoEncontrado', 'Pix não encontrado para o e2eid informado.');
  return pix;
}

function foundRefund(parts: PspParts, endToEndId: string, id: string): RefundRow {
  const refund = refundsOf(parts, endToEndId).find((each) => each.id === id);
  if (!refund)
    throw problem(
      404,
      'PixDevolucaoNaoEncontrada',
      'Devolução não encontrada para o e2eid e o id informados.',
    );
  return refund;
}

function invalid(detail: string) {
  return problem(400, INVALID, detail, [{ propriedade: 'devolucao', razao: detail }]);
}

/** @returns a boolean query member as an SQL value. */
function flag(query: URLSearchParams, name: string): number | null {
  const text = query.get(name);
  return text === null ? null : Number(text === 'true');
}

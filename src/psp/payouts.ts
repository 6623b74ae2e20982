/**
 * PIX payouts (*envio de Pix*) in the form of Efí, since API Pix has no such calls. A callback and a query report the
 * result.
 */

import { toMinor } from '../base/money/money.ts';
import { newEndToEndId, newReturnId } from '../base/pix/end-to-end-id.ts';
import { isoOf } from './clock.ts';
import { type Page, type Period, pageOf } from './pages.ts';
import { type Body, cents, isAmount, objectOf, type PspParts, textOf } from './parts.ts';
import { consumePlan } from './plans.ts';
import { problem, refusal } from './problem.ts';

/** A stored payout. */
export interface PayoutRow {
  readonly id: string;
  readonly endToEndId: string;
  readonly amount: string;
  readonly payerKey: string;
  readonly payeeKey: string;
  readonly info: string | null;
  readonly status: 'EM_PROCESSAMENTO' | 'REALIZADO' | 'NAO_REALIZADO';
  readonly askedMs: number;
  readonly endedMs: number | null;
  readonly reason: string | null;
  readonly isPlannedToFail: number;
}

/** A return of a payout. */
interface ReturnRow {
  readonly returnId: string;
  readonly payoutId: string;
  readonly amount: string;
  readonly atMs: number;
}

const COLUMNS = `id, end_to_end_id as "endToEndId", amount, payer_key as "payerKey", payee_key as "payeeKey", info, status,
  asked_ms as "askedMs", ended_ms as "endedMs", reason, is_planned_to_fail as "isPlannedToFail"`;
const RETURN_COLUMNS = 'return_id as "returnId", payout_id as "payoutId", amount, at_ms as "atMs"';
const ID = /^[a-zA-Z0-9]{1,35}$/;
const FAILED = 'Número da agência e/ou conta transacional do usuário recebedor inexistente ou inválido';
const ERROR = { codigo: 'AC03', origem: 'PSP do usuário recebedor' } as const;
/**
 * Amounts that determine the outcome if `playsAmounts` is set. Up to `done` a payout succeeds, up to `failed` it fails.
 * Unit: cents.
 */
const PLAYED = { done: 1_000n, failed: 2_000n } as const;
const PLAYED_RETURNS: ReadonlyMap<string, readonly string[]> = new Map([
  ['4.00', ['2.00', '2.00']],
  ['5.00', ['5.00']],
]);

/** `PUT /v3/gn/pix/{idEnvio}`: sends a PIX to a key. */
export function putPayout(parts: PspParts, id: string, body: Body): object {
  const { store, holder } = parts;
  const [payer, payee, valor] = [objectOf(body.pagador), objectOf(body.favorecido), body.valor];
  if (!ID.test(id)) throw refusal(400, 'valor_invalido', 'Campo idEnvio deve ter de 1 a 35 letras e números');
  if (!holder.keys.includes(String(payer.chave)))
    throw refusal(400, 'chave_invalida', 'A chave informada não faz referência à conta autenticada');
  if (textOf(payee.chave) === null)
    throw refusal(400, 'valor_invalido', 'Campo favorecido.chave deve ser informado');
  return store.atOnce(() => {
    if (!store.one('select 1 from webhook where key = ?', String(payer.chave)))
      throw refusal(400, 'webhook_nao_cadastrado', 'A chave do pagador não tem um webhook associado');
    if (find(parts, 'id', id))
      throw refusal(409, 'id_envio_duplicado', 'O id de envio informado já foi utilizado em outro pagamento');
    const order = { id, amount: valor, payeeKey: String(payee.chave), info: textOf(payer.infoPagador) };
    const { endToEndId: e2eId, status, askedMs: requestedMs } = addPayout(parts, order);
    return { idEnvio: id, e2eId, valor, horario: { solicitacao: isoOf(requestedMs) }, status };
  });
}

/** Stores a payout to be executed. @throws {Refused} for an invalid amount, or an amount that plays a refusal. */
export function addPayout(
  parts: PspParts,
  order: {
    readonly id: string;
    readonly amount: unknown;
    readonly payeeKey: string;
    readonly info: string | null;
  },
): PayoutRow {
  const { store, clock, holder } = parts;
  const { id, amount, payeeKey, info } = order;
  if (!isAmount(amount))
    throw refusal(400, 'valor_invalido', 'Campo valor deve ser maior que zero, como 12.34');
  const minor = toMinor(amount, 2);
  if (parts.playsAmounts && minor > PLAYED.failed)
    throw refusal(422, 'pagamento_negado', 'Pagamento negado por análises');
  const plan = consumePlan(store, 'payout', { id, amount, payeeKey });
  const isFailing = plan !== undefined || (parts.playsAmounts && minor > PLAYED.done);
  const now = clock.now();
  store.run(
    `insert into payout values (?, ?, ?, ?, ?, ?, 'EM_PROCESSAMENTO', ?, ?, null, ?, ?)`,
    id,
    newEndToEndId({ ispb: holder.ispb, at: new Date(now) }),
    amount,
    holder.keys[0] as string,
    payeeKey,
    info,
    now,
    now + parts.settleMs,
    plan?.reason ?? null,
    isFailing ? 1 : 0,
  );
  return find(parts, 'id', id) as PayoutRow;
}

/** @returns the payout with this id or EndToEndId; undefined if it does not exist. */
export function payoutBy(parts: PspParts, by: 'id' | 'end_to_end_id', value: string): PayoutRow | undefined {
  return find(parts, by, value);
}

/** `GET /v2/gn/pix/enviados/id-envio/{idEnvio}`, and by EndToEndId. */
export function getPayout(parts: PspParts, by: 'id' | 'end_to_end_id', value: string): object {
  const row = find(parts, by, value);
  if (!row)
    throw problem(
      404,
      'PixEnviadoNaoEncontrado',
      'Pix enviado não encontrado para o identificador informado.',
    );
  return present(parts, row);
}

/** `GET /v2/gn/pix/enviados`: payouts of a period. */
export function listPayouts(parts: PspParts, period: Period, page: Page): object {
  const where = 'asked_ms between ? and ?';
  const values = [period.fromMs, period.untilMs];
  const source = { columns: COLUMNS, from: 'payout', where, values, page };
  const { rows, paginacao } = pageOf<PayoutRow>(parts.store, source, ['asked_ms', 'id']);
  return { parametros: { ...period.requested, paginacao }, pix: rows.map((row) => present(parts, row)) };
}

/** `GET /v2/gn/saldo`: balance of the account. */
export function getBalance({ store }: PspParts): object {
  const amounts = (sql: string) => cents(store.all<{ amount: string }>(sql).map(({ amount }) => amount));
  const held =
    amounts('select amount from pix') +
    amounts('select amount from payout_return where due_ms is null') -
    amounts(`select amount from refund where status <> 'NAO_REALIZADO'`) -
    amounts('select amount from med_return') -
    amounts(`select amount from payout where status <> 'NAO_REALIZADO'`);
  const digits = String(held < 0n ? -held : held).padStart(3, '0');
  return { saldo: `${held < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}` };
}

/** @returns the payout whose id or EndToEndId is this name; undefined if it does not exist. */
export function payoutNamed(parts: PspParts, name: string): PayoutRow | undefined {
  return find(parts, 'id', name) ?? find(parts, 'end_to_end_id', name);
}

/** Ends a payout. @returns ids of the callbacks; empty if the payout had ended before. */
export function endPayout(
  parts: PspParts,
  row: PayoutRow,
  isDone: boolean,
  reason?: string,
): readonly number[] {
  const now = parts.clock.now();
  const ended = parts.store.run(
    `update payout set status = ?, due_ms = null, ended_ms = ?, reason = ? where id = ? and status = 'EM_PROCESSAMENTO'`,
    isDone ? 'REALIZADO' : 'NAO_REALIZADO',
    now,
    isDone ? null : (reason ?? row.reason ?? FAILED),
    row.id,
  );
  if (ended.changes === 0) return [];
  const returns = isDone && parts.playsAmounts ? (PLAYED_RETURNS.get(row.amount) ?? []) : [];
  for (const amount of returns)
    addReturn(parts, row, { amount, atMs: now + parts.settleMs, dueMs: now + parts.settleMs });
  return report(parts, find(parts, 'id', row.id) as PayoutRow);
}

/** Returns a payout, or a part of it, now. @returns its return id, and ids of the callbacks. */
export function returnPayout(
  parts: PspParts,
  row: PayoutRow,
  returned: { readonly amount?: string; readonly returnId?: string },
): { readonly returnId: string; readonly callbacks: readonly number[] } {
  const returnId = addReturn(parts, row, {
    amount: returned.amount ?? row.amount,
    atMs: parts.clock.now(),
    dueMs: null,
    ...(returned.returnId !== undefined && { returnId: returned.returnId }),
  });
  return { returnId, callbacks: report(parts, row) };
}

/** Ends due payouts, and makes due returns. */
export function settlePayouts(parts: PspParts): void {
  const now = parts.clock.now();
  const due = parts.store.all<PayoutRow>(
    `select ${COLUMNS} from payout where due_ms <= ? order by due_ms limit 100`,
    now,
  );
  for (const row of due) parts.store.atOnce(() => endPayout(parts, row, row.isPlannedToFail === 0));
  const back = parts.store.all<ReturnRow>(
    `select ${RETURN_COLUMNS} from payout_return where due_ms <= ?`,
    now,
  );
  for (const { returnId, payoutId } of back)
    parts.store.atOnce(() => {
      parts.store.run('update payout_return set due_ms = null where return_id = ?', returnId);
      report(parts, find(parts, 'id', payoutId) as PayoutRow);
    });
}

function addReturn(
  { store, holder }: PspParts,
  { id }: PayoutRow,
  of: {
    readonly amount: string;
    readonly atMs: number;
    readonly dueMs: number | null;
    readonly returnId?: string;
  },
): string {
  const returnId = of.returnId ?? newReturnId({ ispb: holder.ispb, at: new Date(of.atMs) });
  store.run('insert into payout_return values (?, ?, ?, ?, ?)', returnId, id, of.amount, of.atMs, of.dueMs);
  return returnId;
}

function find({ store }: PspParts, by: 'id' | 'end_to_end_id', value: string): PayoutRow | undefined {
  return store.one<PayoutRow>(`select ${COLUMNS} from payout where ${by} = ?`, value);
}

function returnsOf({ store }: PspParts, id: string): readonly object[] {
  return store
    .all<ReturnRow>(
      `select ${RETURN_COLUMNS} from payout_return where payout_id = ? and due_ms is null order by at_ms, return_id`,
      id,
    )
    .map(({ returnId: rtrId, amount: valor, atMs }) => ({
      rtrId,
      valor,
      horario: { liquidacao: isoOf(atMs) },
      status: 'DEVOLVIDO',
    }));
}

function report(parts: PspParts, row: PayoutRow): readonly number[] {
  const hook = parts.store.one<{ url: string }>('select url from webhook where key = ?', row.payerKey);
  if (!hook || parts.profile.payouts !== 'efi') return [];
  const devolucoes = returnsOf(parts, row.id);
  const isFailed = row.status === 'NAO_REALIZADO';
  const pix = {
    endToEndId: row.endToEndId,
    chave: row.payerKey,
    tipo: 'SOLICITACAO',
    status: row.status,
    valor: row.amount,
    horario: row.status === 'REALIZADO' && row.endedMs !== null ? isoOf(row.endedMs) : null,
    ...(row.info !== null && { infoPagador: row.info }),
    gnExtras: { idEnvio: row.id, ...(isFailed && { erro: { ...ERROR, motivo: row.reason } }) },
    ...(devolucoes.length > 0 && { devolucoes }),
  };
  return parts.callbacks.add(`${hook.url}/pix`, { pix: [pix] });
}

function present(parts: PspParts, row: PayoutRow): object {
  const devolucoes = returnsOf(parts, row.id);
  const isDone = row.status === 'REALIZADO' && row.endedMs !== null;
  return {
    endToEndId: row.endToEndId,
    idEnvio: row.id,
    valor: row.amount,
    chave: row.payerKey,
    status: row.status,
    ...(row.info !== null && { infoPagador: row.info }),
    horario: { solicitacao: isoOf(row.askedMs), ...(isDone && { liquidacao: isoOf(row.endedMs as number) }) },
    favorecido: { chave: row.payeeKey },
    ...(row.status === 'NAO_REALIZADO' && { gnExtras: { erro: { ...ERROR, motivo: row.reason } } }),
    ...(devolucoes.length > 0 && { devolucoes }),
  };
}

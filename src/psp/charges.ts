/** Charges (`/cob`), and the payload at the location of a code. */
import { randomBytes } from 'node:crypto';
import { dynamicBrCode } from '../base/pix/br-code.ts';
import { isoOf } from './clock.ts';
import { type Page, type Period, pageOf } from './pages.ts';
import { type Body, Check, isAmount, objectOf, type PspParts } from './parts.ts';
import { consumePlan } from './plans.ts';
import { problem, Refused } from './problem.ts';
import { pixOfCharge } from './received.ts';

/** A stored charge. */
export interface ChargeRow {
  readonly txid: string;
  readonly key: string;
  readonly amount: string;
  readonly status: 'ATIVA' | 'CONCLUIDA' | 'REMOVIDA_PELO_USUARIO_RECEBEDOR';
  readonly revision: number;
  readonly createdMs: number;
  readonly expiresS: number;
  readonly locationId: number;
  readonly token: string;
  /** Body of the creation, as JSON. */
  readonly given: string;
  /** Body with all revisions applied, as JSON. */
  readonly revised: string;
}

const COLUMNS = `txid, key, amount, status, revision, created_ms as "createdMs", expires_s as "expiresS",
  location_id as "locationId", token, given, revised`;
const TXID = /^[a-zA-Z0-9]{26,35}$/;
const TAX_IDS = { cpf: /^\d{11}$/, cnpj: /^[0-9A-Z]{14}$/ } as const;
/** Default validity in the standard, a day. Unit: s. */
const EXPIRES_S = 86_400;
const INVALID = 'CobOperacaoInvalida';
const INVALID_DETAIL =
  'A requisição que busca alterar ou criar uma cobrança para pagamento imediato não respeita o schema ou está semanticamente errada.';
const REMOVED = 'REMOVIDA_PELO_USUARIO_RECEBEDOR';
const TOKEN_BYTES = 16;

/** @returns the charge; undefined if it does not exist. */
export function findCharge({ store }: Pick<PspParts, 'store'>, txid: string): ChargeRow | undefined {
  return store.one<ChargeRow>(`select ${COLUMNS} from charge where txid = ?`, txid);
}

/** `PUT /cob/{txid}`: creates a charge, or revises an active one. */
export function putCharge(parts: PspParts, txid: string, body: Body): object {
  checkCharge(parts, body, true)
    .holds(TXID.test(txid), 'txid', 'O txid não respeita o schema.')
    .refuseAs(INVALID, INVALID_DETAIL);
  const { store, clock } = parts;
  const stored = JSON.stringify(body);
  // A refusal uses up its plan too, so the error is thrown after the commit.
  const answer = store.atOnce(() => {
    const charge = findCharge(parts, txid);
    if (charge) {
      if (charge.status !== 'ATIVA') throw notActive();
      return present(parts, charge.given === stored ? charge : revise(parts, charge, body, stored));
    }
    const amount = String(objectOf(body.valor).original);
    const plan = consumePlan(store, 'charge', { txid, amount });
    if (plan) return problem(400, INVALID, plan.reason ?? 'A cobrança não pode ser criada.');
    store.run(
      `insert into charge values (?, ?, ?, 'ATIVA', 0, ?, ?, (select coalesce(max(location_id), 0) + 1 from charge), ?, ?, ?)`,
      txid,
      String(body.chave),
      amount,
      clock.now(),
      expiresIn(body) ?? EXPIRES_S,
      randomBytes(TOKEN_BYTES).toString('hex'),
      stored,
      stored,
    );
    return present(parts, found(parts, txid));
  });
  if (answer instanceof Refused) throw answer;
  return answer;
}

/** Marks an active charge as paid. */
export function concludeCharge({ store }: PspParts, txid: string): void {
  store.run(`update charge set status = 'CONCLUIDA' where txid = ? and status = 'ATIVA'`, txid);
}

/** `PATCH /cob/{txid}`: revises or cancels a charge. */
export function patchCharge(parts: PspParts, txid: string, body: Body): object {
  checkCharge(parts, body, false)
    .holds(
      body.status === undefined || body.status === REMOVED,
      'cob.status',
      `O status só pode ser ${REMOVED}.`,
    )
    .refuseAs(INVALID, INVALID_DETAIL);
  return parts.store.atOnce(() => {
    const charge = found(parts, txid);
    if (charge.status !== 'ATIVA') throw notActive();
    return present(parts, revise(parts, charge, body));
  });
}

/** `GET /cob/{txid}`. */
export function getCharge(parts: PspParts, txid: string): object {
  return complete(parts, found(parts, txid));
}

/** `GET /cob`: charges created in a period. */
export function listCharges(parts: PspParts, period: Period, page: Page, filters: URLSearchParams): object {
  const status = filters.get('status');
  const [from, where, values] = [
    'charge',
    'created_ms between ? and ? and (? is null or status = ?)',
    [period.fromMs, period.untilMs, status, status] as const,
  ];
  const { rows, paginacao } = pageOf<ChargeRow>(
    parts.store,
    { columns: COLUMNS, from, where, values, page },
    ['created_ms', 'txid'],
  );
  return {
    parametros: { ...period.requested, ...(status && { status }), paginacao },
    cobs: rows.map((row) => complete(parts, row)),
  };
}

/** Payload for the payer's bank at the location of a code, as JSON; a real PSP signs it (JWS). */
export function getPayload(parts: PspParts, token: string): object {
  const charge = parts.store.one<ChargeRow>(`select ${COLUMNS} from charge where token = ?`, token);
  if (!charge)
    throw problem(404, 'CobPayloadNaoEncontrado', 'A cobrança não foi encontrada para a location.');
  if (charge.status !== 'ATIVA')
    throw problem(410, 'CobPayloadNaoEncontrado', 'A location não exibe mais esta cobrança.');
  const { devedor, solicitacaoPagador, infoAdicionais } = JSON.parse(charge.revised);
  return {
    txid: charge.txid,
    revisao: charge.revision,
    calendario: {
      criacao: isoOf(charge.createdMs),
      apresentacao: isoOf(parts.clock.now()),
      expiracao: charge.expiresS,
    },
    status: charge.status,
    valor: { original: charge.amount },
    chave: charge.key,
    ...(devedor && { devedor }),
    ...(solicitacaoPagador && { solicitacaoPagador }),
    ...(infoAdicionais && { infoAdicionais }),
  };
}

/** @throws {Refused} if the charge does not exist. */
function found(parts: PspParts, txid: string): ChargeRow {
  const charge = findCharge(parts, txid);
  if (!charge) throw problem(404, 'CobNaoEncontrado', 'Cobrança não encontrada para o txid informado.');
  return charge;
}

function notActive() {
  return problem(400, INVALID, 'A cobrança não está ATIVA, e a presente requisição busca alterá-la.');
}

/** Replaces the members that the body contains. */
function revise(parts: PspParts, charge: ChargeRow, body: Body, stored = charge.given): ChargeRow {
  const { status, ...members } = body;
  parts.store.run(
    `update charge set key = ?, amount = ?, status = ?, revision = revision + 1, expires_s = ?, given = ?, revised = ?
     where txid = ?`,
    String(body.chave ?? charge.key),
    String(objectOf(body.valor).original ?? charge.amount),
    status === REMOVED ? REMOVED : charge.status,
    expiresIn(body) ?? charge.expiresS,
    stored,
    JSON.stringify({ ...JSON.parse(charge.revised), ...members }),
    charge.txid,
  );
  return found(parts, charge.txid);
}

function present(parts: PspParts, row: ChargeRow): object {
  const { devedor, solicitacaoPagador, infoAdicionais } = JSON.parse(row.revised);
  const location = `${parts.locationHost}/qr/v2/${row.token}`;
  const { name: merchantName, city: merchantCity } = parts.holder;
  const criacao = isoOf(row.createdMs);
  return {
    calendario: { criacao, expiracao: row.expiresS },
    txid: row.txid,
    revisao: row.revision,
    ...(devedor && { devedor }),
    loc: { id: row.locationId, txid: row.txid, location, tipoCob: 'cob', criacao },
    location,
    status: row.status,
    valor: { original: row.amount },
    chave: row.key,
    ...(solicitacaoPagador && { solicitacaoPagador }),
    ...(infoAdicionais && { infoAdicionais }),
    pixCopiaECola: dynamicBrCode({ url: location, merchantName, merchantCity }),
  };
}

function complete(parts: PspParts, row: ChargeRow): object {
  const pix = pixOfCharge(parts, row.txid);
  return { ...present(parts, row), ...(pix.length > 0 && { pix }) };
}

function expiresIn({ calendario }: Body): number | undefined {
  const { expiracao } = objectOf(calendario);
  return expiracao === undefined ? undefined : Number(expiracao);
}

/** @param isWhole - whether required members must be present. */
function checkCharge({ holder }: PspParts, body: Body, isWhole: boolean): Check {
  const { calendario, valor, chave, devedor, solicitacaoPagador, infoAdicionais } = body;
  const seconds = expiresIn(body);
  const isPresent = (member: unknown) => isWhole || member !== undefined;
  return new Check()
    .holds(!isWhole || calendario !== undefined, 'cob.calendario', 'O campo cob.calendario é obrigatório.')
    .holds(
      seconds === undefined || (Number.isInteger(seconds) && seconds > 0),
      'cob.calendario.expiracao',
      'O campo cob.calendario.expiracao é igual ou menor que zero.',
    )
    .holds(
      !isPresent(valor) || isAmount(objectOf(valor).original),
      'cob.valor.original',
      'O campo cob.valor.original não respeita o schema, ou é zero.',
    )
    .holds(
      !isPresent(chave) || holder.keys.includes(String(chave)),
      'cob.chave',
      'O campo cob.chave corresponde a uma conta que não pertence a este usuário recebedor.',
    )
    .holds(
      devedor === undefined || isDebtor(objectOf(devedor)),
      'cob.devedor',
      'O objeto cob.devedor não respeita o schema.',
    )
    .holds(
      solicitacaoPagador === undefined || isText(solicitacaoPagador, 140),
      'cob.solicitacaoPagador',
      'O campo solicitacaoPagador não respeita o schema.',
    )
    .holds(
      infoAdicionais === undefined || (Array.isArray(infoAdicionais) && infoAdicionais.length <= 50),
      'cob.infoAdicionais',
      'O objeto infoAdicionais não respeita o schema.',
    );
}

/** @returns whether a debtor has exactly one tax id, and a name. */
function isDebtor({ cpf, cnpj, nome }: Body): boolean {
  const isOne =
    cpf === undefined ? TAX_IDS.cnpj.test(String(cnpj)) : TAX_IDS.cpf.test(String(cpf)) && cnpj === undefined;
  return isOne && isText(nome, 200);
}

function isText(value: unknown, max: number): boolean {
  return typeof value === 'string' && value.length <= max;
}

/**
 * The used parts of API Pix. The form of every received member is checked before use; unknown members are ignored, as
 * the standard demands.
 */

import { parseTaxId } from '../../base/pix/tax-id.ts';
import { parseBrasiliaInstant } from '../../base/time/instant.ts';

/** A received message does not have the form of API Pix. */
export class WireError extends Error {
  override readonly name = 'WireError';
}

/** A return of a payment. */
export interface WireReturn {
  /** As it was asked for; null for one that came back to us. */
  readonly id: string | null;
  /** `D…`; null where the provider does not tell it yet. */
  readonly rtrId: string | null;
  /** Decimal BRL. */
  readonly amount: string;
  readonly status: 'EM_PROCESSAMENTO' | 'DEVOLVIDO' | 'NAO_REALIZADO';
  /** ISO 8601: when it was asked for, or else when it was carried out; null where the provider tells neither. */
  readonly at: string | null;
  /** A return by the special mechanism (MED): it was not ordered here. */
  readonly isMed: boolean;
}

/** A PIX that came, or one that was sent. */
export interface WirePix {
  readonly endToEndId: string;
  readonly txid: string | null;
  /** The PIX key that it was paid to, or that paid; null where the provider does not say. */
  readonly key: string | null;
  readonly amount: string;
  /** ISO 8601; null for one that was not sent after all. */
  readonly settledAt: string | null;
  /** CPF or CNPJ, where the provider tells it whole. */
  readonly payerTaxId: string | null;
  readonly returns: readonly WireReturn[];
  /** The first return that cannot be read, with the reason; null where all can. */
  readonly unread: string | null;
  /** Set if the payment was sent: our name for it, and its outcome. */
  readonly sent: { readonly id: string; readonly status: string } | null;
}

/** A charge. */
export interface WireCharge {
  readonly status: string;
  readonly amount: string;
  readonly key: string;
  readonly brCode: string | null;
  /** Location from which a wallet fetches it, without scheme. */
  readonly location: string | null;
  readonly pix: readonly WirePix[];
}

/** A PIX of ours as the provider answers when it is asked. */
export interface WirePayout {
  /** `REALIZADO`, `NAO_REALIZADO`, or anything else while it is open. */
  readonly status: string;
  /** The provider's name for it, where it finds it by that alone; otherwise null. */
  readonly reference: string | null;
  readonly endToEndId: string | null;
  readonly returns: readonly WireReturn[];
  /** As of `WirePix`. */
  readonly unread: string | null;
}

/** Entries of a list: the readable ones, and the error of the first that is unreadable in part or whole. */
export interface WireEntries {
  readonly read: readonly WirePix[];
  readonly wrong: WireError | undefined;
}

/** A page of the statement. */
export interface WirePage extends WireEntries {
  readonly pages: number;
}

type Json = Readonly<Record<string, unknown>>;

/** The standard has two decimals; money is not left lying about because somebody writes fewer. */
const AMOUNT = /^(?:0|[1-9]\d{0,9})(?:\.\d{1,2})?$/;
const END_TO_END_ID = /^[a-zA-Z0-9]{1,35}$/;
const DOCUMENT = { cpf: /^\d{11}$/, cnpj: /^[0-9A-Z]{12}\d{2}$/ } as const;
const DOCUMENT_LENGTH = { cpf: 11, cnpj: 14 } as const;
/** A CPF in a member as long as a CNPJ. */
const LONG_CPF = /^000(\d{11})$/;
const ID = /^[a-zA-Z0-9._-]{1,64}$/;
const STATUS = /^[A-Z_]{1,40}$/;
const RETURNED = ['EM_PROCESSAMENTO', 'DEVOLVIDO', 'NAO_REALIZADO'] as const;

/** The list of PIX; some providers send it, or one PIX, without the object around it. @throws {WireError} when it is no callback at all. */
export function readCallbackBody(json: unknown): WireEntries {
  if (Array.isArray(json)) {
    if (json.length === 0) throw new WireError('a list without the object around it must have entries');
    return readEntries(json);
  }
  const body = objectOf(json, 'the body');
  return readEntries('endToEndId' in body && !('pix' in body) ? [body] : body.pix);
}

/** @throws {WireError} */
export function readPage(json: unknown): WirePage {
  const { pix = [] } = objectOf(json, 'the page');
  return { ...readEntries(pix), pages: readPages(json) };
}

/**
 * @returns the number of pages of a list.
 * @throws {WireError}
 */
export function readPages(json: unknown): number {
  const { parametros } = objectOf(json, 'the page');
  const { paginacao } = objectOf(parametros, 'parametros');
  const pages = objectOf(paginacao, 'parametros.paginacao').quantidadeDePaginas;
  if (typeof pages !== 'number' || !Number.isInteger(pages) || pages < 0)
    throw new WireError('parametros.paginacao.quantidadeDePaginas must be a number');
  return pages;
}

/** @throws {WireError} */
export function readCharge(json: unknown): WireCharge {
  const charge = objectOf(json, 'the charge');
  const { pix = [] } = charge;
  if (!Array.isArray(pix)) throw new WireError('pix must be a list');
  return {
    status: formed(charge.status, STATUS, 'status'),
    amount: formed(objectOf(charge.valor, 'valor').original, AMOUNT, 'valor.original'),
    key: textOf(charge.chave) ?? '',
    // Sicoob names it `brcode`.
    brCode: textOf(charge.pixCopiaECola) ?? textOf(charge.brcode),
    location: textOf(charge.location) ?? textOf((charge.loc as Json | undefined)?.location),
    pix: pix.map((each, index) => readPix(each, `pix[${index}]`)),
  };
}

/** @throws {WireError} */
export function readReturn(json: unknown, path = 'the return'): WireReturn {
  const { id, rtrId, valor, status, natureza, horario } = objectOf(json, path);
  const known = RETURNED.find((each) => each === status);
  if (!known) throw new WireError(`${path}.status must be ${RETURNED.join(', ')}`);
  return {
    id: id === undefined || id === null ? null : formed(id, ID, `${path}.id`),
    rtrId: rtrId === undefined || rtrId === null ? null : formed(rtrId, END_TO_END_ID, `${path}.rtrId`),
    amount: formed(valor, AMOUNT, `${path}.valor`),
    status: known,
    at: timeIn(horario),
    isMed: typeof natureza === 'string' && natureza.startsWith('MED_'),
  };
}

/** @throws {WireError} */
export function readPayout(json: unknown): WirePayout {
  const payout = objectOf(json, 'the payout');
  const endToEndId = payout.endToEndId ?? payout.e2eId ?? null;
  return {
    status: formed(payout.status, STATUS, 'status'),
    reference: null,
    endToEndId: endToEndId === null ? null : formed(endToEndId, END_TO_END_ID, 'endToEndId'),
    ...readReturns(payout.devolucoes),
  };
}

/** @throws {WireError} */
export function readPix(json: unknown, path: string): WirePix {
  const pix = objectOf(json, path);
  const extras = isObject(pix.gnExtras) ? pix.gnExtras : {};
  const sentId = textOf(extras.idEnvio);
  const settledAt = instantIn(pix.horario);
  if (settledAt === null && (pix.horario ?? null) !== null)
    throw new WireError(`${path}.horario must be an instant such as 2026-05-01T12:00:00Z`);
  if (settledAt === null && sentId === null) throw new WireError(`${path}.horario is missing`);
  return {
    endToEndId: formed(pix.endToEndId, END_TO_END_ID, `${path}.endToEndId`),
    // Of a static code it may be empty, or whatever its maker wrote: money is not refused for it.
    txid: typeof pix.txid === 'string' && ID.test(pix.txid) ? pix.txid : null,
    key: textOf(pix.chave),
    amount: formed(pix.valor, AMOUNT, `${path}.valor`),
    settledAt,
    payerTaxId: taxIdIn(pix.pagador) ?? taxIdIn(extras.pagador),
    ...readReturns(pix.devolucoes),
    sent:
      sentId === null
        ? null
        : { id: formed(sentId, ID, `${path}.gnExtras.idEnvio`), status: sentStatus(pix, path) },
  };
}

/** @returns whether something came back, and is not told apart yet from what came back besides. */
export function isUnnamed({ status, rtrId }: WireReturn): boolean {
  return status === 'DEVOLVIDO' && rtrId === null;
}

function readEntries(json: unknown): WireEntries {
  if (!Array.isArray(json)) throw new WireError('pix must be a list');
  const read: WirePix[] = [];
  let wrong: WireError | undefined;
  for (const [index, each] of json.entries()) {
    try {
      const pix = readPix(each, `pix[${index}]`);
      read.push(pix);
      if (pix.sent && pix.returns.some(isUnnamed))
        wrong ??= new WireError(`pix[${index}].devolucoes has a part without rtrId`);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      wrong ??= error;
    }
  }
  return { read, wrong };
}

/** A returned payout is reported without its status. */
function sentStatus({ status = 'REALIZADO' }: Json, path: string): string {
  return formed(status, STATUS, `${path}.status`);
}

/** A return that cannot be read is left out and named: the payment that it belongs to is money all the same. */
function readReturns(json: unknown): Pick<WirePix, 'returns' | 'unread'> {
  if (json === undefined || json === null) return { returns: [], unread: null };
  if (!Array.isArray(json)) return { returns: [], unread: 'devolucoes must be a list' };
  const returns: WireReturn[] = [];
  let unread: string | null = null;
  for (const [index, each] of json.entries())
    try {
      returns.push(readReturn(each, `devolucoes[${index}]`));
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      unread ??= error.message;
    }
  return { returns, unread };
}

/**
 * CPF or CNPJ in any notation: with dots or without, lower case, as a number, which has lost its zeros. A document of which digits are
 * hidden names nobody.
 */
function taxIdIn(payer: unknown): string | null {
  if (!isObject(payer)) return null;
  return documentIn('cpf', payer.cpf) ?? documentIn('cnpj', payer.cnpj);
}

function documentIn(kind: keyof typeof DOCUMENT, value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const plain = String(value)
    .replaceAll(/[\s./-]/g, '')
    .toUpperCase();
  if (plain === '') return null;
  const padded = typeof value === 'number' ? plain.padStart(DOCUMENT_LENGTH[kind], '0') : plain;
  const short = LONG_CPF.exec(padded)?.[1];
  if (short !== undefined && parseTaxId(padded) === undefined && parseTaxId(short)) return short;
  return Object.values(DOCUMENT).some((form) => form.test(padded)) ? padded : null;
}

/** The time distinguishes returns without a name; other forms of it do not. */
function timeIn(times: unknown): string | null {
  if (!isObject(times)) return null;
  return instantIn(times.solicitacao) ?? instantIn(times.liquidacao);
}

/** @returns an instant as ISO 8601 in UTC; null for anything else. */
function instantIn(value: unknown): string | null {
  return typeof value === 'string' ? (parseBrasiliaInstant(value)?.toISOString() ?? null) : null;
}

function formed(value: unknown, form: RegExp, path: string): string {
  if (typeof value === 'string' && form.test(value)) return value;
  throw new WireError(`${path} must be a text of the form ${form.source}`);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function objectOf(json: unknown, path: string): Json {
  if (isObject(json)) return json;
  throw new WireError(`${path} must be an object`);
}

function isObject(json: unknown): json is Json {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

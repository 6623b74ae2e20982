/**
 * The parts of API Pix that the rail uses. The form of every received member is checked before use; unknown members are
 * ignored, as the standard demands.
 */

import { isMaskedTaxId, parseTaxId, readMaskedTaxId } from '../../base/pix/tax-id.ts';
import { parseBrasiliaInstant } from '../../base/time/instant.ts';

/** A received message without the form of API Pix. */
export class WireError extends Error {
  override readonly name = 'WireError';
}

/** A return of a payment. */
export interface WireReturn {
  /** Id in the request of the return; null for a return to the gateway. */
  readonly id: string | null;
  /** `D…`; null until the provider reports it. */
  readonly rtrId: string | null;
  /** Decimal BRL. */
  readonly amount: string;
  readonly status: 'EM_PROCESSAMENTO' | 'DEVOLVIDO' | 'NAO_REALIZADO';
  /** ISO 8601: time of the request, or else of the settlement; null if the provider reports neither. */
  readonly at: string | null;
  /** Whether the return was made by the special mechanism (MED), and not ordered by the gateway. */
  readonly isMed: boolean;
}

/** A received PIX, or a sent one. */
export interface WirePix {
  readonly endToEndId: string;
  readonly txid: string | null;
  /** The PIX key that was paid, or that paid; null if the provider does not name it. */
  readonly key: string | null;
  readonly amount: string;
  /** ISO 8601; null for a payout that was not sent. */
  readonly settledAt: string | null;
  /** CPF or CNPJ with `*` for hidden characters; null if the provider discloses nothing. */
  readonly payerTaxId: string | null;
  /** As the payer's bank reports it; null if the provider does not name the payer. */
  readonly payerName: string | null;
  readonly returns: readonly WireReturn[];
  /** The first unreadable return with the reason; null if all are readable. */
  readonly unread: string | null;
  /** For a sent PIX: the gateway's id and the status; otherwise null. */
  readonly sent: { readonly id: string; readonly status: string } | null;
}

/** A charge. */
export interface WireCharge {
  readonly status: string;
  readonly amount: string;
  readonly key: string;
  readonly brCode: string | null;
  /** Location from which a wallet fetches the code, without scheme. */
  readonly location: string | null;
  readonly pix: readonly WirePix[];
}

/** A payout of the gateway in the provider's answer to a query. */
export interface WirePayout {
  /** `REALIZADO`, `NAO_REALIZADO`, or any other text while the payout is open. */
  readonly status: string;
  /** The provider's id of the payout if only that finds it; otherwise null. */
  readonly reference: string | null;
  readonly endToEndId: string | null;
  readonly returns: readonly WireReturn[];
  /** As in `WirePix`. */
  readonly unread: string | null;
}

/** Readable entries of a list, and the error of the first entry that is wholly or partly unreadable. */
export interface WireEntries {
  readonly read: readonly WirePix[];
  readonly wrong: WireError | undefined;
}

/** A page of the statement. */
export interface WirePage extends WireEntries {
  readonly pages: number;
}

type Json = Readonly<Record<string, unknown>>;

/** Amounts have two decimals in the standard; fewer are accepted too, so that no payment is missed. */
export const AMOUNT = /^(?:0|[1-9]\d{0,9})(?:\.\d{1,2})?$/;
const END_TO_END_ID = /^[a-zA-Z0-9]{1,35}$/;
/** CPF or CNPJ, whole or masked. At least one digit is visible. */
const DOCUMENT = /^(?=.*\d)(?:[\d*]{11}|[0-9A-Z*]{12}[\d*]{2})$/;
const DOCUMENT_LENGTH = { cpf: 11, cnpj: 14 } as const;
/** A CPF padded to the length of a CNPJ. */
const LONG_CPF = /^000(\d{11})$/;
const ID = /^[a-zA-Z0-9._-]{1,64}$/;
const STATUS = /^[A-Z_]{1,40}$/;
/** Maximum number of characters of a name that are read. */
const NAME_MAX = 200;
const UNPRINTABLE = /[\s\p{C}]+/gu;
const RETURNED = ['EM_PROCESSAMENTO', 'DEVOLVIDO', 'NAO_REALIZADO'] as const;

/**
 * Reads the list of PIX of a callback; some providers send the list, or a single PIX, without the object around it.
 * @throws {WireError} for a body that is no callback.
 */
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
    // Sicoob calls this member `brcode`.
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
    // The txid of a static code may be empty or any text of its author; the payment is accepted without it.
    txid: typeof pix.txid === 'string' && ID.test(pix.txid) ? pix.txid : null,
    key: textOf(pix.chave),
    amount: formed(pix.valor, AMOUNT, `${path}.valor`),
    settledAt,
    payerTaxId: taxIdIn(pix.pagador, extras.pagador),
    payerName: nameIn(pix.pagador, extras.pagador),
    ...readReturns(pix.devolucoes),
    sent:
      sentId === null
        ? null
        : { id: formed(sentId, ID, `${path}.gnExtras.idEnvio`), status: sentStatus(pix, path) },
  };
}

/**
 * @returns whether a return has settled but has no rtrId yet, so that it cannot be distinguished from other returns.
 */
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

/** Status of a sent PIX. A returned payout is reported without one, and counts as `REALIZADO`. */
function sentStatus({ status = 'REALIZADO' }: Json, path: string): string {
  return formed(status, STATUS, `${path}.status`);
}

/** Reads returns. An unreadable return is left out and named, because the payment itself still counts. */
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
 * Reads a CPF or CNPJ in any notation: with or without punctuation, in lower case, or as a number that has lost its
 * leading zeros. A complete document has priority over a masked one.
 */
function taxIdIn(...payers: readonly unknown[]): string | null {
  const documents = payers
    .filter(isObject)
    .flatMap(({ cpf, cnpj }) => [documentIn('cpf', cpf), documentIn('cnpj', cnpj)])
    .filter((each) => each !== null);
  return documents.find((each) => !isMaskedTaxId(each)) ?? documents[0] ?? null;
}

/** Reads a name on one line, without characters that PostgreSQL or a page cannot hold. */
function nameIn(...payers: readonly unknown[]): string | null {
  const names = payers
    .filter(isObject)
    .map(({ nome }) => (typeof nome === 'string' ? nome.replace(UNPRINTABLE, ' ').trim() : ''));
  const name = names.find((each) => each !== '');
  return name === undefined ? null : [...name].slice(0, NAME_MAX).join('');
}

function documentIn(kind: keyof typeof DOCUMENT_LENGTH, value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const plain = readMaskedTaxId(String(value));
  if (plain === '') return null;
  const padded = typeof value === 'number' ? plain.padStart(DOCUMENT_LENGTH[kind], '0') : plain;
  const short = LONG_CPF.exec(padded)?.[1];
  if (short !== undefined && parseTaxId(padded) === undefined && parseTaxId(short)) return short;
  return DOCUMENT.test(padded) ? padded : null;
}

/**
 * Reads the time of a return, which distinguishes returns without an id; the result does not depend on the notation of
 * the time.
 */
function timeIn(times: unknown): string | null {
  if (!isObject(times)) return null;
  return instantIn(times.solicitacao) ?? instantIn(times.liquidacao);
}

/** @returns an instant as ISO 8601 in UTC; null for anything else. */
function instantIn(value: unknown): string | null {
  return typeof value === 'string' ? (parseBrasiliaInstant(value)?.toISOString() ?? null) : null;
}

/** @throws {WireError} unless the value is a text of this form. */
export function formed(value: unknown, form: RegExp, path: string): string {
  if (typeof value === 'string' && form.test(value)) return value;
  throw new WireError(`${path} must be a text of the form ${form.source}`);
}

/** @returns a text that is not empty; null for anything else. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** @throws {WireError} unless the value is an object. */
export function objectOf(json: unknown, path: string): Json {
  if (isObject(json)) return json;
  throw new WireError(`${path} must be an object`);
}

function isObject(json: unknown): json is Json {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

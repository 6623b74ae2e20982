/** Payouts in the form of Banco Inter. */
import { WireError, type WirePayout } from './wire.ts';

type Json = Readonly<Record<string, unknown>>;

const REFERENCE = /^[A-Za-z0-9-]{1,64}$/;
const END_TO_END_ID = /^[A-Za-z0-9]{1,35}$/;
const STATUS = /^[A-Z_]{1,40}$/;
/** Final statuses (`PixStatus` of the bank's SDK); a payout with any other status is open. */
const ENDS: Readonly<Record<string, WirePayout['status']>> = {
  PAGO: 'REALIZADO',
  REPROVADO: 'NAO_REALIZADO',
  EXPIRADO: 'NAO_REALIZADO',
  CANCELADO: 'NAO_REALIZADO',
  FALHA: 'NAO_REALIZADO',
};

/** @returns an accepted payout, which is open and may wait for an approval at the bank. @throws {WireError} */
export function readInterAnswer(json: unknown): WirePayout {
  const { codigoSolicitacao } = objectOf(json, 'the payout');
  const reference = formed(codigoSolicitacao, REFERENCE, 'codigoSolicitacao');
  return { status: 'EM_PROCESSAMENTO', reference, endToEndId: null, returns: [], unread: null };
}

/** @returns a queried payout. The bank reports no returns of it. @throws {WireError} */
export function readInterPayout(json: unknown): WirePayout {
  const { transacaoPix } = objectOf(json, 'the payout');
  const { status, codigoSolicitacao, endToEnd } = objectOf(transacaoPix, 'transacaoPix');
  const endToEndId = endToEnd ?? null;
  return {
    status: ENDS[formed(status, STATUS, 'transacaoPix.status')] ?? 'EM_PROCESSAMENTO',
    reference: formed(codigoSolicitacao, REFERENCE, 'transacaoPix.codigoSolicitacao'),
    endToEndId: endToEndId === null ? null : formed(endToEndId, END_TO_END_ID, 'transacaoPix.endToEnd'),
    returns: [],
    unread: null,
  };
}

function formed(value: unknown, form: RegExp, path: string): string {
  if (typeof value === 'string' && form.test(value)) return value;
  throw new WireError(`${path} must be a text of the form ${form.source}`);
}

function objectOf(json: unknown, path: string): Json {
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as Json;
  throw new WireError(`${path} must be an object`);
}

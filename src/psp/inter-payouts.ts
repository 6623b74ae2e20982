/**
 * PIX payouts in the form of Banco Inter: a request repeated with the same key gets the first answer, and payouts can
 * be queried only by the bank's code.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { parseTaxId } from '../base/pix/tax-id.ts';
import { type Body, objectOf, type PspParts, textOf } from './parts.ts';
import { addPayout, type PayoutRow, payoutBy } from './payouts.ts';
import { problem } from './problem.ts';

const KEY = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const STATUSES: Readonly<Record<PayoutRow['status'], string>> = {
  EM_PROCESSAMENTO: 'AGUARDANDO_APROVACAO',
  REALIZADO: 'PAGO',
  NAO_REALIZADO: 'FALHA',
};

/** `POST /banking/v2/pix`. */
export function postInterPayout(parts: PspParts, headers: IncomingHttpHeaders, body: Body): object {
  const key = headers['x-id-idempotente'];
  const payee = objectOf(body.destinatario);
  const [payeeKey, amount] = [textOf(payee.chave), body.valor];
  if (typeof key !== 'string' || !KEY.test(key)) throw invalid('x-id-idempotente deve ser um UUID.');
  if (payee.tipo !== 'CHAVE' || payeeKey === null) throw invalid('destinatario deve ter uma chave.');
  const id = key.replaceAll('-', '');
  return parts.store.atOnce(() => {
    const row = payoutBy(parts, 'id', id) ?? addPayout(parts, { id, amount, payeeKey, info: null });
    return {
      tipoRetorno: 'APROVACAO',
      codigoSolicitacao: codeOf(row.id),
      dataOperacao: new Date(row.askedMs).toISOString().slice(0, 10),
    };
  });
}

/** `GET /banking/v2/pix/{codigoSolicitacao}`. */
export function getInterPayout(parts: PspParts, code: string): object {
  const row = payoutBy(parts, 'id', idOf(code));
  if (!row) throw problem(404, 'NaoEncontrado', 'Pix não encontrado para o código informado.');
  const isPaid = row.status === 'REALIZADO';
  return {
    transacaoPix: {
      codigoSolicitacao: code,
      status: STATUSES[row.status],
      valor: row.amount,
      chave: row.payeeKey,
      recebedor: { cpfCnpj: parseTaxId(row.payeeKey) ? row.payeeKey : null },
      erros: row.reason === null ? [] : [{ descricaoErro: row.reason }],
      ...(isPaid && { endToEnd: row.endToEndId }),
    },
    historico: [],
  };
}

/** @returns the bank's own id of a payout, which differs from the caller's. */
function codeOf(id: string): string {
  return reversed(id).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function idOf(code: string): string {
  return reversed(code.replaceAll('-', ''));
}

function reversed(text: string): string {
  return [...text].toReversed().join('');
}

function invalid(detail: string) {
  return problem(400, 'RequisicaoInvalida', detail);
}

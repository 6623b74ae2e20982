/**
 * Payouts. API Pix has none, so each provider has its own call. This file has the common part, and the adapter for Efí.
 */
import { parseTaxId, readMaskedTaxId } from '../../base/pix/tax-id.ts';
import type { ApiPix, StatementPart } from './client.ts';
import { found, read } from './client.ts';
import type { PspProblem } from './http.ts';
import type { EfiSettings } from './settings.ts';
import { readPayout, type WirePayout } from './wire.ts';
import { readSentPage, type SentPage } from './wire-sent.ts';

/** A payout to be sent. */
export interface PayoutOrder {
  /** The gateway's id of the payout, 1 to 35 letters and digits. */
  readonly id: string;
  /** Decimal BRL with two decimals. */
  readonly amount: string;
  /** Key in the form of the directory. */
  readonly pixKey: string;
  /** CPF or CNPJ that must own the key; null if any owner is accepted. */
  readonly payeeTaxId: string | null;
}

/** Owner of a key; 'nobody' for a key that does not exist. */
export type KeyHolder =
  | 'nobody'
  | {
      /** CPF or CNPJ, in which asterisks may hide digits; null if the provider does not disclose it. */
      readonly taxId: string | null;
    };

/** Payout calls of a provider. */
export interface PixPayouts {
  /** Undefined if the provider has no such call. @throws {PspUnavailable} {PspProblem} */
  readonly lookup: ((key: string) => Promise<KeyHolder>) | undefined;
  /** @throws {PspUnavailable} {PspProblem} */
  readonly send: (order: PayoutOrder) => Promise<WirePayout>;
  /**
   * @param reference - the provider's id of the payout, if it issued one.
   * @returns undefined if the provider never had the payout, or cannot be queried about it.
   */
  readonly find: (id: string, reference: string | null) => Promise<WirePayout | undefined>;
  /** Reads a page of the payouts that were ordered in a period; undefined where the provider lists none under our ids. */
  readonly list: ((part: StatementPart) => Promise<SentPage>) | undefined;
  /** Whether a payout was refused permanently. */
  readonly isRefusal: (problem: PspProblem) => boolean;
  /** Time for which the provider certainly recognises an id, so that a repetition is no second payout. Unit: ms. */
  readonly repeatableMs: number;
}

/** Efí's errors for payouts that are impossible. After any other problem the payout is retried under the same id. */
const EFI_REFUSALS = [
  'chave_favorecido_invalida',
  'chave_nao_encontrada',
  'chave_nao_pertence_ao_documento',
  'documento_favorecido_invalido',
  'pagamento_negado',
  'valor_invalido',
];

/** @returns the calls of Efí's "envio de Pix" (dev.efipay.com.br, api-pix, envio-pagamento-pix). */
export function efiPayouts(
  api: Pick<ApiPix, 'send' | 'getList'>,
  { url, payingKey, lookUpUrl }: EfiSettings,
): PixPayouts {
  return {
    lookup:
      lookUpUrl === null
        ? undefined
        : async (key) => {
            const reported = await found(() => api.send('GET', `${lookUpUrl}/${encodeURIComponent(key)}`));
            return reported === undefined ? 'nobody' : holderOf(reported);
          },
    send: async ({ id, amount, pixKey, payeeTaxId }) =>
      read(
        readPayout,
        await api.send('PUT', `${url}/v3/gn/pix/${id}`, {
          valor: amount,
          pagador: { chave: payingKey },
          favorecido: { chave: pixKey, ...documentOf(payeeTaxId) },
        }),
      ),
    find: (id) =>
      found(async () => read(readPayout, await api.send('GET', `${url}/v2/gn/pix/enviados/id-envio/${id}`))),
    list: async (part) => read(readSentPage, await api.getList(`${url}/v2/gn/pix/enviados`, part)),
    isRefusal: ({ type }) => EFI_REFUSALS.includes(type),
    // The id is part of the payout's URL, so it never expires.
    repeatableMs: Infinity,
  };
}

/** Reads the owner from the answer itself, or from its member `titular`. */
function holderOf(reported: unknown): KeyHolder {
  const { titular = reported } = (reported ?? {}) as { readonly titular?: unknown };
  const { cpf, cnpj } = (titular ?? {}) as { readonly cpf?: unknown; readonly cnpj?: unknown };
  const taxId = cpf ?? cnpj;
  return { taxId: typeof taxId === 'string' && taxId !== '' ? readMaskedTaxId(taxId) : null };
}

/** Has the provider refuse the payout if the key has another owner by then. */
function documentOf(taxId: string | null): object {
  const parsed = taxId === null ? undefined : parseTaxId(taxId);
  return parsed ? { [parsed.kind]: parsed.value } : {};
}

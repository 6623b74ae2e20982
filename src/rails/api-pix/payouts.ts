/**
 * Payouts: no part of API Pix, so each provider has its own call. This is their common part, and the first adapter,
 * Efí's.
 */
import { parseTaxId } from '../../base/pix/tax-id.ts';
import type { ApiPix } from './client.ts';
import { found, read } from './client.ts';
import type { PspProblem } from './http.ts';
import type { EfiSettings } from './settings.ts';
import { readPayout, type WirePayout } from './wire.ts';

/** A payout to be sent. */
export interface PayoutOrder {
  /** Our name for it, 1 to 35 letters and digits. */
  readonly id: string;
  /** Decimal BRL with two decimals. */
  readonly amount: string;
  /** As the directory has it. */
  readonly pixKey: string;
  /** CPF or CNPJ that the key has to belong to; null where anybody's is right. */
  readonly payeeTaxId: string | null;
}

/** Owner of a key; 'nobody' where there is no such key. */
export type KeyHolder =
  | 'nobody'
  | {
      /** CPF or CNPJ, in which digits may be hidden by asterisks; null where it is not told. */
      readonly taxId: string | null;
    };

/** Payout calls of a provider. */
export interface PixPayouts {
  /** @returns undefined where the provider has no such call. @throws {PspAway} {PspProblem} */
  readonly lookup: ((key: string) => Promise<KeyHolder>) | undefined;
  /** @throws {PspAway} {PspProblem} */
  readonly send: (order: PayoutOrder) => Promise<WirePayout>;
  /**
   * @param reference - the provider's name for it, where it gave one.
   * @returns undefined where the provider never had it, or cannot be asked about it.
   */
  readonly find: (id: string, reference: string | null) => Promise<WirePayout | undefined>;
  /** Whether a payout was refused for good. */
  readonly isRefusal: (problem: PspProblem) => boolean;
  /** Time for which the provider surely knows an id again, so that a repetition is no second payout. Unit: ms. */
  readonly repeatableMs: number;
}

/**
 * Efí's answers when the payout itself is impossible; other problems may be fixed, and it is retried under the same
 * id.
 */
const EFI_REFUSALS = [
  'chave_favorecido_invalida',
  'chave_nao_encontrada',
  'chave_nao_pertence_ao_documento',
  'documento_favorecido_invalido',
  'pagamento_negado',
  'valor_invalido',
];

/** @returns Efí's "envio de Pix" (dev.efipay.com.br, api-pix, envio-pagamento-pix). */
export function efiPayouts(
  api: Pick<ApiPix, 'send'>,
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
    isRefusal: ({ type }) => EFI_REFUSALS.includes(type),
    // The id is the address of the payout.
    repeatableMs: Infinity,
  };
}

/** The holder stands in the answer, or in a member of it named `titular`. */
function holderOf(reported: unknown): KeyHolder {
  const { titular = reported } = (reported ?? {}) as { readonly titular?: unknown };
  const { cpf, cnpj } = (titular ?? {}) as { readonly cpf?: unknown; readonly cnpj?: unknown };
  const taxId = cpf ?? cnpj;
  return { taxId: typeof taxId === 'string' && taxId !== '' ? taxId.replaceAll(/[./-]/g, '') : null };
}

/** The provider refuses a payout where the key belongs to somebody else by now. */
function documentOf(taxId: string | null): object {
  const parsed = taxId === null ? undefined : parseTaxId(taxId);
  return parsed ? { [parsed.kind]: parsed.value } : {};
}

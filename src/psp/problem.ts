/** Refusals of the PSP in two forms: that of API Pix (RFC 7807), and that of payouts. */

/** An invalid property, in the form of API Pix. */
export interface Violation {
  readonly razao: string;
  readonly propriedade: string;
}

/** Error of a refused request. */
export class Refused extends Error {
  readonly status: number;
  readonly body: unknown;
  readonly contentType: string;

  constructor(status: number, body: unknown, contentType = 'application/problem+json') {
    super(JSON.stringify(body));
    this.status = status;
    this.body = body;
    this.contentType = contentType;
  }
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Requisição inválida.',
  401: 'Não autorizado.',
  403: 'Acesso Negado',
  404: 'Não Encontrado',
  429: 'Limite de consultas atingido.',
  503: 'Serviço Indisponível',
};

/** @param name - last segment of the type, such as `CobNaoEncontrado`. */
export function problem(
  status: number,
  name: string,
  detail: string,
  violations: readonly Violation[] = [],
): Refused {
  return new Refused(status, {
    type: `https://pix.bcb.gov.br/api/v2/error/${name}`,
    title: TITLES[status] ?? 'Erro',
    status,
    detail,
    ...(violations.length > 0 && { violacoes: violations }),
  });
}

/** @returns a refusal in the form of payouts: `nome` and `mensagem`. */
export function refusal(status: number, nome: string, mensagem: string): Refused {
  return new Refused(status, { nome, mensagem }, 'application/json');
}

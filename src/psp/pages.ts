/** Lists by period and page in the form of API Pix. */
import type { SQLInputValue } from 'node:sqlite';
import { parseInstant } from '../base/time/instant.ts';
import { isoOf } from './clock.ts';
import { problem } from './problem.ts';
import type { PspStore } from './store.ts';

/** A period; both ends are included. */
export interface Period {
  readonly fromMs: number;
  readonly untilMs: number;
  /** The period as the query wrote it. */
  readonly requested: { readonly inicio: string; readonly fim: string };
}

/** Page number, and page size. */
export interface Page {
  readonly number: number;
  readonly size: number;
}

/** Table and conditions of a list. */
interface Source {
  readonly columns: string;
  readonly from: string;
  readonly where: string;
  readonly values: readonly SQLInputValue[];
  readonly page: Page;
}

const SIZE = 100;
const SIZE_MAX = 1_000;

/** @param name - name of the list's error, such as `PixConsultaInvalida`. @throws {Refused} with that name. */
export function readPeriod(query: URLSearchParams, name: string): Period {
  const [inicio, fim] = ['inicio', 'fim'].map((each) => parseInstant(query.get(each) ?? ''));
  if (!inicio || !fim)
    throw problem(400, name, 'Os parâmetros inicio e fim são obrigatórios e respeitam a RFC 3339.');
  if (fim < inicio)
    throw problem(
      400,
      name,
      'O timestamp representado pelo parâmetro fim é anterior ao do parâmetro inicio.',
    );
  const [fromMs, untilMs] = [inicio.getTime(), fim.getTime()];
  return { fromMs, untilMs, requested: { inicio: isoOf(fromMs), fim: isoOf(untilMs) } };
}

/** @param name - name of the list's error. @throws {Refused} with that name. */
export function readPage(query: URLSearchParams, name: string): Page {
  const number = Number(query.get('paginacao.paginaAtual') ?? '0');
  const size = Number(query.get('paginacao.itensPorPagina') ?? String(SIZE));
  if (!Number.isInteger(number) || number < 0)
    throw problem(400, name, 'O parâmetro paginacao.paginaAtual é negativo ou não é um número.');
  if (!Number.isInteger(size) || size < 1 || size > SIZE_MAX)
    throw problem(400, name, `O parâmetro paginacao.itensPorPagina não está entre 1 e ${SIZE_MAX}.`);
  return { number, size };
}

/**
 * @param order - columns by which rows are ordered; later rows must not move rows that were already read.
 * @returns a page of rows, and its position.
 */
export function pageOf<Row>(
  store: PspStore,
  { columns, from, where, values, page }: Source,
  order: readonly string[],
): { readonly rows: readonly Row[]; readonly pages: number; readonly paginacao: object } {
  const total = Number(
    store.one<{ total: number }>(`select count(*) as total from ${from} where ${where}`, ...values)?.total,
  );
  const rows = store.all<Row>(
    `select ${columns} from ${from} where ${where} order by ${order.join(', ')} limit ? offset ?`,
    ...values,
    page.size,
    page.number * page.size,
  );
  const pages = Math.max(1, Math.ceil(total / page.size));
  return {
    rows,
    pages,
    paginacao: {
      paginaAtual: page.number,
      itensPorPagina: page.size,
      quantidadeDePaginas: pages,
      quantidadeTotalDeItens: total,
    },
  };
}

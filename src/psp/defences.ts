/**
 * Answers of the account holder to infractions (*defesa*) with their files. Each is accepted once, before the time
 * limit of the infraction.
 */
import { createHash, randomUUID } from 'node:crypto';
import { isoOf } from './clock.ts';
import { findInfraction, type InfractionRow } from './infractions.ts';
import { type Body, type PspParts, textOf } from './parts.ts';
import { problem } from './problem.ts';

interface DefenceRow {
  readonly id: string;
  readonly analysis: string;
  readonly reason: string;
  /** Hashes of the answer's files, as JSON. */
  readonly files: string;
  readonly atMs: number;
}

const COLUMNS = 'id, analysis, reason, files, at_ms as "atMs"';
const ANALYSES = ['ACEITAR', 'REJEITAR'];
const REASON_MAX = 2_000;
const FILES_MAX = 10;
const HASH = /^[0-9a-f]{64}$/;
const TYPES = ['application/pdf', 'image/png', 'image/jpeg', 'image/webp', 'text/html'];

/** `PUT /v2/gn/infracoes/{id}/anexos/{sha256}`: stores a file for an answer. */
export function putFile(parts: PspParts, [id, hash]: readonly [string, string], body: Body): object {
  const row = infractionOf(parts, id);
  const [name, type, content] = [textOf(body.nome), textOf(body.tipo), textOf(body.conteudo)];
  if (name === null || type === null || !TYPES.includes(type) || content === null)
    throw invalid('O anexo deve ter nome, tipo e conteudo.');
  const bytes = Buffer.from(content, 'base64');
  if (!HASH.test(hash) || createHash('sha256').update(bytes).digest('hex') !== hash)
    throw invalid('O SHA-256 do conteudo difere do informado.');
  parts.store.run(
    'insert into defence_file values (?, ?, ?, ?) on conflict do nothing',
    row.id,
    hash,
    name,
    type,
  );
  return { idInfracao: row.id, sha256: hash, nome: name, tamanho: bytes.length };
}

/** `PUT /v2/gn/infracoes/{id}/defesa/{idDefesa}`: accepts an answer; a repetition gets the same response. */
export function putDefence(parts: PspParts, [id, key]: readonly [string, string], body: Body): object {
  const { store, clock } = parts;
  const input = defenceIn(parts, id, body);
  return store.atOnce(() => {
    const row = infractionOf(parts, id);
    const before = store.one<DefenceRow>(`select ${COLUMNS} from defence where infraction_id = ?`, id);
    if (before && (before.id !== key || !isSame(before, input)))
      throw problem(409, 'DefesaJaApresentada', 'A infração já tem uma defesa.');
    if (before) return present(row, before);
    refuseClosed(row, clock.now());
    const defence = { id: key, ...input, atMs: clock.now() };
    const { analysis, reason, files, atMs } = defence;
    store.run('insert into defence values (?, ?, ?, ?, ?, ?)', id, key, analysis, reason, files, atMs);
    store.run(`update infraction set status = 'EM_DEFESA', at_ms = ? where id = ?`, atMs, id);
    return present({ ...row, status: 'EM_DEFESA' }, defence);
  });
}

const EFI_ANALYSES: Readonly<Record<string, string>> = { aceito: 'ACEITAR', rejeitado: 'REJEITAR' };

/**
 * `POST /v2/gn/infracoes/{id}/defesa`: accepts an answer in Efí's form, without an id or files; a second one is
 * refused.
 */
export function postDefence(parts: PspParts, id: string, body: Body): object {
  const analise = EFI_ANALYSES[textOf(body.analise) ?? ''];
  if (analise === undefined)
    throw invalid(`O campo analise deve ser ${Object.keys(EFI_ANALYSES).join(' ou ')}.`);
  return putDefence(parts, [id, randomUUID()], { analise, justificativa: body.justificativa });
}

function defenceIn({ store }: PspParts, id: string, body: Body): Omit<DefenceRow, 'id' | 'atMs'> {
  const [analysis, reason] = [textOf(body.analise), textOf(body.justificativa)];
  if (analysis === null || !ANALYSES.includes(analysis))
    throw invalid(`O campo analise deve ser ${ANALYSES.join(' ou ')}.`);
  if (reason === null || [...reason].length > REASON_MAX)
    throw invalid(`O campo justificativa deve ter de 1 a ${REASON_MAX} caracteres.`);
  const files: readonly unknown[] = Array.isArray(body.anexos) ? body.anexos : [];
  if (files.length > FILES_MAX) throw invalid(`No máximo ${FILES_MAX} anexos.`);
  for (const each of files)
    if (!store.one('select 1 from defence_file where infraction_id = ? and hash = ?', id, String(each)))
      throw invalid(`O anexo ${String(each).slice(0, 64)} não foi enviado.`);
  return { analysis, reason, files: JSON.stringify(files) };
}

function infractionOf(parts: PspParts, id: string): InfractionRow {
  const row = findInfraction(parts, id);
  if (!row) throw problem(404, 'InfracaoNaoEncontrada', 'Infração não encontrada.');
  return row;
}

function refuseClosed({ status, dueMs }: InfractionRow, nowMs: number): void {
  if (status !== 'ABERTA') throw problem(409, 'InfracaoEncerrada', `A infração está ${status}.`);
  if (dueMs !== null && nowMs > dueMs)
    throw problem(422, 'PrazoEncerrado', 'O prazo para a defesa terminou.');
}

function isSame(before: DefenceRow, input: Omit<DefenceRow, 'id' | 'atMs'>): boolean {
  return before.analysis === input.analysis && before.reason === input.reason && before.files === input.files;
}

function present({ id: idInfracao, status }: InfractionRow, { id, analysis, atMs }: DefenceRow): object {
  return { idInfracao, idDefesa: id, status, analise: analysis, horario: isoOf(atMs) };
}

function invalid(detail: string) {
  return problem(400, 'DefesaOperacaoInvalida', detail);
}

/** Files of MED cases: attachments, and evidence packs made by the gateway. A file is never changed. */
import type { Instant } from '../../base/time/instant.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** Types of attachments; an evidence pack is `text/html`. */
export const MED_FILE_TYPES = ['application/pdf', 'image/png', 'image/jpeg', 'image/webp'] as const;
/** Type of a file. */
export type MedFileType = (typeof MED_FILE_TYPES)[number] | 'text/html';

/** A file without its content. */
export interface MedFile {
  readonly id: bigint;
  readonly caseId: bigint;
  readonly kind: 'attachment' | 'evidence';
  readonly name: string;
  readonly type: MedFileType;
  /** Bytes. */
  readonly size: number;
  /** SHA-256 of the content, hexadecimal. */
  readonly hash: string;
  /** Key or person that added it. */
  readonly author: string;
  readonly addedAt: Instant;
}

/** A file to be added. */
export type NewMedFile = Omit<MedFile, 'id' | 'size' | 'hash'> & { readonly content: Buffer };

const COLUMNS = `f.id, f.case_id as "caseId", f.kind, f.name, f.type, octet_length(f.content) as size, encode(f.hash, 'hex') as hash, f.author,
    f.added_at as "addedAt"`;
const ADD: Statement = {
  name: 'med_file_add',
  text: `insert into med_file as f (case_id, kind, name, type, content, hash, author, added_at)
    values ($1, $2, $3, $4, $5, sha256($5), $6, $7) returning ${COLUMNS}`,
};
const OF_CASE: Statement = {
  name: 'med_file_of_case',
  text: `select ${COLUMNS} from med_file f where f.case_id = $1 order by f.id limit $2`,
};
const BY_ID: Statement = {
  name: 'med_file_by_id',
  text: `select ${COLUMNS} from med_file f where f.id = $1`,
};
const CONTENT: Statement = {
  name: 'med_file_content',
  text: `select f.content from med_file f where f.id = $1`,
};

/** Adds a file, under the lock of the case's account. @returns it. */
export async function addMedFile(tx: Tx, file: NewMedFile): Promise<MedFile> {
  const { caseId, kind, name, type, content, author, addedAt } = file;
  const [row] = await tx.query<MedFile>(ADD, [caseId, kind, name, type, content, author, addedAt]);
  return row as MedFile;
}

/** @returns the files of a case, oldest first. */
export function readMedFiles(tx: Tx, caseId: bigint, limit: number): Promise<MedFile[]> {
  return tx.query<MedFile>(OF_CASE, [caseId, limit]);
}

/** @returns the file with this id. */
export async function readMedFile(tx: Tx, id: bigint): Promise<MedFile | undefined> {
  return (await tx.query<MedFile>(BY_ID, [id]))[0];
}

/** @returns the bytes of an existing file. */
export async function readMedContent(tx: Tx, id: bigint): Promise<Buffer> {
  const [row] = await tx.query<{ readonly content: Buffer }>(CONTENT, [id]);
  return (row as { readonly content: Buffer }).content;
}

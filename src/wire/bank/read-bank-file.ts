/**
 * Reads bank files (OFX, CSV and CNAB 240) as movements of one account in BRL. A file is streamed twice: once for its
 * encoding and digest, once for its rows.
 */
import { createHash } from 'node:crypto';
import { csvForm } from './apply-bank-form.ts';
import { BankFileError, type BankForm, type BankRow, isSameAccount } from './bank-row.ts';
import { isCnab240 } from './cnab-record.ts';
import { readCnab } from './read-cnab.ts';
import { readCsv } from './read-csv.ts';
import { readOfx } from './read-ofx.ts';

/** @returns the bytes of a file from its beginning; called once for each pass. */
export type BankBytes = () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Encoding, digest and kind of a file. */
export interface BankFileKind {
  readonly encoding: 'utf-8' | 'utf-16le' | 'windows-1252';
  /** SHA-256 in hexadecimal digits. */
  readonly digest: string;
  readonly isOfx: boolean;
  readonly isCnab: boolean;
}

/** Length of the beginning in which OFX is recognised. Unit: bytes. */
const HEAD_BYTES = 64_000;
/** First bytes (Latin-1) of files that people mistake for a text export. */
const OTHER_KINDS = { PK: 'a spreadsheet', '\xD0\xCF\x11\xE0': 'a spreadsheet', '%PDF': 'a PDF' };
const BRL_NAMES = ['BRL', 'R$', 'REAL'];

/** @throws {BankFileError} for a file of another kind. */
export async function inspectBankFile(bytes: BankBytes): Promise<BankFileKind> {
  const hash = createHash('sha256');
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  let head = Buffer.alloc(0);
  let isUtf8 = true;
  const decode = (...part: [] | [Uint8Array]) => {
    try {
      if (isUtf8) utf8.decode(part[0], { stream: part.length > 0 });
    } catch {
      isUtf8 = false;
    }
  };
  for await (const part of bytes()) {
    hash.update(part);
    decode(part);
    if (head.length < HEAD_BYTES) head = Buffer.concat([head, part.subarray(0, HEAD_BYTES)]);
  }
  decode();
  const start = head.toString('latin1');
  for (const [mark, kind] of Object.entries(OTHER_KINDS))
    if (start.startsWith(mark)) throw new BankFileError(`it is ${kind}: export OFX or CSV`);
  const isUtf16 = start.startsWith('\xFF\xFE');
  const encoding = isUtf16 ? 'utf-16le' : isUtf8 ? 'utf-8' : 'windows-1252';
  const isOfx = /<OFX\b/i.test(isUtf16 ? head.toString('utf16le') : start);
  return { encoding, isOfx, isCnab: isCnab240(start), digest: hash.digest('hex') };
}

/**
 * @param kind - result of `inspectBankFile`.
 * @yields rows of one account, in the order of the file.
 * @throws {BankFileError} also if the file has several accounts and the form names none, lacks the named account, or
 *   has another currency than BRL.
 */
export async function* readBankFile(
  bytes: BankBytes,
  { encoding, digest, ...kind }: BankFileKind,
  form: BankForm,
): AsyncGenerator<BankRow> {
  const accounts = new Set<string>();
  const isWanted = (account: string) => form.account !== null && isNamed(account, form.account);
  const see = (account: string) => {
    accounts.add(account);
    const wanted = form.account === null ? [...accounts] : [...accounts].filter(isWanted);
    if (wanted.length > 1)
      throw new BankFileError(`it has several accounts, ${wanted.join(', ')}: choose one by --bank-account`);
  };
  const text = decoded(bytes, encoding, digest);
  for await (const row of readAs(kind, text, form, see)) {
    if (row.account !== null && form.account !== null && !isWanted(row.account)) continue;
    const { currency, movement, position } = row;
    const isMovement = typeof movement !== 'string';
    if (isMovement && currency !== null && !BRL_NAMES.includes(currency.toUpperCase()))
      throw new BankFileError(`${position}: the currency must be BRL, and is ${currency.slice(0, 20)}`);
    yield row;
  }
  if (form.account !== null && accounts.size > 0 && ![...accounts].some(isWanted))
    throw new BankFileError(
      `it must be of the account ${form.account}, and is of ${[...accounts].join(', ')}`,
    );
}

function readAs(
  { isOfx, isCnab }: Pick<BankFileKind, 'isOfx' | 'isCnab'>,
  ...[text, form, see]: Parameters<typeof readOfx>
): AsyncGenerator<BankRow> {
  if (isOfx) return readOfx(text, form, see);
  return isCnab ? readCnab(text, form, see) : readCsv(text, csvForm(form), see);
}

/**
 * @returns whether the chosen name means an account of the file, such as `001/4321/12345-6`: the name is the whole
 *   account or its last part.
 */
function isNamed(account: string, chosen: string): boolean {
  return isSameAccount(account, chosen) || isSameAccount(account.split('/').at(-1) ?? '', chosen);
}

async function* decoded(bytes: BankBytes, encoding: string, digest: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  const hash = createHash('sha256');
  for await (const part of bytes()) {
    hash.update(part);
    yield decoder.decode(part, { stream: true });
  }
  yield decoder.decode();
  if (hash.digest('hex') !== digest)
    throw new BankFileError('it changed while it was read, or cannot be read twice');
}

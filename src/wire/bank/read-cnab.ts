/**
 * Reads statements of CNAB 240 files (FEBRABAN, segment E). Opening balance, movements and closing balance of each
 * account must agree, and so must the sums and counts in its trailers, so that a file with a missing or altered line is
 * refused.
 */
import { fromMinor } from '../../base/money/money.ts';
import { BankFileError, type BankForm, type BankRow, skipReason } from './bank-row.ts';
import { CnabRecord, LINE_LENGTH } from './cnab-record.ts';

/** State of the statement that is being read. */
interface Batch {
  readonly account: string;
  readonly currency: string | null;
  readonly opening: bigint;
  records: number;
  incoming: bigint;
  outgoing: bigint;
}

/** End-of-file character that some banks write. */
const END_OF_FILE = '\x1A';
const ZEROS = /^0*$/;

/**
 * @param text - the file in parts, split anywhere.
 * @param see - called with each account of the file, before its rows.
 * @throws {BankFileError}
 */
export async function* readCnab(
  text: AsyncIterable<string>,
  form: BankForm,
  see: (account: string) => void,
): AsyncGenerator<BankRow> {
  const reader = new CnabReader(form, see);
  let number = 0;
  for await (const line of linesOf(text)) {
    number += 1;
    if (line.trim() !== '') yield reader.row(new CnabRecord(line, `row ${number}`));
  }
  reader.end();
}

class CnabReader {
  readonly #form: BankForm;
  readonly #see: (account: string) => void;
  /** Undefined outside of batches; null within a batch that is no statement. */
  #batch: Batch | null | undefined;
  #records = 0;
  #batches = 0;
  #isOver = false;

  constructor(form: BankForm, see: (account: string) => void) {
    this.#form = form;
    this.#see = see;
  }

  /** @throws {BankFileError} */
  row(record: CnabRecord): BankRow {
    if (this.#isOver) throw record.wrong('stands behind the file trailer');
    this.#records += 1;
    if (this.#batch) this.#batch.records += 1;
    const text = record.text(1, LINE_LENGTH);
    const row = { position: record.position, account: this.#batch?.account ?? null, currency: null, text };
    switch (record.kind) {
      case '0':
        return { ...row, movement: 'heading' };
      case '1':
        return { ...row, ...this.#begin(record), movement: 'balance' };
      case '3':
        return this.#batch ? this.#segment(record, this.#batch) : { ...row, movement: 'segment' };
      case '5':
        this.#endBatch(record);
        return { ...row, movement: 'balance' };
      case '9':
        this.#endFile(record);
        return { ...row, movement: 'heading' };
    }
  }

  /** @throws {BankFileError} if the file ends before its trailer. */
  end(): void {
    if (!this.#isOver) throw new BankFileError('it ends before its file trailer: it is incomplete');
  }

  #begin(record: CnabRecord): Pick<BankRow, 'account'> {
    if (this.#batch !== undefined) throw record.wrong('a batch begins before the last one has ended');
    this.#batches += 1;
    this.#batch = null;
    if (!record.isStatement) return { account: null };
    const { account } = record;
    this.#see(account);
    const { minor: opening } = record.amount('opening balance');
    const currency = record.text(171, 173) || null;
    this.#batch = { account, currency, opening, records: 1, incoming: 0n, outgoing: 0n };
    return { account };
  }

  #segment(record: CnabRecord, batch: Batch): BankRow {
    const text = `${record.text(177, 201)} ${record.text(202, LINE_LENGTH)}`.trim();
    const row = { position: record.position, account: batch.account, currency: batch.currency, text };
    if (record.text(14, 14) !== 'E') return { ...row, movement: 'segment' };
    if (record.account !== batch.account) throw record.wrong(`the account must be ${batch.account}`);
    const { day, minor } = record.amount('amount');
    if (minor === 0n) return { ...row, movement: 'zero' };
    if (minor > 0n) batch.incoming += minor;
    else batch.outgoing -= minor;
    const id = record.text(202, LINE_LENGTH);
    const isWord = skipReason([text], this.#form) === 'word';
    return { ...row, movement: isWord ? 'word' : { day, minor, id: ZEROS.test(id) ? '' : id, text } };
  }

  #endBatch(record: CnabRecord): void {
    const batch = this.#batch;
    if (batch === undefined) throw record.wrong('a batch ends that has not begun');
    this.#batch = undefined;
    if (batch === null) return;
    const { minor: closing } = record.amount('closing balance');
    const moved = batch.incoming - batch.outgoing;
    if (batch.opening + moved !== closing)
      throw record.wrong(
        `the balance ${shown(batch.opening)} and movements of ${shown(moved)} make ${shown(batch.opening + moved)}, not the closing balance ${shown(closing)}`,
      );
    agree(record, 'debits', record.cents(177, 194, 'sum of debits'), batch.outgoing);
    agree(record, 'credits', record.cents(195, 212, 'sum of credits'), batch.incoming);
    agreeCount(record, 'lines of the batch', record.count(171, 176, 'number of lines'), batch.records);
  }

  #endFile(record: CnabRecord): void {
    if (this.#batch !== undefined) throw record.wrong('the file ends within a batch');
    this.#isOver = true;
    agreeCount(record, 'batches', record.count(18, 23, 'number of batches'), this.#batches);
    agreeCount(record, 'lines of the file', record.count(24, 29, 'number of lines'), this.#records);
  }
}

/** A sum of zero means that the bank did not fill it in. The balances are still compared. */
function agree(record: CnabRecord, name: string, stated: bigint, found: bigint): void {
  if (stated !== 0n && stated !== found)
    throw record.wrong(`the sum of ${name} is ${shown(found)}, and the trailer has ${shown(stated)}`);
}

function agreeCount(record: CnabRecord, name: string, stated: number | null, found: number): void {
  if (stated !== null && stated !== found)
    throw record.wrong(`there are ${found} ${name}, and the trailer has ${stated}`);
}

function shown(minor: bigint): string {
  return fromMinor(minor, 2);
}

async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const part of text) {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LINE_LENGTH + 2)
      throw new BankFileError(`a line of more than ${LINE_LENGTH} characters`);
    for (const line of lines) yield stripped(line);
  }
  if (rest !== '') yield stripped(rest);
}

function stripped(line: string): string {
  return line.replace(END_OF_FILE, '').replace(/\r$/, '');
}

/**
 * Cells: databases that share nothing, each with all data of its account holders (docs/scaling.md). A cell has a code
 * of two characters. All issued ids and tokens contain the code, so that any gateway and any load balancer finds the
 * cell without a look-up. The first cell has no code: its ids are those of an installation without cells.
 *
 * | Issued | In the first cell | In cell `a1` | |---|---|---| | API key | `crx_test_` and 36 characters | `crx_test_a1`
 * and 36 | | id of a key, and with it a stream token | `key_` and 16 | `key_a1` and 16 | | session of a payer | 24 |
 * `a1` and 24 | | slug of a static link | 16 | `a1` and 16 | | session of a person, link that signs in | 43 | `a1` and
 * 43 | | txid | 32 | `a1` and 32 | | account, ledger account, ledger line and other numbers | below 10^12 | from 361 ×
 * 10^12: `a1` is 361 in base 36 |
 */

/** Code of the first cell. */
export const FIRST_CELL = '';
/** Name of the first cell, which has no code, in files, paths and commands. */
export const FIRST_CELL_NAME = 'first';
/** Accepted form of a code, as text. */
export const CELL_FORM = 'two characters of a-z and 0-9 other than 00, such as a1';

const CODE = /^(?!00)[0-9a-z]{2}$/;
const RADIX = 36;
/** Number range of one cell; with 1,295 codes all numbers stay below 2^53, which JSON carries exactly. */
const IDS_PER_CELL = 10n ** 12n;

/** One form of issued texts: a regular expression, without anchors, whose only group is the code. */
interface CodedForm {
  readonly name: string;
  readonly pattern: string;
}

/**
 * Texts with a code in their first characters or behind a prefix, in the syntax that JavaScript, PCRE and RE2 share.
 */
export const CODED_FORMS = {
  apiKey: { name: 'API key', pattern: 'crx_(?:test|live)_([0-9a-z]{2})[0-9A-Za-z]{36}' },
  streamToken: {
    name: 'stream token',
    pattern: 'crst_[0-9]{1,18}[.]key_([0-9a-z]{2})[0-9A-Za-z]{16}[.][0-9]{1,12}[.][0-9A-Za-z_-]{43}',
  },
  exportLink: {
    name: 'link to an export',
    pattern: 'crex_[0-9]{1,18}[.]key_([0-9a-z]{2})[0-9A-Za-z]{16}[.][0-9]{1,12}[.][0-9A-Za-z_-]{43}',
  },
  keyId: { name: 'id of a key', pattern: 'key_([0-9a-z]{2})[0-9A-Za-z]{16}' },
  payerSession: { name: 'payment session', pattern: '([0-9a-z]{2})[0-9A-Za-z_-]{24}' },
  slug: { name: 'static link', pattern: '([0-9a-z]{2})[0-9A-Za-z_-]{16}' },
  personToken: { name: 'session or link of a person', pattern: '([0-9a-z]{2})[0-9A-Za-z_-]{43}' },
  txid: { name: 'txid', pattern: '([0-9a-z]{2})[0-9a-f]{32}' },
} as const satisfies Readonly<Record<string, CodedForm>>;

const KEY_FORMS = [new RegExp(`^${CODED_FORMS.apiKey.pattern}$`)];
const FORMS = Object.values(CODED_FORMS).map(({ pattern }) => new RegExp(`^${pattern}$`));

/** @returns whether a text is the code of a cell other than the first. */
export function isCellCode(text: string): boolean {
  return CODE.test(text);
}

/** @returns the name of a cell: its code, or `first`. */
export function cellName(code: string): string {
  return code === FIRST_CELL ? FIRST_CELL_NAME : code;
}

/** @returns the code of a name; undefined for an invalid name. */
export function cellNamed(name: string): string | undefined {
  if (name === FIRST_CELL_NAME) return FIRST_CELL;
  return isCellCode(name) ? name : undefined;
}

/** @returns the cell that issued a text: that of its code, or the first cell for a text without one. */
export function cellOf(text: string): string {
  // A key without a code is as long as a link with one.
  const forms = text.startsWith('crx_') ? KEY_FORMS : FORMS;
  for (const form of forms) {
    const code = form.exec(text)?.[1];
    if (code !== undefined) return code === '00' ? FIRST_CELL : code;
  }
  return FIRST_CELL;
}

/**
 * @returns the number before the first one that the cell assigns to an account, a ledger account or a line: 0 in the
 * first cell.
 */
export function numbersBefore(cell: string): bigint {
  return cell === FIRST_CELL ? 0n : BigInt(Number.parseInt(cell, RADIX)) * IDS_PER_CELL;
}

/** @returns the cell that assigned a number; the numbers of house lines are negative, so the sign is ignored. */
export function cellOfNumber(id: bigint): string {
  const number = (id < 0n ? -id : id) / IDS_PER_CELL;
  return number === 0n ? FIRST_CELL : number.toString(RADIX).padStart(2, '0');
}

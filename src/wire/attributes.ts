/** What an attribute of a transaction is published as: one reading of the facts for REST, webhooks and GraphQL. */
import { currencyOf, currencyOfHistory, explorerUrl } from '../base/currency.ts';
import { type Instant, isoExact, isoSeconds } from '../base/instant.ts';
import { roundHalfUp, trimDecimal } from '../base/money.ts';
import type { Attribute } from '../templates/define.ts';
import type { FactName, TransactionRow } from '../templates/facts.ts';
import { KINDS } from '../templates/kinds.ts';

/**
 * Reads an attribute of a row as text: the exact decimal, the instant as stored, the name of the currency.
 *
 * @returns null when it is not known yet.
 */
export type AttributeReader = (row: TransactionRow) => string | null;

/** Writes an attribute of a row as a JSON token; a text that is not known is `""` (C-5), a number `null`. */
export type AttributeWriter = (row: TransactionRow) => string;

/** How exactly values are written. */
export interface WireOptions {
  /** Print attributes that are published as integers exactly instead (C-4). */
  readonly exactIntegers: boolean;
  /** Print the fraction of a second where there is one, which the published form leaves out (C-2). */
  readonly exactInstants?: boolean;
}

/** @returns the writer of an instant. */
export function instantWriter({ exactInstants }: WireOptions): (instant: Instant) => string {
  return exactInstants ? isoExact : isoSeconds;
}

/** @returns the reader of an attribute; what was published differently in imported history goes first (C-70). */
export function attributeReader(attribute: Attribute): AttributeReader {
  const read = canonicalReader(attribute);
  const { name } = attribute;
  return (row) => row.asPublished?.[name] ?? read(row);
}

/**
 * @param options - see `WireOptions`.
 * @returns the writer of an attribute.
 */
export function attributeWriter(attribute: Attribute, options: WireOptions): AttributeWriter {
  const read = attributeReader(attribute);
  const { wire } = KINDS[attribute.kind];
  if (wire === 'number' || (wire === 'integer' && options.exactIntegers)) return (row) => read(row) ?? 'null';
  if (wire === 'integer') {
    return (row) => {
      const text = read(row);
      return text === null ? 'null' : roundHalfUp(text, 0);
    };
  }
  if (attribute.kind === 'instant') {
    const iso = instantWriter(options);
    return (row) => {
      const text = read(row);
      return text === null ? '""' : `"${iso(text)}"`;
    };
  }
  return (row) => JSON.stringify(read(row) ?? '');
}

/** @returns the value from the facts alone, as this version publishes it. */
export function canonicalReader(attribute: Attribute): AttributeReader {
  const fact = factReader(attribute.fact);
  switch (attribute.kind) {
    case 'rate':
    case 'amount':
    case 'rounded':
      return (row) => mapText(fact(row), trimDecimal);
    case 'currency_name':
      return (row) => mapText(fact(row), (code) => currencyOfHistory(code)?.displayName ?? code);
    case 'currency_asset':
      return (row) => mapText(fact(row), (code) => currencyOfHistory(code)?.asset ?? code);
    default:
      return fact;
  }
}

function factReader(fact: FactName): AttributeReader {
  switch (fact) {
    case 'explorerUrl':
      return (row) =>
        row.txHash && row.targetCurrency ? (explorerUrl(row.targetCurrency, row.txHash) ?? null) : null;
    case 'amountDisplay':
      return ({ sourceAmount, sourceCurrency }) =>
        sourceAmount && sourceCurrency
          ? `${trimDecimal(sourceAmount)} ${currencyOf(sourceCurrency)?.displayName ?? sourceCurrency}`
          : null;
    default:
      return (row) => row[fact];
  }
}

function mapText(text: string | null, change: (text: string) => string): string | null {
  return text === null ? null : change(text);
}

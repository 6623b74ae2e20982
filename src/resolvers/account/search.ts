/** Searches an account by any identifier: an id, a hash, a CPF, an address, a reference, a name. */

import { type Named, Violations } from '../../base/errors/violations.ts';
import { plainTaxId } from '../../base/pix/tax-id.ts';
import { findDestinations } from '../../store/account/whitelist.ts';
import { type FoundTransaction, searchTransactions } from '../../store/engine/search.ts';
import { type Context, requireScope } from '../services/context.ts';

/** Result of a search. */
export interface Found {
  readonly transactions: readonly FoundTransaction[];
  /** Ids of destinations of the whitelist. */
  readonly destinations: readonly string[];
}

/** Maximum number of results of a search, and of these destinations. */
export const FOUND_MAX = 20;
const DESTINATIONS_MAX = 5;
const SHORTEST_NAME = 2;
const TAX_ID = /^(?:[0-9A-Za-z]{11}|[0-9A-Za-z]{14})$/;
/** Blanks and zero-width characters around a pasted text. */
const UNSEEN_ENDS = /^[\s\p{Cf}]+|[\s\p{Cf}]+$/gu;
const HASH = /^(?:0x)?[0-9a-f]{64}$/i;

/** @throws {GatewayError} `INVALID_PARAMETER` for a text that is empty or longer than 200 characters. */
export async function search(context: Context, input: Named): Promise<Found> {
  requireScope(context, 'read');
  const violations = new Violations();
  const text = violations.text({ ...input, value: input.value.replace(UNSEEN_ENDS, '') }) ?? '';
  violations.refuse();
  const { database, registry, caller } = context;
  const families = [...new Set(registry.templates.map(({ family }) => family))];
  const taxId = plainTaxId(text);
  const forms = {
    text,
    ids: [...new Set([text, text.toUpperCase()])],
    hashes: hashForms(text),
    taxId: TAX_ID.test(taxId) ? taxId : null,
    name: text.length < SHORTEST_NAME ? null : text,
  };
  const [transactions, destinations] = await Promise.all([
    searchTransactions(database, caller.accountId, families, forms, FOUND_MAX),
    findDestinations(database, caller.accountId, text, DESTINATIONS_MAX),
  ]);
  return {
    transactions: transactions.slice(0, FOUND_MAX - destinations.length),
    destinations,
  };
}

function hashForms(text: string): readonly string[] {
  if (!HASH.test(text)) return [text];
  const plain = text.toLowerCase().replace(/^0x/, '');
  return [...new Set([text, plain, `0x${plain}`])];
}

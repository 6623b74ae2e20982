/**
 * Index of the entries of lists. Wallet addresses and whole tax ids are found exactly, names by their tokens: each distinct token of
 * all lists is compared once with each token of a name, and only entries that share two tokens with the name are scored.
 */
import { foldName } from './fold-name.ts';
import { WORD_MAX } from './jaro-winkler.ts';
import type { ListEntry, ListForm } from './list-entry.ts';
import { type Similar, Vocabulary } from './vocabulary.ts';

/** An entry with the list that it is of. */
export interface IndexedEntry extends ListEntry {
  readonly list: ListForm;
}

/** A name of an entry that resembles the name that was looked for. */
export interface NameMatch {
  readonly entry: IndexedEntry;
  /** From 0 to 1. */
  readonly score: number;
  /** Whether no token of either name is left over. */
  readonly isWhole: boolean;
}

/** Cost of each token that only one of the names has. */
const LEFT_OVER_COST = 0.04;
/** Tokens of a name that are compared. */
const TOKENS_MAX = 20;

/** A name of an entry: its place in the list of entries, and its tokens by number. */
interface IndexedName {
  readonly entry: number;
  readonly tokens: readonly number[];
}

/** An index, which is made once of all entries and then only read. */
export class ListIndex {
  readonly #entries: readonly IndexedEntry[];
  readonly #names: IndexedName[] = [];
  readonly #vocabulary = new Vocabulary();
  /** Places of names by the number of a token. */
  readonly #namesOf: number[][] = [];
  readonly #byAddress = new Map<string, IndexedEntry[]>();
  readonly #byTaxId = new Map<string, IndexedEntry[]>();
  /** Number of tokens that a name shares with the searched one; zero between searches. */
  readonly #shared: Uint8Array;
  /** The last token of those that a name shares. */
  readonly #seenBy: Uint8Array;

  constructor(entries: readonly IndexedEntry[]) {
    this.#entries = entries;
    for (const [index, entry] of entries.entries()) {
      for (const address of entry.addresses) push(this.#byAddress, foldAddress(address), entry);
      for (const taxId of entry.taxIds) push(this.#byTaxId, taxId, entry);
      for (const name of entry.names) this.#addName(name, index);
    }
    this.#shared = new Uint8Array(this.#names.length);
    this.#seenBy = new Uint8Array(this.#names.length);
  }

  /** Number of the entries. */
  get size(): number {
    return this.#entries.length;
  }

  /** @returns entries with exactly this address; hex addresses of any case. */
  byAddress(address: string): readonly IndexedEntry[] {
    return this.#byAddress.get(foldAddress(address)) ?? [];
  }

  /** @param taxId - without punctuation. @returns entries with exactly this tax id. */
  byTaxId(taxId: string): readonly IndexedEntry[] {
    return this.#byTaxId.get(taxId) ?? [];
  }

  /**
   * @param least - score from which a name is returned.
   * @returns the best name of each entry that resembles the name, in no order.
   */
  byName(name: string, least: number): readonly NameMatch[] {
    const tokens = tokensOf(name);
    const similar = tokens.map((token) => this.#vocabulary.similarTo(token));
    const scores = similar.map(
      (each) => new Map(each.tokens.map((token, i) => [token, each.scores[i] ?? 0])),
    );
    const best = new Map<number, NameMatch>();
    for (const index of this.#candidates(similar, least)) {
      const { entry, tokens: own } = this.#names[index] as IndexedName;
      const found = scoreOf(tokens, own, scores, this.#vocabulary);
      if (found.score < least || (best.get(entry)?.score ?? 0) >= found.score) continue;
      best.set(entry, { ...found, entry: this.#entries[entry] as IndexedEntry });
    }
    return [...best.values()];
  }

  #addName(name: string, entry: number): void {
    const tokens = tokensOf(name).map((token) => this.#vocabulary.add(token));
    if (tokens.length === 0) return;
    for (const token of tokens) {
      const names = this.#namesOf[token] ?? [];
      names.push(this.#names.length);
      this.#namesOf[token] = names;
    }
    this.#names.push({ entry, tokens });
  }

  /** @returns places of the names of which every token, or every token of the name that is looked for, may have a pair. */
  #candidates(similar: readonly Similar[], least: number): readonly number[] {
    const [shared, seenBy] = [this.#shared, this.#seenBy];
    const touched: number[] = [];
    for (const [at, { tokens }] of similar.entries())
      for (const token of tokens)
        for (const index of this.#namesOf[token] as number[]) {
          const count = shared[index] as number;
          if (count === 0) touched.push(index);
          else if (seenBy[index] === at) continue;
          seenBy[index] = at;
          shared[index] = count + 1;
        }
    const length = similar.length;
    const found = touched.filter((index) => {
      const own = (this.#names[index] as IndexedName).tokens.length;
      const leftOver = Math.abs(own - length);
      return (shared[index] as number) >= Math.min(own, length) && 1 - leftOver * LEFT_OVER_COST >= least;
    });
    for (const index of touched) shared[index] = 0;
    return found;
  }
}

/**
 * Pairs tokens, the most similar first. The score is the mean of the pairs, each by the length of its tokens, less the cost of
 * tokens that are left over.
 */
function scoreOf(
  tokens: readonly string[],
  own: readonly number[],
  scores: readonly ReadonlyMap<number, number>[],
  vocabulary: Vocabulary,
): { readonly score: number; readonly isWhole: boolean } {
  const pairs = scores.flatMap((byToken, at) =>
    own.flatMap((token, index) => {
      const score = byToken.get(token);
      return score === undefined ? [] : [{ at, place: index, score }];
    }),
  );
  pairs.sort((one, other) => other.score - one.score);
  const [usedHere, usedThere] = [new Set<number>(), new Set<number>()];
  let [sum, weight] = [0, 0];
  for (const { at, place: index, score } of pairs) {
    if (usedHere.has(at) || usedThere.has(index)) continue;
    usedHere.add(at);
    usedThere.add(index);
    const length = (tokens[at]?.length ?? 0) + vocabulary.lengthOf(own[index] as number);
    sum += score * length;
    weight += length;
  }
  const paired = usedHere.size;
  const leftOver = tokens.length + own.length - 2 * paired;
  // A token of the shorter name that has no pair makes it another name. A single word proves nothing about a longer name.
  const isOther = paired < Math.min(tokens.length, own.length) || (paired < 2 && leftOver > 0);
  if (weight === 0 || isOther) return { score: 0, isWhole: false };
  return { score: Math.max(0, sum / weight - leftOver * LEFT_OVER_COST), isWhole: leftOver === 0 };
}

/** Hex has no case; base58 has. Bech32 is written in one case. */
function foldAddress(address: string): string {
  return /^0x/i.test(address) || /^bc1/i.test(address) ? address.toLowerCase() : address;
}

/** @returns the tokens of a name, each once, of bounded number and length. */
function tokensOf(name: string): readonly string[] {
  return [...new Set(foldName(name).map((token) => token.slice(0, WORD_MAX)))].slice(0, TOKENS_MAX);
}

function push<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const values = map.get(key);
  if (values) values.push(value);
  else map.set(key, [value]);
}

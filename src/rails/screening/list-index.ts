/**
 * Index of the entries of lists. Wallet addresses and complete tax ids are found exactly, names by their tokens. Each
 * distinct token of all lists is compared once with each token of the searched name; only entries that share enough
 * tokens with it are scored.
 */
import { foldName } from './fold-name.ts';
import { WORD_MAX } from './jaro-winkler.ts';
import type { ListEntry, ListForm } from './list-entry.ts';
import { type Similar, Vocabulary } from './vocabulary.ts';

/** An entry with its list. */
export interface IndexedEntry extends ListEntry {
  readonly list: ListForm;
}

/** A name of an entry that resembles the searched name. */
export interface NameMatch {
  readonly entry: IndexedEntry;
  /** Similarity from 0 to 1. */
  readonly score: number;
  /** Whether every token of both names has a pair. */
  readonly isWhole: boolean;
}

/** Deduction from the score for each token without a pair. */
const LEFT_OVER_COST = 0.04;
/** Maximum number of compared tokens of a name. */
const TOKENS_MAX = 20;

/** A name of an entry: the index of its entry, and the numbers of its tokens. */
interface IndexedName {
  readonly entry: number;
  readonly tokens: readonly number[];
}

/** An index, built once from all entries and then only read. */
export class ListIndex {
  readonly #entries: readonly IndexedEntry[];
  readonly #names: IndexedName[] = [];
  readonly #vocabulary = new Vocabulary();
  /** Indexes of the names that contain a token, by token number. */
  readonly #namesOf: number[][] = [];
  readonly #byAddress = new Map<string, IndexedEntry[]>();
  readonly #byTaxId = new Map<string, IndexedEntry[]>();
  /** Number of tokens that each name shares with the searched one; all zero between searches. */
  readonly #shared: Uint8Array;
  /** Last token of the searched name that each name shares, so that a token counts once. */
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

  /** Number of entries. */
  get size(): number {
    return this.#entries.length;
  }

  /** @returns entries with exactly this address; the case of hexadecimal addresses is ignored. */
  byAddress(address: string): readonly IndexedEntry[] {
    return this.#byAddress.get(foldAddress(address)) ?? [];
  }

  /** @param taxId - without punctuation. @returns entries with exactly this tax id. */
  byTaxId(taxId: string): readonly IndexedEntry[] {
    return this.#byTaxId.get(taxId) ?? [];
  }

  /** @param least - minimum score of a returned name. @returns the best matching name of each entry, unordered. */
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

  /** @returns indexes of names that can reach the score: all tokens of the shorter name may have a pair. */
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
 * Pairs tokens, the most similar first. The score is the mean similarity of the pairs, weighted by the length of their
 * tokens, minus LEFT_OVER_COST for each token without a pair.
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
  // If a token of the shorter name has no pair, the names are different. A single common word does not identify a
  // longer name.
  const isOther = paired < Math.min(tokens.length, own.length) || (paired < 2 && leftOver > 0);
  if (weight === 0 || isOther) return { score: 0, isWhole: false };
  return { score: Math.max(0, sum / weight - leftOver * LEFT_OVER_COST), isWhole: leftOver === 0 };
}

/** Ignores the case of hexadecimal addresses. Case matters in base58, and bech32 is written in one case. */
function foldAddress(address: string): string {
  return /^0x/i.test(address) || /^bc1/i.test(address) ? address.toLowerCase() : address;
}

/** @returns the distinct tokens of a name, limited in number and length. */
function tokensOf(name: string): readonly string[] {
  return [...new Set(foldName(name).map((token) => token.slice(0, WORD_MAX)))].slice(0, TOKENS_MAX);
}

function push<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const values = map.get(key);
  if (values) values.push(value);
  else map.set(key, [value]);
}

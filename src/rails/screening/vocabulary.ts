/**
 * Distinct tokens of all names, and a search for similar tokens. Words are grouped by length and first letter. Most are
 * ruled out by comparing sets of letters, before the exact comparison.
 */
import { jaroWinkler, PREFIX_MAX, prefixOf, similarityBound, WORD_MAX } from './jaro-winkler.ts';

/** Similar tokens: their numbers, and their similarities. */
export interface Similar {
  readonly tokens: readonly number[];
  readonly scores: readonly number[];
}

/** Minimum similarity of two tokens that form a pair. */
export const TOKEN_MIN = 0.85;
/** Maximum number of tokens whose search results are cached. */
const CACHED_MAX = 2_000;
const LETTERS = 26;
const OTHER_BIT = 26;
const CODE_A = 65;

/** Words of one length and first letter: their numbers, their letters as bits, and their repeated letters as bits. */
interface Group {
  readonly first: string;
  readonly length: number;
  readonly numbers: number[];
  readonly masks: number[];
  readonly twice: number[];
}

/** A vocabulary, which grows while an index is built and is then only read. */
export class Vocabulary {
  readonly #words: string[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #groups = new Map<string, Group>();
  readonly #similar = new Map<string, Similar>();

  /** @param word - at most WORD_MAX characters. @returns the word's number, from 0 in order of addition. */
  add(word: string): number {
    const known = this.#numbers.get(word);
    if (known !== undefined) return known;
    const number = this.#words.length;
    this.#numbers.set(word, number);
    this.#words.push(word);
    const group = this.#groupOf(word);
    group.numbers.push(number);
    const { mask, twice } = lettersOf(word);
    group.masks.push(mask);
    group.twice.push(twice);
    return number;
  }

  /** @returns the length of a word. */
  lengthOf(number: number): number {
    return this.#words[number]?.length ?? 0;
  }

  /** @returns the words whose similarity to a token is at least TOKEN_MIN. */
  similarTo(token: string): Similar {
    const known = this.#similar.get(token);
    if (known) return known;
    const found = this.#compareWithAll(token);
    if (this.#similar.size >= CACHED_MAX) this.#similar.clear();
    this.#similar.set(token, found);
    return found;
  }

  #groupOf(word: string): Group {
    const [first, length] = [word.charAt(0), word.length];
    const key = `${first}${length}`;
    const group = this.#groups.get(key) ?? { first, length, numbers: [], masks: [], twice: [] };
    this.#groups.set(key, group);
    return group;
  }

  #compareWithAll(token: string): Similar {
    const found = { tokens: [] as number[], scores: [] as number[] };
    const needed = Array.from({ length: WORD_MAX + 1 }, (_, length) => neededMatches(token.length, length));
    for (const group of this.#groups.values())
      this.#compareWithGroup(token, group, needed[group.length] as readonly number[], found);
    return found;
  }

  #compareWithGroup(
    token: string,
    { first, length, numbers, masks, twice }: Group,
    needed: readonly number[],
    found: { readonly tokens: number[]; readonly scores: number[] },
  ): void {
    const least = needed[token.startsWith(first) ? PREFIX_MAX : 0] as number;
    if (least > Math.min(token.length, length)) return;
    const { mask, twice: own } = lettersOf(token);
    const [spareHere, spareThere] = [token.length - least, length - least];
    for (let i = 0; i < numbers.length; i++) {
      const other = masks[i] as number;
      const missingHere = countBits(mask & ~other);
      if (missingHere > spareHere) continue;
      const missingThere = countBits(other & ~mask);
      if (missingThere > spareThere) continue;
      const otherTwice = twice[i] as number;
      const lackingHere = missingHere + countBits(own & ~otherTwice);
      const lackingThere = missingThere + countBits(otherTwice & ~own);
      if (lackingHere > spareHere || lackingThere > spareThere) continue;
      const number = numbers[i] as number;
      const word = this.#words[number] as string;
      const matches = Math.min(token.length - lackingHere, length - lackingThere);
      if (matches < (needed[prefixOf(token, word)] as number)) continue;
      const score = jaroWinkler(token, word);
      if (score < TOKEN_MIN) continue;
      found.tokens.push(number);
      found.scores.push(score);
    }
  }
}

/**
 * @returns the minimum number of common letters of similar words with these lengths, by the length of their common
 *   beginning.
 */
function neededMatches(oneLength: number, otherLength: number): readonly number[] {
  const most = Math.min(oneLength, otherLength);
  return Array.from({ length: PREFIX_MAX + 1 }, (_, prefix) => {
    let matches = most;
    if (similarityBound(oneLength, otherLength, matches, prefix) < TOKEN_MIN) return most + 1;
    while (matches > 1 && similarityBound(oneLength, otherLength, matches - 1, prefix) >= TOKEN_MIN)
      matches--;
    return matches;
  });
}

/**
 * Encodes the letters of a word, and its repeated letters, as bits; all characters other than A to Z share one bit.
 */
function lettersOf(word: string): { readonly mask: number; readonly twice: number } {
  let [mask, twice] = [0, 0];
  for (let i = 0; i < word.length; i++) {
    const letter = word.charCodeAt(i) - CODE_A;
    const bit = 1 << (letter >= 0 && letter < LETTERS ? letter : OTHER_BIT);
    twice |= mask & bit;
    mask |= bit;
  }
  // Different characters share the last bit, so it cannot show that one of them is repeated.
  return { mask, twice: twice & ~(1 << OTHER_BIT) };
}

function countBits(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

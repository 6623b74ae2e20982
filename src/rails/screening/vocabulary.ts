/**
 * Distinct tokens of all names, and which of them resemble a token. Words are kept by length and first letter: most are ruled out by
 * the letters that they do not share, before they are compared.
 */
import { jaroWinkler, PREFIX_MAX, prefixOf, similarityBound, WORD_MAX } from './jaro-winkler.ts';

/** Tokens that resemble a token: their numbers, and how much. */
export interface Similar {
  readonly tokens: readonly number[];
  readonly scores: readonly number[];
}

/** Least similarity at which two tokens count as the same. */
export const TOKEN_MIN = 0.85;
/** Tokens whose comparison is cached. */
const CACHED_MAX = 2_000;
const LETTERS = 26;
const OTHER_BIT = 26;
const CODE_A = 65;

/** Words of one length and first letter: their numbers, their letters as bits, and those of letters that occur twice. */
interface Group {
  readonly first: string;
  readonly length: number;
  readonly numbers: number[];
  readonly masks: number[];
  readonly twice: number[];
}

/** A vocabulary, which grows while an index is made and is then only read. */
export class Vocabulary {
  readonly #words: string[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #groups = new Map<string, Group>();
  readonly #similar = new Map<string, Similar>();

  /** @param word - up to WORD_MAX characters. @returns its number, counted from 0 in order of addition. */
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

  /** @returns the words that resemble a token by at least TOKEN_MIN. */
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

/** @returns the least number of common letters, by the length of the common beginning, with which words of these lengths may resemble each other. */
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

/** Letters of a word as bits, and those that occur twice or more; all that are no letters of A to Z share one. */
function lettersOf(word: string): { readonly mask: number; readonly twice: number } {
  let [mask, twice] = [0, 0];
  for (let i = 0; i < word.length; i++) {
    const letter = word.charCodeAt(i) - CODE_A;
    const bit = 1 << (letter >= 0 && letter < LETTERS ? letter : OTHER_BIT);
    twice |= mask & bit;
    mask |= bit;
  }
  // Different characters share the last bit, so it proves nothing about two of one kind.
  return { mask, twice: twice & ~(1 << OTHER_BIT) };
}

function countBits(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

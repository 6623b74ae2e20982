/** The search over all pages: by word, by name of a field or an operation, by code of an error. */
import { type DocPage, docPath } from './doc-page.ts';

/** Something that was found. */
export interface Found {
  readonly url: string;
  readonly page: string;
  readonly title: string;
  /** The words around the first place. */
  readonly excerpt: string;
}

/** Characters of a question that are looked at. */
export const QUESTION_MAX = 200;
const FOUND_MAX = 30;
const AROUND = 80;

interface Entry extends Omit<Found, 'excerpt'> {
  readonly isGuide: boolean;
  readonly text: string;
  readonly titleFolded: string;
  readonly folded: string;
}

/** @returns the search: pages that contain all words of a question, the best first. */
export function searchOf(pages: readonly DocPage[]): (question: string) => readonly Found[] {
  const entries: readonly Entry[] = pages.flatMap((page) =>
    page.sections.map(({ anchor, title, text }) => ({
      url: docPath(page.path, anchor),
      page: page.title,
      title,
      text,
      isGuide: !page.path.startsWith('api/'),
      titleFolded: fold(title),
      folded: fold(`${title} ${text}`),
    })),
  );
  return (question) => {
    const words = fold(question.slice(0, QUESTION_MAX)).split(/\s+/).filter(Boolean);
    if (words.length === 0) return [];
    return entries
      .filter(({ folded }) => words.every((word) => folded.includes(word)))
      .map((entry) => ({ entry, rank: rankOf(entry, words) }))
      .sort((a, b) => b.rank - a.rank)
      .slice(0, FOUND_MAX)
      .map(({ entry: { url, page, title, text, folded, titleFolded } }) => {
        const at = Math.min(
          ...words.map((word) => folded.indexOf(word, titleFolded.length)).filter((n) => n >= 0),
        );
        return {
          url,
          page,
          title,
          excerpt: excerptOf(text, Number.isFinite(at) ? at - titleFolded.length - 1 : 0),
        };
      });
  };
}

/**
 * A title that is the question comes first, then titles that begin with it, then titles with its words; of equals, guides
 * come before references.
 */
function rankOf({ titleFolded, isGuide }: Entry, words: readonly string[]): number {
  const whole = words.join(' ');
  const half = isGuide ? 0.5 : 0;
  if (titleFolded === whole) return 100 + half;
  if (titleFolded.startsWith(whole)) return 50 + half;
  return words.filter((word) => titleFolded.includes(word)).length + half;
}

function excerptOf(text: string, at: number): string {
  const from = Math.max(0, at - AROUND);
  const cut = text.slice(from, at + AROUND).trim();
  return `${from > 0 ? '… ' : ''}${cut}${at + AROUND < text.length ? ' …' : ''}`;
}

/** @returns lower case without accents, of the same length for all that a document has. */
function fold(text: string): string {
  return text.normalize('NFC').toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
}

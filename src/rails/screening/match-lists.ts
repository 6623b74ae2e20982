/** Compares subjects with the entries of lists, by address, by tax id and by name. */
import type { ScreeningMatch, ScreeningSubject } from '../../resolvers/services/rails.ts';
import { type ListForm, SANCTION_FORMS } from './list-entry.ts';
import type { IndexedEntry, ListIndex } from './list-index.ts';

/** Minimum scores, from 0 to 1, at which a name counts as a match. */
export interface Thresholds {
  /** Score from which a match without left-over tokens counts as the same name. */
  readonly strong: number;
  readonly review: number;
}

/** Deductions from the score for a different birth year, and for a different country. */
const OTHER_BIRTH_COST = 0.1;
const OTHER_COUNTRY_COST = 0.05;
const CPF = /^\d{11}$/;
const SCORE_DECIMALS = 4;
/** Maximum number of returned matches, the most similar ones. More matches hold the subject as well. */
const MATCHES_MAX = 20;

interface Found {
  readonly entry: IndexedEntry;
  readonly score: number;
  readonly strength: ScreeningMatch['strength'];
}

/** @param versions - versions of the lists, by list. @returns the matches of a subject, best first. */
export function matchLists(
  index: ListIndex,
  versions: ReadonlyMap<ListForm, string>,
  subject: ScreeningSubject,
  thresholds: Thresholds,
): readonly ScreeningMatch[] {
  const exact: Found[] = [
    ...(subject.address === undefined ? [] : index.byAddress(subject.address)),
    ...(subject.taxId === undefined ? [] : index.byTaxId(subject.taxId)),
  ].map((entry) => ({ entry, score: 1, strength: 'exact' }));
  const best = new Map<string, Found>();
  for (const found of [...exact, ...matchName(index, subject, thresholds)]) {
    const key = `${found.entry.list} ${found.entry.id}`;
    if ((best.get(key)?.score ?? -1) < found.score) best.set(key, found);
  }
  return [...best.values()]
    .sort((one, other) => other.score - one.score)
    .slice(0, MATCHES_MAX)
    .map(({ entry, score, strength }) => ({
      subject,
      list: entry.list,
      entry: entry.id,
      entryName: entry.name,
      score: String(Number(score.toFixed(SCORE_DECIMALS))),
      strength,
      answer: strength !== 'review' && SANCTION_FORMS.includes(entry.list) ? 'frozen' : 'held',
      version: versions.get(entry.list) ?? '',
    }));
}

function matchName(index: ListIndex, subject: ScreeningSubject, thresholds: Thresholds): readonly Found[] {
  if (subject.name === undefined) return [];
  return index.byName(subject.name, thresholds.review).flatMap(({ entry, isWhole, score: similarity }) => {
    if (isOtherPerson(entry, subject)) return [];
    const score = similarity - costOf(entry, subject);
    if (score < thresholds.review) return [];
    const strength = isWhole && score >= thresholds.strong ? 'strong' : 'review';
    return [{ entry, score, strength }];
  });
}

/**
 * Distinguishes people of the same name by tax id: complete ones that differ, or differing visible digits of a masked
 * CPF.
 */
function isOtherPerson({ taxIds, cpfDigits }: IndexedEntry, { taxId }: ScreeningSubject): boolean {
  if (taxId === undefined) return false;
  const sameKind = taxIds.filter((each) => each.length === taxId.length);
  if (sameKind.length > 0 && !sameKind.includes(taxId)) return true;
  if (cpfDigits === undefined) return false;
  return !CPF.test(taxId) || taxId.slice(3, 9) !== cpfDigits;
}

function costOf({ birthYears, countries }: IndexedEntry, { birthDate, country }: ScreeningSubject): number {
  const isOtherBirth =
    birthDate !== undefined && birthYears.length > 0 && !birthYears.includes(birthDate.slice(0, 4));
  const isOtherCountry = country !== undefined && countries.length > 0 && !countries.includes(country);
  return (isOtherBirth ? OTHER_BIRTH_COST : 0) + (isOtherCountry ? OTHER_COUNTRY_COST : 0);
}
